import type { EventOf } from '@shared/events/events.ts';
import type { FormField, FormValues } from '@shared/tools/server-form.ts';

type Question = Pick<EventOf<'approval-requested'>, 'form' | 'text'>;

/** `values` without an entry: the question waits, and so does the turn. */
interface AgentReply {
  readonly answer: 'allow';
  readonly values: FormValues;
}

/** What to type at a question of the agent. */
export function howToReply(question: Question): string {
  return choicesOf(question).length === 0 ? 'Type your answer.' : 'Type a number, or an answer of your own.';
}

/** The question of the agent in its own words, with its choices by number. */
export function agentQuestionText(question: Question): string {
  return [question.text ?? '', ...choicesOf(question).map(({ title }, at) => `  ${at + 1}. ${title}`)].join('\n');
}

/** What was typed, as an answer: the number of a choice, or words. */
export function agentReply(said: string, question: Question): AgentReply {
  const own = said.trim();
  const choice = /^\d{1,2}$/u.test(own) ? choicesOf(question)[Number(own) - 1] : undefined;
  if (own === '') return { answer: 'allow', values: {} };
  return { answer: 'allow', values: choice === undefined ? { own } : { choice: choice.value } };
}

function choicesOf({ form = [] }: Question): Extract<FormField, { type: 'one-of' }>['choices'] {
  return form.flatMap((field) => (field.type === 'one-of' ? field.choices : []));
}
