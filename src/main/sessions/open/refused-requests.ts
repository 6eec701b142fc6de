import { AppError } from '@shared/errors.ts';
import type { Journal } from '../journal/journal.ts';

const MAX_TASK_CHARACTERS = 1_048_576;

export function busySession(): AppError {
  return new AppError('conflict', 'A turn is running in this session.', { hint: 'Wait until it ends, or cancel it.' });
}

export function takenMessage(): AppError {
  return new AppError('conflict', 'This message does not wait any more.', {
    hint: 'The model has it. Send another message, or stop the work.',
  });
}

export function mustWait(isTaken: boolean | undefined): void {
  if (isTaken !== true) throw new AppError('not-found', 'This question no longer needs an answer.');
}

/** Throws `bad-input` for an empty message, and for one that is too long. */
export function checkTaskText(text: string): void {
  if (text.trim() === '')
    throw new AppError('bad-input', 'The task is empty.', { hint: 'Describe what you would like done.' });
  if (text.length > MAX_TASK_CHARACTERS) {
    throw new AppError('bad-input', `The task has ${text.length} characters. The limit is ${MAX_TASK_CHARACTERS}.`);
  }
}

/** Saves the steps of a plan as the user edited them. Rejects with `not-found` for a turn that made no plan. */
export async function editPlan(
  journal: Pick<Journal, 'state' | 'append'>,
  planTurnId: string,
  steps: readonly string[],
): Promise<void> {
  const turn = journal.state().turns.find(({ id }) => id === planTurnId);
  if (turn?.reason !== 'planned') throw new AppError('not-found', 'This turn did not make a plan.');
  await journal.append({ type: 'plan-edited', planTurnId, steps: [...steps] });
}
