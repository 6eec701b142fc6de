import type { SessionState } from '@shared/session/session-state.ts';
import { goesOn, isQuestion } from '@shared/text/task-kind.ts';
import { modeOfText, needsNoProject } from '@shared/text/task-mode.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';
import type { TurnMode } from '../turn/turn.ts';

type Asked = Pick<TurnOptions, 'mode' | 'strategy' | 'check' | 'assistant'>;

export interface ModeChoice {
  readonly isQuestion: (task: string) => boolean;
  /** Null: the log is from before modes existed, and the words alone decide. */
  readonly mode: (task: string) => TurnMode | null;
}

/**
 * Decides the mode of a session's messages from the chosen mode, their words, and whether there are files they could be
 * about. A pure function of the log, so that a replay decides the same.
 */
export function choiceOf(
  { projectPath, changes, turns }: Pick<SessionState, 'projectPath' | 'changes' | 'turns'>,
  asked: Asked,
): ModeChoice {
  const { mode: wanted } = asked;
  if (wanted === undefined) return { isQuestion, mode: () => null };
  // A user who names a strategy or a check wants work done.
  const isPlain = asked.strategy === 'auto' && asked.check === null;
  const hasFiles = projectPath !== null || changes.length > 0 || !isPlain;
  // Without tools, the agent can only answer.
  const hasTools = asked.assistant?.tools !== 'off';
  const mode = (task: string): TurnMode => {
    if (!hasTools) return 'chat';
    const taken = wanted === 'auto' ? (keptMode(turns, task) ?? modeOfText(task, hasFiles)) : wanted;
    return taken === 'ask' && isPlain && (!hasFiles || needsNoProject(task)) ? 'chat' : taken;
  };
  const asks = (task: string): boolean => {
    const taken = mode(task);
    return taken === 'plan' ? isQuestion(task) : taken !== 'work';
  };
  return { isQuestion: asks, mode };
}

/** "Continue" after a question goes on with the question. Null: the words of the message decide. */
function keptMode(turns: SessionState['turns'], text: string): 'ask' | null {
  const last = turns.at(-1)?.mode;
  return goesOn(text) && (last === 'ask' || last === 'chat') ? 'ask' : null;
}
