import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionState } from '@shared/session/session-state.ts';
import { sessionStatus } from '@shared/session/session-state.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { useFirstItems } from '../../../lib/drawing/use-first-items.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Empty } from '../../../ui/layout/facts.tsx';
import { MoreButton } from '../../../ui/controls/more-button.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';
import { FileChange } from './file-change.tsx';
import { AutoRunFiles } from './auto-run-files.tsx';
import type { ChangedFile, ChangeOutcome } from '@shared/contract/sessions-contract.ts';

interface ChangesTabProps {
  readonly sessionId: string;
  readonly state: SessionState;
}

type What = 'take' | 'undo';

const noFiles: readonly ChangedFile[] = [];
/** So many files are drawn at first, and with each click below them. */
const step = 100;
/** Of more files each is opened when it is looked at. */
const openFiles = 20;

/** What the session changed, file by file, to be taken or undone. */
export function ChangesTab({ sessionId, state }: ChangesTabProps) {
  const client = useClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  // Read again when a change was added, undone or reviewed, and only then.
  const version = state.changes.map((change) => `${change.last.seq}${change.reviewed ? 'r' : ''}`).join(' ');
  const query = useQuery({
    queryKey: ['changes', sessionId, version],
    queryFn: ({ signal }) => client.changes.show({ sessionId }, { signal }),
    enabled: version !== '',
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const change = async (what: What, paths: readonly string[]): Promise<void> => {
    setIsBusy(true);
    try {
      setProblem(refusedText(await client.changes[what]({ sessionId, paths: [...paths] })));
    } catch (error) {
      setProblem(failureText(error));
    }
    setIsBusy(false);
  };
  const files = query.data ?? noFiles;
  const { shown, left, more } = useFirstItems(files, step);
  if (version === '') {
    return (
      <div className="flex flex-col gap-3">
        <AutoRunFiles files={noFiles} untracked={state.untracked} />
        <Empty>{t('changes.none')}</Empty>
      </div>
    );
  }
  const isRunning = sessionStatus(state) === 'running';
  const isCopy = state.workspace?.mode === 'copy';
  return (
    <div className="flex flex-col gap-3">
      {problem !== null && <Problem text={problem} />}
      {query.error !== null && (
        <Problem text={`${t('changes.failed')} ${failureText(query.error)}`} onRetry={query.refetch} />
      )}
      <AutoRunFiles files={files} untracked={state.untracked} />
      {isRunning && <p className="text-sm text-soft">{t('changes.busy')}</p>}
      <AllButtons files={files} isCopy={isCopy} isDisabled={isRunning || isBusy} onChange={change} />
      {shown.map((file) => (
        <FileChange
          key={file.path}
          file={file}
          isFirstOpen={file.state === 'open' && files.length <= openFiles}
          takeWord={t(isCopy ? 'changes.take' : 'changes.review')}
          isDisabled={isRunning || isBusy}
          onChange={(what) => void change(what, [file.path])}
        />
      ))}
      <MoreButton left={left} onMore={more} />
      {state.totals.changesLeftOut > 0 && (
        <p className="text-sm text-soft">{plural('changes.leftOut', state.totals.changesLeftOut)}</p>
      )}
    </div>
  );
}

interface AllButtonsProps {
  readonly files: readonly ChangedFile[];
  readonly isCopy: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (what: What, paths: readonly string[]) => Promise<void>;
}

function AllButtons({ files, isCopy, isDisabled, onChange }: AllButtonsProps) {
  const open = files.filter((file) => file.state === 'open').map((file) => file.path);
  if (open.length < 2) return null;
  return (
    <div className="flex gap-2">
      <Button size="small" disabled={isDisabled} onClick={() => void onChange('take', open)}>
        {t(isCopy ? 'changes.takeAll' : 'changes.reviewAll')}
      </Button>
      <Button size="small" disabled={isDisabled} onClick={() => void onChange('undo', open)}>
        {t('changes.undoAll')}
      </Button>
    </div>
  );
}

function refusedText({ refused }: ChangeOutcome): string | null {
  if (refused.length === 0) return null;
  return t('changes.refused', { list: refused.map(({ path, why }) => `${seenName(path)} (${why})`).join(', ') });
}
