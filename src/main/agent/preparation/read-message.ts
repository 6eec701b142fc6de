import { asksForChange, callsOff, goesOn, isQuestion, isSmallTalk, politely } from '@shared/text/task-kind.ts';
import { modeOfText, needsNoProject } from '@shared/text/task-mode.ts';
import { shownTurns } from '@shared/session/restore-state.ts';
import { waitingTurn } from '@shared/session/waiting-turn.ts';
import type { SessionState, TurnState } from '@shared/session/session-state.ts';
import type { Exchange } from '../../recipes/conversation-entries.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';
import type { AnsweredTurn, Turn, TurnMode } from '../turn/turn.ts';

/** What a message asks for. */
export type ReadMessage = Pick<Turn, 'task' | 'options'> & {
  readonly given: Pick<Turn['given'], 'isQuestion' | 'mode' | 'answers'>;
};

/**
 * Reads a message, as a pure function of the log, so that a replay reads it the same. One that answers the question of
 * an earlier turn inherits its task. `exchanges`: what a text like "try again" may point back to.
 */
export function readMessage(
  state: SessionState,
  { text, options }: { readonly text: string; readonly options: TurnOptions },
  exchanges: readonly Exchange[],
): ReadMessage {
  const answers = answeredTurn(state, text, options.mode);
  if (answers !== null) {
    const inherited = { ...options, ...(answers.mode === null ? {} : { mode: answers.mode }) };
    const { isQuestion: asks, mode } = choiceOf(state, inherited);
    const given = { isQuestion: asks(answers.first), mode: mode(answers.first), answers };
    return { task: answers.task, options: inherited, given };
  }
  const choice = choiceOf(state, options);
  const task = resolveRepeatedRequest(text, exchanges, choice.isQuestion);
  return { task, options, given: { isQuestion: choice.isQuestion(task), mode: choice.mode(task), answers } };
}

type Known = Pick<SessionState, 'turns' | 'messages' | 'steps' | 'restores'>;

/**
 * The turn that a message answers, as a pure function of the log. Null: the message is a task of its own. That is so if
 * no turn waits, if the message asks something back, or if the person chose another mode for it. After an answer that
 * was stopped, by the person, a limit or a failure, the next message goes on with it.
 */
function answeredTurn(state: Known, text: string, wanted: TurnOptions['mode']): AnsweredTurn | null {
  const turn = waitingTurn(state);
  const mode = turn === null || turn.mode === undefined || turn.mode === 'chat' ? null : turn.mode;
  if (turn === null || asksBack(text)) return null;
  if (wanted !== 'auto' && wanted !== mode) return null;
  const said = taskMessages(state, turn);
  return {
    turnId: turn.id,
    first: said[0] ?? text,
    task: [...said, text].join('\n'),
    isOff: callsOff(text),
    // "Switzerland. And add it to total()." answers a question, and orders work.
    mode: mode === 'ask' && asksForChange(text) ? 'work' : mode,
    before: turn.before,
    model: lastModel(state, turn),
  };
}

/** "Which is faster?" wants an answer, and is none. "Can you take the second?" goes on with the task. */
function asksBack(text: string): boolean {
  return /[?？]["'”»)]{0,4}$/u.test(text.trimEnd()) && isQuestion(text);
}

/** The model that asked, or that worked on the answer since. */
function lastModel({ turns, steps }: Pick<Known, 'turns' | 'steps'>, turn: TurnState): string | null {
  const model = steps.findLast(({ turnId }) => turnId === turn.id)?.stage.model;
  const before = turn.answers === undefined ? undefined : turns.find(({ id }) => id === turn.answers);
  return model ?? (before === undefined ? null : lastModel({ turns, steps }, before));
}

/** The messages of a task whose turns asked and were answered, the oldest first. */
function taskMessages({ turns, messages }: Pick<Known, 'turns' | 'messages'>, turn: TurnState): readonly string[] {
  const own = messages.find(({ messageId }) => messageId === turn.messageId)?.text ?? '';
  const before = turn.answers === undefined ? undefined : turns.find(({ id }) => id === turn.answers);
  return before === undefined ? [own] : [...taskMessages({ turns, messages }, before), own];
}

type Asked = Pick<TurnOptions, 'mode' | 'strategy' | 'check' | 'assistant' | 'hasKnowledge'>;

interface ModeChoice {
  readonly isQuestion: (task: string) => boolean;
  readonly mode: (task: string) => TurnMode;
}

/**
 * Decides the mode of a session's messages from the chosen mode, their words, and whether there are files they could be
 * about. A pure function of the log, so that a replay decides the same.
 */
function choiceOf(
  { projectPath, changes, turns, restores = [] }: Pick<SessionState, 'projectPath' | 'changes' | 'turns' | 'restores'>,
  asked: Asked,
): ModeChoice {
  const { mode: wanted } = asked;
  // A user who names a strategy or a check wants work done.
  const isPlain = asked.strategy === 'auto' && asked.check === null;
  const hasFiles = projectPath !== null || changes.length > 0 || !isPlain;
  // Without tools, the agent can only answer.
  const hasTools = asked.assistant?.tools !== 'off';
  // "Who wrote the handbook?" is general by its words, and the knowledge of a project may say it.
  const isTalk = (task: string): boolean =>
    !hasFiles || (asked.hasKnowledge === true ? isSmallTalk(task) : needsNoProject(task));
  const mode = (task: string): TurnMode => {
    if (!hasTools) return 'chat';
    const taken =
      wanted === 'auto' ? (keptMode(shownTurns({ turns, restores }), task) ?? modeOfText(task, hasFiles)) : wanted;
    return taken === 'ask' && isPlain && isTalk(task) ? 'chat' : taken;
  };
  const asks = (task: string): boolean => {
    const taken = mode(task);
    return taken === 'plan' ? isQuestion(task) : taken !== 'work';
  };
  return { isQuestion: asks, mode };
}

/** "Continue" after a question goes on with the question. Null: the words of the message decide. */
function keptMode(turns: readonly TurnState[], text: string): 'ask' | null {
  const last = turns.at(-1)?.mode;
  return goesOn(text) && (last === 'ask' || last === 'chat') ? 'ask' : null;
}

const repeatPattern = String.raw`(?:(?:try|do|run)\s+(?:it|that|this)\s+(?:again|once more|one more time)|try again|again|once more|once again|one more time|retry|redo(?: it| that)?|(?:versuch(?:e)? es )?(?:noch ?mal|noch einmal)|encore une fois|otra vez|再试一次|再来一次)`;
const onward = String.raw`(?:(?:continue|go on|keep going|carry on)(?: from here)?|(?:mach(?:e)? )?weiter|继续)`;
const end = String.raw`(?:\s+please)?[\s.!。！]*$`;
const plainRepeat = new RegExp(`${politely}${repeatPattern}${end}`, 'iu');
const plainOnward = new RegExp(`${politely}${onward}${end}`, 'iu');
const repeatWithAddition = new RegExp(
  String.raw`${politely}${repeatPattern}[\s,:;-]+((?:but|only|just|with|without|this time|for|in|using|aber|diesmal)\b[\s\S]+)$`,
  'iu',
);

/**
 * Resolves a text that only points back. "Try again" becomes the previous task; "Do it again, but in French" becomes
 * that task and the addition. "Continue" becomes the previous task if it was work; after an answer it stays as it is.
 * Every other text is returned unchanged.
 */
export function resolveRepeatedRequest(
  text: string,
  exchanges: readonly Exchange[],
  isAnswered: (task: string) => boolean = isQuestion,
): string {
  const last = exchanges.at(-1);
  if (last === undefined) return text;
  const before = (): string => resolveRepeatedRequest(last.asked, exchanges.slice(0, -1), isAnswered);
  if (plainRepeat.test(text)) return before();
  if (plainOnward.test(text)) return isAnswered(before()) ? text : before();
  const more = repeatWithAddition.exec(text)?.[1];
  return more === undefined ? text : `${before()}\n${more}`;
}
