import { orNoted } from '../log.ts';

/** Undoes one step, and touches nothing that the step did not do. */
export type WayBack = () => Promise<unknown>;

export const nothingToUndo: WayBack = async () => undefined;

/**
 * Does one step after the other. If one fails, those before it are taken back, the last first. Returns what takes all of
 * them back.
 */
export async function allOrNone(steps: readonly (() => Promise<WayBack>)[]): Promise<WayBack> {
  const done: WayBack[] = [];
  const takeBack: WayBack = async () => {
    for (const back of done.toReversed()) await back().catch(orNoted('A step was not taken back', undefined));
  };
  try {
    for (const step of steps) done.push(await step());
    return takeBack;
  } catch (error) {
    await takeBack();
    throw error;
  }
}
