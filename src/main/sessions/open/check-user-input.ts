import { AppError } from '@shared/errors.ts';
import type { Journal } from '../journal/journal.ts';

const MAX_TASK_CHARACTERS = 1_048_576;

/** Throws `bad-input` for a message that says nothing, or too much. */
export function checkTaskText(text: string): void {
  if (text.trim() === '')
    throw new AppError('bad-input', 'The task is empty.', { hint: 'Describe what you would like done.' });
  if (text.length > MAX_TASK_CHARACTERS) {
    throw new AppError('bad-input', `The task has ${text.length} characters. The limit is ${MAX_TASK_CHARACTERS}.`);
  }
}

/** Keeps the steps of a plan as a person wants them. Rejects with `not-found` for a turn that made none. */
export async function editPlan(
  journal: Pick<Journal, 'state' | 'append'>,
  planTurnId: string,
  steps: readonly string[],
): Promise<void> {
  const turn = journal.state().turns.find(({ id }) => id === planTurnId);
  if (turn?.reason !== 'planned') throw new AppError('not-found', 'This turn did not make a plan.');
  await journal.append({ type: 'plan-edited', planTurnId, steps: [...steps] });
}
