import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { useEffect, useRef, useState } from 'react';
import type { CoreClient } from '../../../lib/connection/core-client.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { createPolicyDocument } from '../../../lib/drawing/style-policy-document.ts';
import { theme } from '../../../lib/window/preferences.ts';
import { t } from '../../../lib/text/translate.ts';
import { Problem } from '../../../ui/notices/problem.tsx';

interface TerminalPaneProps {
  readonly sessionId: string;
  /** The agent works, so input is refused. */
  readonly isLocked: boolean;
  readonly onEnd: () => void;
}

/** A shell of the user in the session's sandbox. It ends when this unmounts. */
export default function TerminalPane({ sessionId, isLocked, onEnd }: TerminalPaneProps) {
  const client = useClient();
  const place = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [hasEnded, setHasEnded] = useState(false);
  useEffect(() => {
    if (place.current === null) return undefined;
    const shown = openTerminal(client, { sessionId, element: place.current, onProblem: setProblem });
    void shown.ended.then(() => setHasEnded(true));
    return shown.close;
  }, [client, sessionId]);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      {isLocked && <p className="text-sm text-warn">{t('terminal.locked')}</p>}
      {problem !== null && <Problem text={problem} />}
      <div
        ref={place}
        className="min-h-0 flex-1 overflow-hidden rounded-lg border border-line bg-sunken p-2 font-mono"
      />
      {hasEnded && (
        <button type="button" className="self-start text-xs underline" onClick={onEnd}>
          {t('terminal.ended')}
        </button>
      )}
    </div>
  );
}

interface TerminalOptions {
  readonly sessionId: string;
  readonly element: HTMLElement;
  readonly onProblem: (text: string | null) => void;
}

interface ShownTerminal {
  /** Resolves when the shell has ended, or could not start. */
  readonly ended: Promise<void>;
  readonly close: () => void;
}

function openTerminal(client: CoreClient, { sessionId, element, onProblem }: TerminalOptions): ShownTerminal {
  const stop = new AbortController();
  const { signal } = stop;
  const policy = createPolicyDocument();
  const terminal = new Terminal({
    documentOverride: policy.document,
    screenReaderMode: true,
    // Characters are measured on a canvas, which does not know CSS variables.
    fontFamily: getComputedStyle(element).fontFamily,
    fontSize: 12,
    theme: colors(),
    allowProposedApi: false,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  policy.during(() => terminal.open(element));
  fit.fit();
  terminal.focus();
  const ask = (work: Promise<unknown>): void =>
    void work.then(
      () => undefined,
      (error: unknown) => {
        if (!signal.aborted) onProblem(failureText(error));
      },
    );
  const opened = takeKeys(client, terminal, { ask, onProblem });
  const run = async (): Promise<void> => {
    const { cols: columns, rows } = terminal;
    const pushes = await client.sandboxes.terminal({ sessionId, columns, rows }, { signal });
    for await (const push of pushes) {
      if (push.type === 'opened') opened(push.terminalId);
      else if (push.type === 'output') terminal.write(push.text);
    }
  };
  const fitting = new ResizeObserver(() => fit.fit());
  fitting.observe(element);
  const unsubscribe = theme.subscribe(() => (terminal.options.theme = colors()));
  const ended = run().catch((error: unknown) => {
    if (!signal.aborted) onProblem(failureText(error));
  });
  return {
    ended,
    close: () => {
      stop.abort();
      fitting.disconnect();
      unsubscribe();
      terminal.dispose();
      policy.dispose();
    },
  };
}

interface KeysOptions extends Pick<TerminalOptions, 'onProblem'> {
  readonly ask: (work: Promise<unknown>) => void;
}

/** Takes the focus before the shell exists. Input waits until the returned function gets the shell's id. */
function takeKeys(client: CoreClient, terminal: Terminal, { ask, onProblem }: KeysOptions): (id: string) => void {
  let opened = (_id: string): void => undefined;
  const shell = new Promise<string>((resolve) => (opened = resolve));
  const type = inOrder(async (text: string) => {
    const terminalId = await shell;
    onProblem(null);
    return client.sandboxes.type({ terminalId, text });
  });
  const resize = inOrder(async ({ cols: columns, rows }: Pick<Terminal, 'cols' | 'rows'>) =>
    client.sandboxes.resize({ terminalId: await shell, columns, rows }),
  );
  terminal.onData((text) => ask(type(text)));
  terminal.onResize((size) => ask(resize(size)));
  return opened;
}

/** Runs calls one after the other, because two calls at once may arrive in either order. */
function inOrder<Given>(work: (given: Given) => Promise<unknown>): (given: Given) => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve();
  return (given) => {
    last = last.catch(() => undefined).then(() => work(given));
    return last;
  };
}

function colors(): { readonly [name: string]: string } {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    background: of('--sunken'),
    foreground: of('--ink'),
    cursor: of('--ink'),
    selectionBackground: of('--chosen'),
    black: of('--soft'),
    red: of('--bad'),
    green: of('--good'),
    yellow: of('--warn'),
    blue: of('--shiki-token-constant'),
    magenta: of('--shiki-token-keyword'),
    cyan: of('--local'),
    white: of('--ink'),
  };
}
