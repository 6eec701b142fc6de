import { z } from 'zod';
import { isRecord } from '@shared/unknown-value.ts';

const words = z.string().max(2_000);
const choicesSchema = z
  .array(z.object({ value: words, title: words }))
  .min(1)
  .max(200);
const common = { name: z.string().min(1).max(200), title: words, description: words, isRequired: z.boolean() };

/** One field of a server's form. All its words are the server's. */
const formFieldSchema = z.discriminatedUnion('type', [
  z.object({
    ...common,
    type: z.literal('text'),
    format: z.enum(['email', 'uri', 'date', 'date-time']).nullable(),
    least: z.number().nullable(),
    most: z.number().nullable(),
    preset: z.string().nullable(),
  }),
  z.object({
    ...common,
    type: z.literal('number'),
    isWhole: z.boolean(),
    least: z.number().nullable(),
    most: z.number().nullable(),
    preset: z.number().nullable(),
  }),
  z.object({ ...common, type: z.literal('yes-no'), preset: z.boolean().nullable() }),
  z.object({ ...common, type: z.literal('one-of'), choices: choicesSchema, preset: z.string().nullable() }),
  z.object({
    ...common,
    type: z.literal('some-of'),
    choices: choicesSchema,
    least: z.number().nullable(),
    most: z.number().nullable(),
    preset: z.array(z.string()).nullable(),
  }),
]);
export type FormField = z.infer<typeof formFieldSchema>;

/** A tool server's form, as the log holds it and as it is shown. */
export const serverFormSchema = z.array(formFieldSchema).max(50);
export type ServerForm = z.infer<typeof serverFormSchema>;

export const formValueSchema = z.union([z.string().max(20_000), z.number(), z.boolean(), z.array(words).max(200)]);
export type FormValue = z.infer<typeof formValueSchema>;
export const formValuesSchema = z.record(z.string(), formValueSchema);
export type FormValues = z.infer<typeof formValuesSchema>;

/** A form that can be shown, or the reason why it cannot. */
export type ReadForm =
  | { readonly type: 'form'; readonly form: ServerForm }
  | { readonly type: 'unfit'; readonly why: string };

/** Words for secrets, which nobody should type into a stranger's form. */
const secretWords =
  /pass(?:word|phrase|code)|passwd|secret|credential|\b(?:api|access|private|secret) ?key\b|\b(?:token|pin|cvv|cvc|otp)\b|card ?number/iu;

function asksForSecret(name: string, { title, format }: Readonly<Record<string, unknown>>): boolean {
  const words = `${name} ${textOr(title, '')}`.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/[_-]+/gu, ' ');
  return format === 'password' || secretWords.test(words);
}

/**
 * The form in a server's schema: one level of texts, numbers, yes or no, and choices, which is all that the protocol
 * allows. A form that asks for a password or a key is not shown, because the protocol has links for that.
 */
export function readServerForm(schema: unknown): ReadForm {
  const properties = isRecord(schema) ? schema.properties : undefined;
  if (!isRecord(properties)) return { type: 'unfit', why: 'it has no fields' };
  const required: readonly unknown[] = isRecord(schema) && Array.isArray(schema.required) ? schema.required : [];
  const fields: FormField[] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (isRecord(property) && asksForSecret(name, property))
      return { type: 'unfit', why: 'it asks for a password or a key, and forms of servers never get one' };
    const field = isRecord(property) ? fieldOf(name, property, required.includes(name)) : null;
    if (field === null) return { type: 'unfit', why: `its field ${name.slice(0, 100)} is of a kind that is not known` };
    fields.push(field);
  }
  const parsed = serverFormSchema.safeParse(fields);
  return parsed.success ? { type: 'form', form: parsed.data } : { type: 'unfit', why: 'it is too long' };
}

type Property = Readonly<Record<string, unknown>>;

function fieldOf(name: string, property: Property, isRequired: boolean): FormField | null {
  const { type, title, description } = property;
  const known = { name, title: textOr(title, name), description: textOr(description, ''), isRequired };
  const preset = property.default;
  if (type === 'boolean') return { ...known, type: 'yes-no', preset: typeof preset === 'boolean' ? preset : null };
  if (type === 'number' || type === 'integer') {
    const range = { least: numberOr(property.minimum), most: numberOr(property.maximum) };
    return { ...known, type: 'number', isWhole: type === 'integer', ...range, preset: numberOr(preset) };
  }
  if (type === 'array') return listField(known, property);
  if (type !== 'string') return null;
  const choices = choicesOf(property);
  const text = typeof preset === 'string' ? preset : null;
  if (choices !== null) return { ...known, type: 'one-of', choices, preset: text };
  const range = { least: numberOr(property.minLength), most: numberOr(property.maxLength) };
  const format = formats.find((one) => one === property.format) ?? null;
  return { ...known, type: 'text', format, ...range, preset: text };
}

const formats = ['email', 'uri', 'date', 'date-time'] as const;

function listField(
  known: Pick<FormField, 'name' | 'title' | 'description' | 'isRequired'>,
  property: Property,
): FormField | null {
  const choices = isRecord(property.items) ? choicesOf(property.items) : null;
  if (choices === null) return null;
  const range = { least: numberOr(property.minItems), most: numberOr(property.maxItems) };
  return { ...known, type: 'some-of', choices, ...range, preset: textsOr(property.default) };
}

/** The choices of `enum`, `enum` with `enumNames`, or titled `oneOf`/`anyOf`; null when the property is no choice. */
function choicesOf(property: Property): { value: string; title: string }[] | null {
  const named = Array.isArray(property.oneOf) ? property.oneOf : property.anyOf;
  if (Array.isArray(named)) {
    const choices = named.flatMap((one: unknown) =>
      isRecord(one) && typeof one.const === 'string' ? [{ value: one.const, title: textOr(one.title, one.const) }] : [],
    );
    return choices.length === 0 ? null : choices;
  }
  if (!Array.isArray(property.enum)) return null;
  const titles: readonly unknown[] = Array.isArray(property.enumNames) ? property.enumNames : [];
  const values = property.enum.filter((value: unknown): value is string => typeof value === 'string');
  return values.length === 0 ? null : values.map((value, at) => ({ value, title: textOr(titles[at], value) }));
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function numberOr(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function textsOr(value: unknown): string[] | null {
  return Array.isArray(value) && value.every((one): one is string => typeof one === 'string') ? [...value] : null;
}

/** Why an answer does not match the form, for people; null when it does. */
export function formProblem(form: ServerForm, values: FormValues): string | null {
  const unknown = Object.keys(values).find((name) => !form.some((field) => field.name === name));
  if (unknown !== undefined) return `There is no field ${unknown}.`;
  for (const field of form) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    const problem = value === undefined ? (field.isRequired ? 'needs a value' : null) : fieldProblem(field, value);
    if (problem !== null) return `${field.title} ${problem}.`;
  }
  return null;
}

/** The problem, as text after the field's title; null when the value is valid. */
export function fieldProblem(field: FormField, value: FormValue): string | null {
  switch (field.type) {
    case 'text':
      return typeof value === 'string' ? textProblem(field, value) : 'is not a text';
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'is not a number';
      if (field.isWhole && !Number.isInteger(value)) return 'is not a whole number';
      return rangeProblem(field, value, '');
    case 'yes-no':
      return typeof value === 'boolean' ? null : 'is neither yes nor no';
    case 'one-of':
      return field.choices.some((choice) => choice.value === value) ? null : 'is none of the choices';
    case 'some-of': {
      if (!Array.isArray(value)) return 'is not a list';
      const isKnown = value.every((one) => field.choices.some((choice) => choice.value === one));
      return isKnown ? rangeProblem(field, value.length, ' choices') : 'is none of the choices';
    }
    default:
      return field satisfies never;
  }
}

function textProblem(field: Extract<FormField, { type: 'text' }>, value: string): string | null {
  if (field.isRequired && value === '') return 'needs a value';
  const isFit = field.format === null || formatSchemas[field.format].safeParse(value).success;
  return isFit ? rangeProblem(field, value.length, ' characters') : `is not ${formatNames[field.format ?? 'uri']}`;
}

const formatSchemas = {
  email: z.email(),
  uri: z.url(),
  date: z.iso.date(),
  'date-time': z.iso.datetime({ offset: true }),
} as const;
const formatNames = {
  email: 'an email address',
  uri: 'a web address',
  date: 'a date, such as 2026-11-25',
  'date-time': 'a time, such as 2026-11-25T10:00:00Z',
} as const;

function rangeProblem(
  { least, most }: { readonly least: number | null; readonly most: number | null },
  value: number,
  unit: string,
): string | null {
  if (least !== null && value < least) return `needs at least ${least}${unit}`;
  return most !== null && value > most ? `may have at most ${most}${unit}` : null;
}
