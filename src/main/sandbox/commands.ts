import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { AppError, valueOf } from '@shared/errors.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { createSessionAnswers } from '../safety/session-answers.ts';
import type {
  CodeToRun,
  NetworkHistory,
  SandboxUsage,
  SandboxView,
  TerminalPush,
} from '@shared/sandbox/sandbox-view.ts';
import { progressStream } from '../lib/async/push-queue.ts';
import type { Handlers } from '../server/handlers.ts';
import type { OpenSessions } from '../sessions/open/open-sessions.ts';
import { refuseAtWork } from '../sessions/open/refused-requests.ts';
import { sleep } from '../lib/async/abort.ts';
import type { OpenProcess, Sandbox, SandboxLook } from './sandbox.ts';
import { codeCommand, resizedFrame, shellCommand, typedFrames } from './terminal-shell.ts';
import { terminalStream } from './terminal-stream.ts';
import type { LiveJournal } from '../sessions/journal/live-journal.ts';
import type { SessionStore } from '../sessions/store/session-store.ts';
import { orNoted } from '../lib/log.ts';

interface SandboxCommandsOptions {
  readonly sessions: Pick<OpenSessions, 'sandboxes' | 'runner' | 'journal' | 'openJournal'>;
  readonly store: Pick<SessionStore, 'view'>;
}

interface Terminal {
  readonly sessionId: string;
  readonly process: OpenProcess;
}

const lookEveryMs = 2_000;
/** The most entries of each list. The log has all of them. */
const keptUses = 200;

/** Shows the sandbox of a session to the user, and runs a shell in it. */
export function createSandboxCommands(options: SandboxCommandsOptions): Handlers['sandboxes'] {
  const terminals = new Map<string, Terminal>();
  const terminal = (id: string): Terminal => {
    const found = terminals.get(id);
    if (found === undefined) throw new AppError('not-found', 'This terminal has ended.');
    return found;
  };
  const opened = (sessionId: string, what: OpenedCommand, signal: AbortSignal) =>
    terminalStream(async (onPush, stop) => {
      // Changes would count as the agent's while it works.
      if (what.ran !== undefined) refuseAtWork(options.sessions, sessionId);
      const { sandbox, release } = await options.sessions.sandboxes.occupy(sessionId, stop);
      try {
        const journal = await options.sessions.journal(sessionId);
        await runTerminal({ ...what, sandbox, journal, terminals, onPush }, stop);
      } finally {
        release();
      }
    }, signal);
  return {
    watch: ({ input: { sessionId }, signal }) =>
      progressStream(async (onView, stop) => {
        let last: SandboxLook | null = null;
        while (!stop.aborted) {
          const sandbox = options.sessions.sandboxes.of(sessionId);
          const look = (await sandbox?.look(stop)) ?? null;
          if (stop.aborted) return;
          const count = [...terminals.values()].filter((one) => one.sessionId === sessionId).length;
          onView(viewOf(sandbox, { look, last, terminals: count }));
          last = look;
          // The abort ends the loop when nobody watches any more.
          await sleep(lookEveryMs, stop).catch(() => undefined);
        }
      }, signal),
    network: async ({ input }) => networkHistory((await options.store.view(input.sessionId)).read()),
    terminal: ({ input: { sessionId, ...size }, signal }) => opened(sessionId, { command: shellCommand(size) }, signal),
    run: ({ input: { sessionId, ...ran }, signal }) => opened(sessionId, { command: codeCommand(ran), ran }, signal),
    type: async ({ input: { terminalId, text } }) => {
      const { process, sessionId } = terminal(terminalId);
      // Changes would count as the agent's while it works, and be undone with them.
      refuseAtWork(options.sessions, sessionId);
      await process.write(typedFrames(text));
    },
    resize: async ({ input: { terminalId, ...size } }) => terminal(terminalId).process.write(resizedFrame(size)),
  };
}

interface OpenedCommand {
  readonly command: string;
  /** The code to run instead of a shell. */
  readonly ran?: CodeToRun;
}

interface TerminalRun extends OpenedCommand {
  readonly sandbox: Sandbox;
  readonly journal: LiveJournal;
  readonly terminals: Map<string, Terminal>;
  readonly onPush: (push: TerminalPush) => void;
}

/** Resolves when the terminal has ended, by itself or by `signal`. */
async function runTerminal(run: TerminalRun, signal: AbortSignal): Promise<void> {
  const { sandbox, journal, terminals, command, ran, onPush } = run;
  const terminalId = randomUUID();
  const decoder = new StringDecoder('utf8');
  const since = performance.now();
  // The log comes first, so that no terminal exists without an entry.
  await journal.append({ type: 'terminal-opened', terminalId, ...(ran === undefined ? {} : { ran }) });
  let exitCode: number | null = null;
  try {
    const process = valueOf(
      await sandbox.open(
        {
          command,
          onOutput: ({ bytes }) => onPush({ type: 'output', text: decoder.write(Buffer.from(bytes)) }),
        },
        signal,
      ),
    );
    terminals.set(terminalId, { sessionId: journal.sessionId, process });
    onPush({ type: 'opened', terminalId });
    // Closing fails if the process has already ended, which is fine.
    const close = (): void => void process.close().catch(orNoted('sandbox: a terminal was not closed', undefined));
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) close();
    ({ exitCode } = await process.ended);
    signal.removeEventListener('abort', close);
  } finally {
    terminals.delete(terminalId);
    await journal
      .append({ type: 'terminal-closed', terminalId, exitCode, durationMs: performance.now() - since })
      // If the log is closed already, the terminal ends all the same.
      .catch(orNoted('The end of a terminal was not recorded', undefined));
  }
  onPush({ type: 'ended', exitCode });
}

interface Seen {
  readonly look: SandboxLook | null;
  /** The previous look. The processor's use is computed from the time between the two. */
  readonly last: SandboxLook | null;
  readonly terminals: number;
}

function viewOf(sandbox: Sandbox | null, { look, last, terminals }: Seen): SandboxView {
  const warnings = sandbox?.description.warnings ?? [];
  if (sandbox === null || look === null)
    return { state: 'none', usage: null, masked: [], pinned: [], warnings, terminals };
  const { masked, pinned, isRunning, usage } = look;
  return {
    state: isRunning ? 'running' : 'gone',
    usage: usage === null ? null : usageOf(usage, last?.usage ?? null),
    masked,
    pinned: pinned.map(({ path, readOnly }) => ({ path, readOnly })),
    warnings,
    terminals,
  };
}

function usageOf(usage: NonNullable<SandboxLook['usage']>, last: SandboxLook['usage']): SandboxUsage {
  const { memoryBytes, memoryLimitBytes, processes, cpuNs, readNs } = usage;
  // A new container counts from zero.
  const isKnown = last !== null && readNs > last.readNs && cpuNs >= last.cpuNs;
  const cpuPercent = isKnown ? ((cpuNs - last.cpuNs) / (readNs - last.readNs)) * 100 : null;
  return { cpuPercent, memoryBytes, memoryLimitBytes, processes };
}

async function networkHistory(events: AsyncIterable<SessionEvent>): Promise<NetworkHistory> {
  const uses: NetworkHistory['uses'][number][] = [];
  const own = createSessionAnswers();
  for await (const event of events) {
    own.add(event);
    if (event.type === 'network-used') {
      const { toolCallId, host, port, isAllowed, reason, address, count, sentBytes, receivedBytes, at } = event;
      uses.push({ toolCallId, host, port, isAllowed, reason, address, count, sentBytes, receivedBytes, at });
    }
  }
  const answers = own.all().flatMap(({ hosts, said }): NetworkHistory['answers'] => {
    if (hosts === null || said === null) return [];
    const { at, answer, by, scope = 'once' } = said;
    return [{ at, hosts, answer, scope, by }];
  });
  return { uses: uses.slice(-keptUses), answers: answers.slice(-keptUses) };
}
