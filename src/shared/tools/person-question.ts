import type { FormField, ServerForm } from './server-form.ts';

/** A question of the agent as its form shows it. */
interface OpenQuestion {
  readonly text?: string | undefined;
  readonly form?: ServerForm | undefined;
}

type Choices = Extract<FormField, { type: 'one-of' }>['choices'];

/** The answers that a question of the agent offers, in the order of their numbers. */
export function offeredChoices({ form = [] }: OpenQuestion): Choices {
  return form.flatMap((field) => (field.type === 'one-of' ? field.choices : []));
}

/** What the agent suggests. Null: nothing. */
export function suggestedAnswer({ form = [] }: OpenQuestion): string | null {
  return form.map(({ preset }) => preset).find((one): one is string => typeof one === 'string') ?? null;
}

/** A question in words. `choices`: each on one line, none twice, so that a number means one of them. */
export function questionInWords(question: string, choices: readonly string[], suggested: string | null): string {
  const numbered = choices.map((choice, at) => `${at + 1}. ${choice}${choice === suggested ? ' (suggested)' : ''}`);
  const other = suggested === null || choices.includes(suggested) ? [] : [`Suggested: ${suggested}`];
  return [question, ...numbered, ...other].join('\n');
}

/** What the model reads as the result of a question that nobody has answered yet. */
export function waitingResultText(asked: string): string {
  return `Not answered yet. The next message of the user answers it. They were asked:\n${asked}`;
}

/** The question that a form shows, in words. */
export function openQuestionInWords(question: OpenQuestion): string {
  const choices = offeredChoices(question).map(({ value }) => value);
  return questionInWords(question.text ?? '', choices, suggestedAnswer(question));
}
