import type { ChildProcess } from 'node:child_process';
import { failure, messageOf, success, type Reply } from '@shared/errors.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import { symbolReplySchema, type SymbolRequest } from './symbol-protocol.ts';

/** A request without its id. */
export type SymbolCall = SymbolRequest extends infer One
  ? One extends SymbolRequest
    ? Omit<One, 'id'>
    : never
  : never;

/** Calls the process that keeps names. It is started when it is needed, and ended when it was not needed for a while. */
export interface SymbolClient {
  /** Never rejects. Fails with `cancelled`, `timeout` or `internal`; after these two the process is started anew. */
  readonly call: (call: SymbolCall, signal: AbortSignal) => Promise<Reply<unknown>>;
  readonly dispose: () => void;
}

export interface SymbolClientOptions {
  readonly programs: Pick<HostPrograms, 'start'>;
  readonly nodePath: string;
  /** The built `symbols-process`. */
  readonly processPath: string;
  readonly databasePath: string;
  readonly timeoutMs?: number;
}

/** For one call. A file is given up by the process itself after two seconds. */
const usualTimeoutMs = 60_000;
const idleMs = 120_000;
const heapMb = 1_024;

interface Running {
  readonly child: ChildProcess;
  readonly waiting: Map<number, (reply: Reply<unknown>) => void>;
}

export function createSymbolClient(options: SymbolClientOptions): SymbolClient {
  let running: Running | null = null;
  let lastId = 0;
  let idle: NodeJS.Timeout | null = null;
  const end = (mine: Running, reply: Reply<never>): void => {
    if (running === mine) running = null;
    mine.child.kill('SIGKILL');
    for (const settle of mine.waiting.values()) settle(reply);
    mine.waiting.clear();
  };
  const endIdle = (): void => {
    if (running !== null && running.waiting.size === 0) end(running, failure('internal', 'It was not needed.'));
  };
  const rest = (): void => {
    if (idle !== null) clearTimeout(idle);
    idle = setTimeout(endIdle, idleMs);
    idle.unref();
  };
  const start = (): Running => {
    const { nodePath, processPath, databasePath, programs } = options;
    // Trees of syntax live shortly. A small space for what is new keeps the process small, and costs no time.
    const args = [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=2', processPath, databasePath];
    const child = programs.start(nodePath, args, { needs: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const mine: Running = { child, waiting: new Map() };
    const ended = (why: string): void => end(mine, failure('internal', `The index of names ended: ${why}.`));
    child.on('message', (message) => receive(mine, message));
    child.on('error', (error) => ended(messageOf(error)));
    child.on('exit', (code, signal) => ended(signal ?? String(code)));
    // It must not keep a finished command from ending.
    child.unref();
    child.channel?.unref();
    return mine;
  };
  return {
    call: (call, signal) =>
      new Promise<Reply<unknown>>((resolve) => {
        if (signal.aborted) return resolve(cancelled());
        const mine = (running ??= start());
        const id = (lastId += 1);
        const late = (): void => end(mine, failure('timeout', 'The index of names did not answer in time.'));
        const timer = setTimeout(late, options.timeoutMs ?? usualTimeoutMs);
        const settle = (reply: Reply<unknown>): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
          mine.waiting.delete(id);
          if (mine.waiting.size === 0) mine.child.channel?.unref();
          rest();
          resolve(reply);
        };
        // What the process does meanwhile is kept, and its late answer is ignored.
        const abort = (): void => settle(cancelled());
        signal.addEventListener('abort', abort, { once: true });
        mine.waiting.set(id, settle);
        // While somebody waits, the answer must arrive.
        mine.child.channel?.ref();
        mine.child.send({ ...call, id }, (error) => {
          if (error !== null) end(mine, failure('internal', messageOf(error)));
        });
      }).catch((error: unknown) => failure('internal', messageOf(error))),
    dispose: () => {
      if (idle !== null) clearTimeout(idle);
      if (running !== null) end(running, cancelled());
    },
  };
}

const cancelled = (): Reply<never> => failure('cancelled', 'It was cancelled.');

function receive({ waiting }: Running, message: unknown): void {
  const parsed = symbolReplySchema.safeParse(message);
  if (!parsed.success) return;
  const reply = parsed.data;
  const settle = waiting.get(reply.id);
  settle?.(reply.type === 'done' ? success(reply.value) : failure('internal', reply.message));
}
