import { isDeepStrictEqual } from 'node:util';
import { chosenOptions } from '@shared/session/chosen-options.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { CoreClient } from '../../server/local-socket.ts';

/** What was chosen for a session before, and what is now. */
export interface ChosenInTask {
  readonly sessionId: string;
  readonly before: RunOptions;
  readonly now: RunOptions;
}

/** Hands a choice to the task that runs. Returns from when on it counts, for the user; null: nothing was chosen. */
export async function chooseInTask(core: CoreClient, { sessionId, ...both }: ChosenInTask): Promise<string | null> {
  const [before, chosen] = [chosenOptions(both.before), chosenOptions(both.now)];
  if (isDeepStrictEqual(before, chosen)) return null;
  await core.sessions.choose({ sessionId, chosen });
  return isDeepStrictEqual({ ...before, mode: null }, { ...chosen, mode: null })
    ? 'The mode counts from the next message on: a task keeps the mode that it began with.'
    : 'This takes effect at the next step of the task.';
}
