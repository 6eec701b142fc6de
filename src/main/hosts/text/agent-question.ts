import type { EventOf } from '@shared/events/events.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { maxRefusals } from '../../safety/approvals/approval-policy.ts';
import { oneLine } from './terminal.ts';
import type { FormField, FormValues } from '@shared/tools/server-form.ts';

type Question = Pick<EventOf<'approval-requested'>, 'form' | 'text' | 'reason'>;

/** `values` without an entry: the question waits, and so does the turn. */
interface AgentReply {
  readonly answer: 'allow';
  readonly values: FormValues;
}

/** What to type at a question of the agent. */
export function howToReply(question: Question): string {
  return choicesOf(question).length === 0 ? 'Type your answer.' : 'Type a number, or an answer of your own.';
}

/** The question of the agent in its own words, with its choices by number, its suggestion, and when that counts. */
export function agentQuestionText(question: Question): string {
  const choices = choicesOf(question);
  const suggested = suggestionOf(question.form);
  const isChoice = choices.some(({ value }) => value === suggested);
  return [
    question.text ?? '',
    ...choices.map(({ value, title }, at) => `  ${at + 1}. ${title}${value === suggested ? ' (suggested)' : ''}`),
    ...(suggested === null || isChoice ? [] : [`  Suggested: ${suggested}`]),
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

/** What was typed, as an answer: a choice in words or by number, or other words. */
export function agentReply(said: string, question: Question): AgentReply {
  const own = said.trim();
  const choices = choicesOf(question);
  const choice =
    choices.find(({ title }) => title.toLowerCase() === own.toLowerCase()) ??
    (/^\d{1,2}$/u.test(own) ? choices[Number(own) - 1] : undefined);
  if (own === '') return { answer: 'allow', values: {} };
  return { answer: 'allow', values: choice === undefined ? { own } : { choice: choice.value } };
}

/** What the agent suggests. Null: nothing. */
function suggestionOf(form: Question['form'] = []): string | null {
  return form.map(({ preset }) => preset).find((one): one is string => typeof one === 'string') ?? null;
}

function choicesOf({ form = [] }: Question): Extract<FormField, { type: 'one-of' }>['choices'] {
  return form.flatMap((field) => (field.type === 'one-of' ? field.choices : []));
}
