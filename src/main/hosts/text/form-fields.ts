import type { FormField, FormValue, FormValues, ServerForm } from '@shared/tools/server-form.ts';
import { fieldProblem } from '@shared/tools/server-form.ts';
import { seenWords } from '@shared/text/seen-text.ts';

/** A field on one line: its name in the server's words, what it accepts in Dewpoint's. */
export function fieldText(field: FormField): string {
  const { title, description, isRequired } = field;
  const about = description === '' || description === title ? '' : `: ${description}`;
  return `${title} (${takes(field)}${isRequired ? '' : ', optional'})${about}`;
}

/** What is chosen in each list of a form before anybody fills it in. */
export function presetTitles(form: ServerForm): readonly string[] {
  return form.flatMap((field) =>
    field.type === 'one-of'
      ? field.choices.filter(({ value }) => value === field.preset).map(({ title }) => title)
      : [],
  );
}

function takes(field: FormField): string {
  switch (field.type) {
    case 'text':
      return field.format ?? 'text';
    case 'number':
      return field.isWhole ? 'whole number' : 'number';
    case 'yes-no':
      return 'yes or no';
    case 'one-of':
      return `one of ${choiceWords(field)}`;
    case 'some-of':
      return `some of ${choiceWords(field)}, with commas between`;
    default:
      return field satisfies never;
  }
}

function choiceWords({ choices }: Extract<FormField, { choices: unknown }>): string {
  return choices.map(({ value, title }) => (title === value ? value : `${value} (${title})`)).join(', ');
}

type Ask = (question: string) => Promise<string>;

/** Asks for each field, and again after an invalid answer. Enter takes the value in [ ], or leaves the field out. */
export async function askFields(form: ServerForm, ask: Ask, tell: (text: string) => void): Promise<FormValues> {
  const values: Record<string, FormValue> = {};
  for (const field of form) {
    const value = await askField(field, ask, tell);
    if (value !== null) values[field.name] = value;
  }
  return values;
}

async function askField(field: FormField, ask: Ask, tell: (text: string) => void): Promise<FormValue | null> {
  const preset = field.preset === null ? '' : ` [${seenWords(typedAs(field.preset))}]`;
  for (;;) {
    const typed = await ask(`  ${seenWords(fieldText(field))}${preset}: `);
    const value = typed.trim() === '' ? field.preset : readTyped(field, typed.trim());
    if (value === null && !field.isRequired) return null;
    const problem = value === null ? 'needs a value' : fieldProblem(field, value);
    if (problem === null) return value;
    tell(`${seenWords(field.title)} ${problem}.\n`);
  }
}

function typedAs(value: FormValue): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

/** Input that does not parse as the kind of the field stays text, which is then refused. */
function readTyped(field: FormField, typed: string): FormValue {
  const word = typed.toLowerCase();
  if (field.type === 'number') return Number.isFinite(Number(typed)) ? Number(typed) : typed;
  if (field.type === 'yes-no')
    return ['y', 'yes', 'true'].includes(word) || (['n', 'no', 'false'].includes(word) ? false : typed);
  if (field.type === 'some-of') return typed.split(',').map((one) => one.trim());
  return typed;
}
