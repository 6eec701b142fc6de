import { setTimeout as wait } from 'node:timers/promises';
import { ofType, type Running } from './program.ts';

/** The length of a run that nobody kills. */
export interface Whole {
  readonly milliseconds: number;
  readonly events: number;
}

/**
 * Kills at a random moment of the process's life, or soon after the acknowledgement of an event. By time alone, a
 * machine whose speed changes would kill only at the beginning or the end.
 * @param from the last event that the session had before
 */
export async function killAt(running: Running, random: () => number, whole: Whole, from = 0): Promise<void> {
  if (random() < 0.3) await wait(random() * whole.milliseconds);
  else {
    const seq = from + 1 + Math.floor(random() * whole.events);
    await until(running, () => (running.events().at(-1)?.seq ?? 0) >= seq);
    await wait(random() * 12);
  }
  running.child.kill('SIGKILL');
}

/** Kills during a command that takes longer than `withinMs`. Without such a command, kills after the process ended. */
export async function killInCommand(running: Running, random: () => number, withinMs: number): Promise<void> {
  await until(running, () => ofType(running.events(), 'tool-started').some(({ tool }) => tool === 'run_command'));
  await wait(random() * withinMs);
  running.child.kill('SIGKILL');
}

async function until(running: Running, isThere: () => boolean): Promise<void> {
  const isOver = running.ended.then(() => true);
  while (!isThere()) if (await Promise.race([isOver, wait(1, false)])) return;
}
