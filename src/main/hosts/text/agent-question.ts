import type { EventOf } from '@shared/events/events.ts';
import { printable, seenWords } from '@shared/text/seen-text.ts';
import { offeredChoices, suggestedAnswer } from '@shared/tools/person-question.ts';
import { maxRefusals } from '../../safety/approvals/approval-policy.ts';
import { oneLine } from './terminal.ts';
import type { FormValues } from '@shared/tools/server-form.ts';

type Question = Pick<EventOf<'approval-requested'>, 'form' | 'text' | 'reason'>;

/** `values` without an entry: the question waits, and so does the turn. */
interface AgentReply {
  readonly answer: 'allow';
  readonly values: FormValues;
}

/** What to type at a question of the agent. */
export function howToReply(question: Question): string {
  return offeredChoices(question).length === 0 ? 'Type your answer.' : 'Type a number, or an answer of your own.';
}

/** The question of the agent in its own words, with its choices by number, its suggestion, and when that counts. */
export function agentQuestionText(question: Question): string {
  const choices = offeredChoices(question);
  const suggested = suggestedAnswer(question);
  const isChoice = choices.some(({ value }) => value === suggested);
  return [
    printable(question.text ?? ''),
    ...choices.map(
      ({ value, title }, at) => `  ${at + 1}. ${seenWords(title)}${value === suggested ? ' (suggested)' : ''}`,
    ),
    ...(suggested === null || isChoice ? [] : [`  Suggested: ${seenWords(suggested)}`]),
    ...(question.reason === undefined || question.reason === '' ? [] : [question.reason]),
  ].join('\n');
}

/** What became of a question of the agent. An answer is no permission, and leaving it open is no refusal. */
export function agentAnswerText({ answer, by, values = {} }: EventOf<'approval-answered'>): string {
  const text = [values.own, values.choice].find((one) => typeof one === 'string' && one.trim() !== '');
  const said = typeof text === 'string' ? oneLine(seenWords(text), 200) : null;
  if (said !== null && answer === 'allow')
    return by === 'person' ? `answered by you: ${said}` : `no answer, so the suggestion counts: ${said}`;
  if (by === 'person') return answer === 'allow' ? 'left open: the task waits for your answer' : 'skipped by you';
  return by === 'nobody'
    ? 'nobody answers here: the task waits for you'
    : `skipped, because you skipped ${maxRefusals} questions of this task`;
}

/** Whether a reply leaves the question for later. */
export function isLeftOpen(
  { kind }: EventOf<'approval-requested'>,
  { answer, values = {} }: { readonly answer: 'allow' | 'deny'; readonly values?: FormValues },
): boolean {
  return kind === 'question' && answer === 'allow' && Object.keys(values).length === 0;
}

/** Why what was typed cannot be the answer; null: it can. A number that counts no choice may be a slip of the finger. */
export function replyProblem(said: string, question: Question): string | null {
  const choices = offeredChoices(question);
  const own = said.trim();
  // Where the choices are numbers themselves, another number is an answer of its own.
  const isNumber = /^\d{1,3}$/u.test(own) && !choices.some(({ title }) => /^\W*\d/u.test(title));
  if (!isNumber || choices.length === 0 || choices[Number(own) - 1] !== undefined) return null;
  return `There are ${choices.length} choices, and ${own} is none of them. Type 1 to ${choices.length}, or an answer in words.`;
}

/** What was typed, as an answer: a choice in words or by number, or other words. */
export function agentReply(said: string, question: Question): AgentReply {
  const own = said.trim();
  const choices = offeredChoices(question);
  const choice =
    choices.find(({ title }) => title === own) ??
    choices.find(({ title }) => title.toLowerCase() === own.toLowerCase()) ??
    (/^\d{1,3}$/u.test(own) ? choices[Number(own) - 1] : undefined);
  if (own === '') return { answer: 'allow', values: {} };
  return { answer: 'allow', values: choice === undefined ? { own } : { choice: choice.value } };
}
