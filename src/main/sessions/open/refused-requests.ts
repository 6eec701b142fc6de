import { AppError } from '@shared/errors.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { Journal } from '../journal/journal.ts';

const MAX_TASK_CHARACTERS = 1_048_576;

/** Why nothing else can be done with a session at work. A question waits for you, so it is no use to wait for its end. */
export function busySession({ approvals, cap }: Pick<SessionState, 'approvals' | 'cap'>): AppError {
  return approvals.length > 0 || cap !== null
    ? new AppError('conflict', 'A turn in this session waits for your answer.', { hint: 'Answer it, or cancel it.' })
    : new AppError('conflict', 'A turn is running in this session.', { hint: 'Wait until it ends, or cancel it.' });
}

interface SessionsAtWork {
  readonly runner: (sessionId: string) => { readonly isRunning: () => boolean } | null;
  readonly openJournal: (sessionId: string) => Pick<Journal, 'state'> | null;
}

/** Throws `conflict` while a turn of the session runs. */
export function refuseAtWork({ runner, openJournal }: SessionsAtWork, sessionId: string): void {
  const journal = openJournal(sessionId);
  if (journal !== null && runner(sessionId)?.isRunning() === true) throw busySession(journal.state());
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
