import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { openReservationsFile } from '../../src/main/money/reservations/open-reservations.ts';
import type { Reservations } from '../../src/main/money/reservations/reservations.ts';
import { createReservations } from '../../src/main/money/reservations/reservations.ts';
import { sealRecord, unsealRecord } from '../../src/main/sessions/log/log-record.ts';

const variable = 'DEWPOINT_TEST_RESERVATIONS';
const codec = { seal: sealRecord, unseal: unsealRecord };

export function openFileReservations(path: string): Reservations {
  return createReservations(openReservationsFile(path), codec, Date.now);
}

type Request =
  | { readonly id: number; readonly type: 'reserve'; readonly ask: Parameters<Reservations['reserve']>[0] }
  | { readonly id: number; readonly type: 'settle'; readonly args: Parameters<Reservations['settle']> }
  | { readonly id: number; readonly type: 'raise'; readonly args: Parameters<Reservations['raise']> };

/**
 * In a process that `forkReservations` started: serves its reservation log and never returns. Null in all other
 * processes.
 */
export function reservationsChild(): Promise<never> | null {
  const path = process.env[variable];
  if (path === undefined) return null;
  const reservations = openFileReservations(path);
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: Request) => {
    void answer(reservations, message).then((value) => process.send?.({ id: message.id, value }));
  });
  return new Promise(() => undefined);
}

async function answer(reservations: Reservations, request: Request): Promise<unknown> {
  switch (request.type) {
    case 'reserve':
      return reservations.reserve(request.ask);
    case 'settle':
      reservations.settle(...request.args);
      return null;
    case 'raise':
      await reservations.raise(...request.args);
      return null;
    default:
      return request satisfies never;
  }
}

/** A reservation log in another process, on the same file. It has only what a schedule uses. */
export interface RemoteReservations extends Pick<Reservations, 'reserve' | 'settle' | 'raise'> {
  /** Kills the process. Unanswered requests are refused, because nobody is left to make the calls. */
  readonly kill: () => void;
}

export function forkReservations(path: string): RemoteReservations {
  let child: ChildProcess | null = null;
  let last = 0;
  const waiting = new Map<number, (value: unknown) => void>();
  const start = (): ChildProcess => {
    const made = fork('tests/faults/reservations-child.mjs', {
      env: { ...process.env, [variable]: path, NODE_OPTIONS: '--no-warnings' },
    });
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
    // The other process implements the same interface, so its answers have the promised types.
    reserve: async (ask) => (await call({ type: 'reserve', ask })) as Awaited<ReturnType<Reservations['reserve']>>,
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
