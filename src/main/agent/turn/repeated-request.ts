import type { Exchange } from '../../recipes/conversation-entries.ts';
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
