import type { ChildProcess } from 'node:child_process';
import { messageOf } from '@shared/errors.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import type { KeyRequest } from './key-protocol.ts';
import { keyReplySchema } from './key-protocol.ts';

/** A request without its id. */
export type KeyCall =
  | { readonly type: 'get' | 'delete'; readonly service: string; readonly account: string }
  | { readonly type: 'set'; readonly service: string; readonly account: string; readonly value: string };

export type KeyResult =
  | { readonly type: 'done'; readonly value: string | null }
  | { readonly type: 'failed'; readonly message: string }
  /** The process did not answer in time and was killed. */
  | { readonly type: 'no-answer' }
  | { readonly type: 'not-loaded'; readonly message: string };

/** Calls the system's key store in a process that is killed if it does not answer. */
export interface KeyClient {
  /** Never rejects, and never takes longer than `timeoutMs`. */
  readonly call: (call: KeyCall, timeoutMs: number) => Promise<KeyResult>;
  readonly dispose: () => void;
}

export interface KeyClientOptions {
  /** The program that runs the process: a separate Node if this process is Electron. */
  readonly nodePath: string;
  readonly processPath: string;
  readonly programs: HostPrograms;
}

/** Long enough for a few calls in a row. */
const IDLE_MS = 3_000;

interface Pending {
  readonly settle: (result: KeyResult) => void;
}

interface Running {
  readonly child: ChildProcess;
  readonly pending: Map<number, Pending>;
}

export function createKeyClient(options: KeyClientOptions): KeyClient {
  let running: Running | null = null;
  let lastId = 0;
  let idle: NodeJS.Timeout | null = null;
  const end = (mine: Running, result: KeyResult): void => {
    if (running === mine) running = null;
    mine.child.kill('SIGKILL');
    for (const { settle } of mine.pending.values()) settle(result);
    mine.pending.clear();
  };
  const rest = (): void => {
    if (idle !== null) clearTimeout(idle);
    idle = setTimeout(() => {
      if (running !== null && running.pending.size === 0) end(running, { type: 'no-answer' });
    }, IDLE_MS);
    idle.unref();
  };
  const start = (): Running => {
    const { nodePath, processPath, programs } = options;
    const child = programs.start(nodePath, [processPath], {
      needs: ['session'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const mine: Running = { child, pending: new Map() };
    child.on('message', (message) => receive(mine, message, end));
    child.on('error', (error) => end(mine, { type: 'failed', message: messageOf(error) }));
    child.on('exit', (code, signal) => {
      end(mine, { type: 'failed', message: `the key store's process ended (${signal ?? code})` });
    });
    // The key process must not keep a finished command from ending.
    child.unref();
    child.channel?.unref();
    return mine;
  };
  return {
    call: (call, timeoutMs) =>
      new Promise<KeyResult>((resolve) => {
        const mine = (running ??= start());
        const id = (lastId += 1);
        const timer = setTimeout(() => end(mine, { type: 'no-answer' }), timeoutMs);
        const settle = (result: KeyResult): void => {
          clearTimeout(timer);
          rest();
          resolve(result);
        };
        mine.pending.set(id, { settle });
        const request: KeyRequest = { id, ...call };
        mine.child.send(request, (error) => {
          if (error !== null) end(mine, { type: 'failed', message: messageOf(error) });
        });
      }).catch((error: unknown) => ({ type: 'failed', message: messageOf(error) })),
    dispose: () => {
      if (idle !== null) clearTimeout(idle);
      if (running !== null) end(running, { type: 'no-answer' });
    },
  };
}

function receive(mine: Running, message: unknown, end: (mine: Running, result: KeyResult) => void): void {
  const parsed = keyReplySchema.safeParse(message);
  if (!parsed.success) return;
  const reply = parsed.data;
  if (reply.type === 'not-loaded') {
    end(mine, reply);
    return;
  }
  const waiting = mine.pending.get(reply.id);
  mine.pending.delete(reply.id);
  waiting?.settle(
    reply.type === 'done' ? { type: 'done', value: reply.value } : { type: 'failed', message: reply.message },
  );
}
