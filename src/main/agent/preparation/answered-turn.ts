import { asksForChange, callsOff, isQuestion } from '@shared/text/task-kind.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import { waitingTurn } from '@shared/session/waiting-turn.ts';
import type { CheckResult, SessionState, TurnState } from '@shared/session/session-state.ts';

/** The turn that waits for the person. A message that answers its question goes on with its task. */
export interface AnsweredTurn {
  readonly turnId: string;
  /** The task as it was first given: it decides what kind of work this is, not the words of the answer. */
  readonly first: string;
  /** That task, and every answer since, the newest last. */
  readonly task: string;
  /** The answer calls the task off. */
  readonly isOff: boolean;
  readonly mode: TaskMode | null;
  readonly plan: boolean;
  /** The check before the work began; null: none ran. */
  readonly before: CheckResult | null;
  /** The model that asked; null: not known any more. */
  readonly model: string | null;
}

type Known = Pick<SessionState, 'turns' | 'messages' | 'steps'>;

/**
 * The turn that a message answers, as a pure function of the log. Null: the message is a task of its own. That is so if
 * no turn waits, if the message asks something back, or if the person chose another mode for it. After an answer that
 * was stopped, by the person, a limit or a failure, the next message goes on with it.
 */
export function answeredTurn(state: Known, text: string, wanted: TaskMode | 'auto' | undefined): AnsweredTurn | null {
  const turn = waitingTurn(state.turns);
  const mode = turn === null || turn.mode === undefined || turn.mode === 'chat' ? null : turn.mode;
  if (turn === null || asksBack(text)) return null;
  if (wanted !== undefined && wanted !== 'auto' && wanted !== mode) return null;
  const said = taskMessages(state, turn);
  return {
    turnId: turn.id,
    first: said[0] ?? text,
    task: [...said, text].join('\n'),
    isOff: callsOff(text),
    // "Switzerland. And add it to total()." answers a question, and orders work.
    mode: mode === 'ask' && asksForChange(text) ? 'work' : mode,
    plan: turn.plan,
    before: turn.before,
    model: lastModel(state, turn),
  };
}

/** "Which is faster?" wants an answer, and is none. "Can you take the second?" goes on with the task. */
function asksBack(text: string): boolean {
  return /[?？]["'”»)]{0,4}$/u.test(text.trimEnd()) && isQuestion(text);
}

/** The model that asked, or that worked on the answer since. */
function lastModel({ turns, steps }: Known, turn: TurnState): string | null {
  const model = steps.findLast(({ turnId }) => turnId === turn.id)?.stage.model;
  const before = turn.answers === undefined ? undefined : turns.find(({ id }) => id === turn.answers);
  return model ?? (before === undefined ? null : lastModel({ turns, steps, messages: [] }, before));
}

/** The messages of a task whose turns asked and were answered, the oldest first. */
function taskMessages({ turns, messages }: Known, turn: TurnState): readonly string[] {
  const own = messages.find(({ messageId }) => messageId === turn.messageId)?.text ?? '';
  const before = turn.answers === undefined ? undefined : turns.find(({ id }) => id === turn.answers);
  return before === undefined ? [own] : [...taskMessages({ turns, messages, steps: [] }, before), own];
}
