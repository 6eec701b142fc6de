import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { openPurseFile } from '../../src/main/money/open-purse.ts';
import type { Purse } from '../../src/main/money/purse.ts';
import { createPurse } from '../../src/main/money/purse.ts';
import { sealRecord, unsealRecord } from '../../src/main/sessions/record.ts';

const variable = 'DEWPOINT_BENCH_PURSE';
const codec = { seal: sealRecord, unseal: unsealRecord };

export function openBenchPurse(path: string): Purse {
  return createPurse(openPurseFile(path), codec, Date.now);
}

type Request =
  | { readonly id: number; readonly type: 'reserve'; readonly ask: Parameters<Purse['reserve']>[0] }
  | { readonly id: number; readonly type: 'settle'; readonly args: Parameters<Purse['settle']> }
  | { readonly id: number; readonly type: 'raise'; readonly args: Parameters<Purse['raise']> };

/** In a process that `forkPurse` started: serves its purse and never returns. Null in every other process. */
export function purseChild(): Promise<never> | null {
  const path = process.env[variable];
  if (path === undefined) return null;
  const purse = openBenchPurse(path);
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: Request) => {
    void answer(purse, message).then((value) => process.send?.({ id: message.id, value }));
  });
  return new Promise(() => undefined);
}

async function answer(purse: Purse, request: Request): Promise<unknown> {
  switch (request.type) {
    case 'reserve':
      return purse.reserve(request.ask);
    case 'settle':
      purse.settle(...request.args);
      return null;
    case 'raise':
      await purse.raise(...request.args);
      return null;
    default:
      return request satisfies never;
  }
}

/** A purse in another process, on the same file; only what a schedule does with one. */
export interface RemotePurse extends Pick<Purse, 'reserve' | 'settle' | 'raise'> {
  /** Kills the process; what it was asked and has not answered is refused, for nobody is left to make the call. */
  readonly kill: () => void;
}

export function forkPurse(path: string): RemotePurse {
  let child: ChildProcess | null = null;
  let last = 0;
  const waiting = new Map<number, (value: unknown) => void>();
  const start = (): ChildProcess => {
    const made = fork(process.argv[1] ?? '', ['money'], { env: { ...process.env, [variable]: path } });
    made.on('message', (message: { readonly id: number; readonly value: unknown }) => {
      waiting.get(message.id)?.(message.value);
      waiting.delete(message.id);
    });
    return made;
  };
  const call = (request: object): Promise<unknown> =>
    new Promise((resolve) => {
      child ??= start();
      const id = (last += 1);
      waiting.set(id, resolve);
      child.send({ id, ...request });
    });
  return {
    // The other side is the same interface: what it answers is what this one promises. A marked cast at the pipe.
    reserve: async (ask) => (await call({ type: 'reserve', ask })) as Awaited<ReturnType<Purse['reserve']>>,
    settle: (...args) => void call({ type: 'settle', args }),
    raise: async (...args) => void (await call({ type: 'raise', args })),
    kill: () => {
      child?.kill('SIGKILL');
      child = null;
      const refusal = { scope: 'day', limitNano: 0, spentNano: 0, heldNano: 0 };
      for (const settle of waiting.values()) settle({ granted: false, refusal });
      waiting.clear();
    },
  };
}
