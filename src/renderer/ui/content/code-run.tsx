import { useEffect, useRef, useState } from 'react';
import type { CodeLanguage } from '@shared/sandbox/sandbox-view.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Problem } from '../notices/problem.tsx';
import { TerminalOutput } from './terminal-output.tsx';

interface CodeRunProps {
  readonly sessionId: string;
  readonly language: CodeLanguage;
  readonly code: string;
  readonly onClose: () => void;
}

type State =
  | { readonly type: 'running' | 'stopped' }
  | { readonly type: 'ended'; readonly exitCode: number | null }
  | { readonly type: 'failed'; readonly problem: string };

/** The end of an output is kept, up to this many characters. */
const keptCharacters = 200_000;

/** Runs code once when it mounts, and shows the output. The run ends when it unmounts. */
export function CodeRun({ sessionId, language, code, onClose }: CodeRunProps) {
  const client = useClient();
  const [output, setOutput] = useState('');
  const [state, setState] = useState<State>({ type: 'running' });
  const stop = useRef<() => void>(undefined);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    let text = '';
    stop.current = () => {
      ending.abort();
      setState({ type: 'stopped' });
    };
    const run = async (): Promise<void> => {
      for await (const push of await client.sandboxes.run({ sessionId, language, code }, { signal })) {
        if (signal.aborted) return;
        if (push.type === 'output') {
          text = (text + push.text.replaceAll('\r\n', '\n')).slice(-keptCharacters);
          setOutput(text);
        } else if (push.type === 'ended') setState({ type: 'ended', exitCode: push.exitCode });
      }
    };
    run().catch((error: unknown) => {
      if (!signal.aborted) setState({ type: 'failed', problem: failureText(error) });
    });
    return () => ending.abort();
  }, [client, sessionId, language, code]);
  return (
    <div data-run={state.type} className="flex flex-col gap-1.5 border-t border-line p-2">
      <div className="flex items-center gap-2 text-xs">
        <output className={`flex-1 ${isGood(state) ? 'text-soft' : 'text-bad'}`}>{stateText(state)}</output>
        <button
          type="button"
          className="rounded px-1.5 py-0.5 text-soft hover:bg-chosen hover:text-ink"
          onClick={state.type === 'running' ? () => stop.current?.() : onClose}
        >
          {t(state.type === 'running' ? 'run.stop' : 'run.close')}
        </button>
      </div>
      {state.type === 'failed' && <Problem text={state.problem} />}
      {output !== '' && <TerminalOutput text={output} />}
    </div>
  );
}

function isGood(state: State): boolean {
  return state.type !== 'failed' && (state.type !== 'ended' || state.exitCode === 0);
}

function stateText(state: State): string {
  switch (state.type) {
    case 'running':
      return t('run.running');
    case 'stopped':
      return t('run.stopped');
    case 'failed':
      return t('run.failed');
    case 'ended':
      if (state.exitCode === null) return t('run.killed');
      return state.exitCode === 0 ? t('run.done') : t('run.exit', { code: state.exitCode });
    default:
      return state satisfies never;
  }
}
