import { useEffect, useState } from 'react';
import type { ChangedFile, ChangeOutcome } from '@shared/contract.ts';
import type { SessionState } from '@shared/session-state.ts';
import type { CoreClient } from '../../lib/core-client.ts';
import { failureText } from '../../lib/failure-text.ts';
import { lineCounts } from '../../lib/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { Diff } from './diff.tsx';

interface ChangesProps {
  readonly client: CoreClient;
  readonly sessionId: string;
  readonly state: SessionState;
}

/** What the session changed, file by file, to be taken or undone. */
export function Changes({ client, sessionId, state }: ChangesProps) {
  const [files, setFiles] = useState<readonly ChangedFile[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  // Read again when a change was added, undone or reviewed, and only then.
  const version = state.changes.map((change) => `${change.last.seq}${change.reviewed ? 'r' : ''}`).join(' ');
  useEffect(() => {
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      try {
        const found = version === '' ? [] : await client.changes.show({ sessionId }, { signal: stop.signal });
        if (!stop.signal.aborted) setFiles(found);
      } catch (error) {
        if (!stop.signal.aborted) setProblem(failureText(error));
      }
    };
    void read();
    return () => stop.abort();
  }, [client, sessionId, version]);

  const change = async (what: 'take' | 'undo', paths: readonly string[]): Promise<void> => {
    try {
      setProblem(describeRefused(await client.changes[what]({ sessionId, paths: [...paths] })));
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  if (files.length === 0 && problem === null) return null;
  const takeWord = state.workspace?.mode === 'copy' ? 'Take into the project' : 'Mark as reviewed';
  return (
    <section className="changes" aria-label="Changes">
      <h2>Changes</h2>
      {problem !== null && <Notice kind="error">{problem}</Notice>}
      {files.map((file) => (
        <FileChange
          key={file.path}
          file={file}
          takeWord={takeWord}
          onChange={(what) => void change(what, [file.path])}
        />
      ))}
    </section>
  );
}

function describeRefused({ refused }: ChangeOutcome): string | null {
  if (refused.length === 0) return null;
  return `Left as it was: ${refused.map(({ path, why }) => `${path} (${why})`).join(', ')}`;
}

interface FileChangeProps {
  readonly file: ChangedFile;
  readonly takeWord: string;
  readonly onChange: (what: 'take' | 'undo') => void;
}

const stateWords = { open: '', taken: 'reviewed', undone: 'undone' } as const;

function FileChange({ file, takeWord, onChange }: FileChangeProps) {
  return (
    <details className="file-change" open={file.state === 'open'}>
      <summary>
        <code>{file.path}</code> <span className="muted">{file.kind}</span>{' '}
        <span className="counts">{lineCounts(file.added, file.removed)}</span>{' '}
        <span className="muted">{stateWords[file.state]}</span>
      </summary>
      {file.diff === null ? <p className="muted">No text to compare.</p> : <Diff text={file.diff} />}
      <div className="file-buttons">
        {file.state === 'open' && (
          <button type="button" onClick={() => onChange('take')}>
            {takeWord}
          </button>
        )}
        <button type="button" onClick={() => onChange('undo')}>
          {file.state === 'undone' ? 'Undo the undo' : 'Undo'}
        </button>
      </div>
    </details>
  );
}
