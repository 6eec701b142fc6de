import { randomBytes } from 'node:crypto';
import type { Reply } from '@shared/errors.ts';
import { abortable } from '../../../lib/async/abort.ts';
import { withEitherSignal } from '../../../lib/async/child-abort.ts';
import { createOneAtATime } from '../../../lib/async/one-at-a-time.ts';
import { directFetch } from '../../../lib/net/net-fetch.ts';
import { outOfMemoryLines } from '../out-of-memory-lines.ts';
import { findServerProgram, lastOutput, startOwnServer, waitForServer } from '../own-server.ts';
import type { OwnServer, ServerPrograms } from '../own-server.ts';
import { addressInLine, isHostMemory, isSightBuffer, sizesInLog } from './server-log.ts';
import type { ServerSizes } from './server-log.ts';
import { askServerProgram } from './server-program.ts';
import type { ServerProgram } from './server-program.ts';

/**
 * Runs the user's own llama-server. It listens only on this machine, needs a secret key, and holds one model at a
 * time; another model needs a new start. It ends with Dewpoint, and after a long time without use.
 */
export interface OwnLlamaServer {
  /** The path of the program, looked up each time. Null: it is not installed. */
  readonly find: (program: string | undefined) => Promise<string | null>;
  /** The program's build, and the cards that it sees now. */
  readonly ask: (path: string, signal: AbortSignal) => Promise<Reply<ServerProgram>>;
  /**
   * Returns a server with this load: the running one if it matches, else a new one in its place. An abort ends the
   * start. Use it until `leave`. Never rejects.
   */
  readonly use: (load: ServerLoad, signal: AbortSignal) => Promise<UseReply>;
  /** The running server. Null: none. */
  readonly running: () => Pick<RunningServer, 'load' | 'sizes'> | null;
  /** Ends the server if it is not in use. */
  readonly release: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

export interface ServerLoad {
  readonly program: string;
  /** The options for model, context and placement, but not the address. */
  readonly args: readonly string[];
  readonly modelPath: string;
  /** How long it may be unused before it ends, in milliseconds. Null: no limit. */
  readonly idleMs: number | null;
}

export interface RunningServer {
  readonly address: string;
  readonly key: string;
  readonly load: ServerLoad;
  /** The memory that it uses, as it reports it. */
  readonly sizes: ServerSizes | null;
  /** It was started for this use. */
  readonly isFresh: boolean;
  /** How it ended since then. Null: it still runs. */
  readonly ended: () => { readonly text: string; readonly noMemory: NoMemory | null } | null;
  readonly leave: () => void;
}

/** The memory that was too small. */
export type NoMemory = 'card' | 'host';

export type UseReply =
  | { readonly ok: true; readonly server: RunningServer }
  | { readonly ok: false; readonly message: string; readonly code: 'out-of-memory'; readonly memory: NoMemory }
  | { readonly ok: false; readonly message: string; readonly code: 'engine-lost' | 'cancelled' };

export interface OwnLlamaServerOptions extends ServerPrograms {
  /** Long by default, because a large model may come from a slow disk. */
  readonly startMs?: number;
}

type Loaded = Omit<RunningServer, 'isFresh' | 'leave' | 'ended'> & {
  readonly server: OwnServer;
  readonly lines: () => readonly string[];
};

const keptLines = 2_000;
/** One for each device that a projector uses. */
const mostSightLines = 16;
/**
 * A list of models asks about the same program many times. The free memory of a card may be this old before a load.
 */
const freshMs = 5_000;

export function createOwnLlamaServer(options: OwnLlamaServerOptions): OwnLlamaServer {
  const turn = createOneAtATime();
  const asked = new Map<string, { readonly reply: ReturnType<OwnLlamaServer['ask']>; readonly at: number }>();
  const closing = new AbortController();
  let loaded: Loaded | null = null;
  let users = 0;
  let idle: NodeJS.Timeout | undefined;
  const end = async (): Promise<void> => {
    const before = loaded;
    loaded = null;
    clearTimeout(idle);
    await before?.server.end();
  };
  const leaveOnce = ({ load }: Loaded): (() => void) => {
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      users -= 1;
      if (users === 0 && load.idleMs !== null) idle = setTimeout(() => void release(), load.idleMs).unref();
    };
  };
  const release = async (): Promise<void> => {
    const leave = await turn.enter(closing.signal);
    if (leave === null) return;
    if (users === 0) await end();
    leave();
  };
  const use: OwnLlamaServer['use'] = async (load, signal) => {
    const leave = await turn.enter(signal);
    if (leave === null) return cancelled;
    try {
      clearTimeout(idle);
      const isThere = loaded !== null && !loaded.server.hasEnded() && keyOf(loaded.load) === keyOf(load);
      if (!isThere) {
        await end();
        const started = await start(options, load, { signal, closing: closing.signal });
        if (!started.ok) return started;
        loaded = started.loaded;
      }
      if (loaded === null) return cancelled;
      users += 1;
      const { server, lines, ...about } = loaded;
      const ended = (): ReturnType<RunningServer['ended']> =>
        server.hasEnded() ? endOf(server.words(), lines()) : null;
      return { ok: true, server: { ...about, load, isFresh: !isThere, ended, leave: leaveOnce({ ...loaded, load }) } };
    } finally {
      leave();
    }
  };
  return {
    find: (program) =>
      findServerProgram(options, { name: 'llama-server', wanted: program, usual: usualPlaces(options) }),
    ask: async (path, signal) => {
      const known = asked.get(path);
      if (known !== undefined && performance.now() - known.at < freshMs) return abortable(known.reply, signal);
      const reply = askServerProgram(path, options, closing.signal);
      asked.set(path, { reply, at: performance.now() });
      return abortable(reply, signal);
    },
    use,
    running: () => (loaded === null || loaded.server.hasEnded() ? null : loaded),
    release,
    dispose: async () => {
      closing.abort();
      await end();
    },
  };
}

const cancelled = { ok: false, code: 'cancelled', message: 'It was cancelled.' } as const;
const keyOf = ({ program, args }: ServerLoad): string => JSON.stringify([program, args]);

function endOf(words: string, lines: readonly string[]): NonNullable<ReturnType<RunningServer['ended']>> {
  const noMemory = noMemoryIn(lines);
  return { text: noMemory === null ? lastOutput(words) : ` It has no memory left${whereIn(lines)}.`, noMemory };
}

/** The server's own message, without its timestamp. */
function whereIn(lines: readonly string[]): string {
  const line = outOfMemoryLines(lines)[0]
    ?.replace(/^[\d.]{1,20} [A-Z] +/u, '')
    .trim();
  return line === undefined ? '' : ` ("${line.slice(0, 160)}")`;
}

function noMemoryIn(lines: readonly string[]): NoMemory | null {
  const said = outOfMemoryLines(lines);
  return said.length === 0 ? null : isHostMemory(said) ? 'host' : 'card';
}

function usualPlaces({ platform }: OwnLlamaServerOptions): readonly string[] {
  return platform === 'win32' ? [] : ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin'];
}

/** The options of every load: no network access, no web page, and no automatic fitting. */
const always =
  // Only at this level does it print its allocations. It prints nothing about prompts.
  '--host 127.0.0.1 --port 0 --offline --no-webui --jinja --no-warmup --fit off --flash-attn on --parallel 1 --log-verbosity 4 --log-colors off'.split(
    ' ',
  );

async function start(
  options: OwnLlamaServerOptions,
  load: ServerLoad,
  { signal, closing }: { readonly signal: AbortSignal; readonly closing: AbortSignal },
): Promise<{ readonly ok: true; readonly loaded: Loaded } | Extract<UseReply, { ok: false }>> {
  const { startMs = 1_200_000 } = options;
  const key = randomBytes(24).toString('hex');
  const lines: string[] = [];
  const seen: string[] = [];
  let address: string | null = null;
  const server = startOwnServer(options, {
    program: load.program,
    args: [...load.args, ...always],
    needs: ['card'],
    // The key is not an argument, because every program of this machine can read those.
    more: { LLAMA_API_KEY: key },
    onLine: (line) => {
      address ??= addressInLine(line);
      // Beyond the last lines, because it may come long after the load.
      if (isSightBuffer(line) && seen.length < mostSightLines) seen.push(line);
      lines.push(line);
      if (lines.length > keptLines) lines.shift();
    },
  });
  const answers = async (): Promise<boolean> => address !== null && (await isReady(address, signal));
  const outcome = await withEitherSignal(signal, closing, (either) =>
    waitForServer(server, answers, { forMs: startMs, signal: either }),
  );
  if (outcome === 'answers' && address !== null) {
    const atLoad = lines.filter((line) => !isSightBuffer(line));
    const loaded = {
      address,
      key,
      load,
      get sizes() {
        return sizesInLog([...atLoad, ...seen]);
      },
      server,
      lines: () => lines,
    };
    return { ok: true, loaded };
  }
  await server.end();
  if (outcome === 'cancelled') return cancelled;
  const said = lastOutput(server.words());
  const memory = noMemoryIn(lines);
  if (memory !== null)
    return { ok: false, code: 'out-of-memory', memory, message: `llama-server has no memory left${whereIn(lines)}.` };
  const what =
    outcome === 'ended' ? 'was started and ended' : `did not answer within ${Math.round(startMs / 1000)} seconds`;
  return { ok: false, code: 'engine-lost', message: `${load.program} ${what}.${said}` };
}

async function isReady(address: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await directFetch(`${address}/health`, { signal });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // It does not listen yet, or has ended. The next check finds out.
    return false;
  }
}
