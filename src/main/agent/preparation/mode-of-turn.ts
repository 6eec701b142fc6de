import type { SessionState } from '@shared/session/session-state.ts';
import { isQuestion } from '@shared/text/task-kind.ts';
import { modeOfText, needsNoProject } from '@shared/text/task-mode.ts';
import type { TurnOptions } from '../turn/agent-dependencies.ts';
import type { TurnMode } from '../turn/turn.ts';

type Asked = Pick<TurnOptions, 'mode' | 'strategy' | 'check' | 'assistant'>;

export interface ModeChoice {
  readonly isQuestion: (task: string) => boolean;
  /** Null: the turn is of a log from before there was a choice, and goes by the words alone. */
  readonly mode: (task: string) => TurnMode | null;
}

/**
 * What the messages of a session are taken for, by what was chosen, their words, and whether there are files they could
 * be about. A pure function of the log, so that a replay decides the same.
 */
export function choiceOf(
  { projectPath, changes }: Pick<SessionState, 'projectPath' | 'changes'>,
  asked: Asked,
  conduct?: number,
): ModeChoice {
  const { mode: wanted } = asked;
  const isPosed = (task: string): boolean => isQuestion(task, conduct);
  if (wanted === undefined) return { isQuestion: isPosed, mode: () => null };
  // Who names a way of driving the model, or a check, wants work done.
  const isPlain = asked.strategy === 'auto' && asked.check === null;
  const hasFiles = projectPath !== null || changes.length > 0 || !isPlain;
  // Without tools there is nothing to do but to answer.
  const hasTools = asked.assistant?.tools !== 'off';
  const mode = (task: string): TurnMode => {
    if (!hasTools) return 'chat';
    const taken = wanted === 'auto' ? modeOfText(task, { hasFiles, conduct }) : wanted;
    return taken === 'ask' && isPlain && (!hasFiles || needsNoProject(task)) ? 'chat' : taken;
  };
  const asks = (task: string): boolean => {
    const taken = mode(task);
    return taken === 'plan' ? isPosed(task) : taken !== 'work';
  };
  return { isQuestion: asks, mode };
}
