import type { Exchange } from '../prompt/conversation.ts';
import { isQuestion, politely } from '@shared/text/task-kind.ts';

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
 * What a text asks for that only points back: "Try again" is the task before it, "Do it again, but in French" that and
 * what is new. "Continue" goes on with work; after an answer it is left to the conversation. Every other text is itself.
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
