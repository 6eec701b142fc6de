import type { OwnToolDeclaration } from '@shared/tools/own-tool.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { words } from './server-fields.tsx';
import { jsonIn } from '@shared/text/json-in.ts';

/** One argument of a tool in the form. `rest` keeps everything that the form has no field for. */
export interface ToolInput {
  /** A key for the list, because a new argument has no name. */
  readonly id: number;
  readonly name: string;
  /** Empty: it has no single type. */
  readonly kind: string;
  readonly about: string;
  readonly isRequired: boolean;
  readonly rest: Readonly<Record<string, unknown>>;
}

/** A tool's declaration as typed. */
export interface ToolFields {
  readonly name: string;
  readonly description: string;
  readonly inputs: readonly ToolInput[];
  readonly hosts: string;
  readonly secrets: string;
  readonly seconds: string;
  /** Set for a kept program of a session: it reaches hosts only through its calls, and runs only in a session. */
  readonly isProgram: boolean;
  /** The whole schema except its arguments. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A tool being written. `text` is what will be saved; `fields` say the same. */
export interface ToolDraft {
  readonly file: string;
  readonly text: string;
  /** Hash of the bytes to replace; null: a new file. */
  readonly replaces: string | null;
  /** Null: the user's own tool, for all projects. */
  readonly projectPath: string | null;
  /** Null: the text has not been parsed yet. */
  readonly fields: ToolFields | null;
  /** Whether the fields have changes that are not in the text yet. */
  readonly isUnsaid: boolean;
  readonly problem: string | null;
}

export const inputKinds = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;

export const draftOf = (
  { file, text }: Pick<ToolDraft, 'file' | 'text'>,
  { replaces, projectPath }: Pick<ToolDraft, 'replaces' | 'projectPath'>,
): ToolDraft => ({ file, text, replaces, projectPath, fields: null, isUnsaid: false, problem: null });

export function fieldsOf({ name, description, ...rest }: OwnToolDeclaration & { readonly name: string }): ToolFields {
  const { properties, required, ...schema } = rest.input_schema;
  const isRequired = (one: string): boolean => Array.isArray(required) && required.includes(one);
  const inputs = Object.entries(isRecord(properties) ? properties : {}).map(([key, value], id): ToolInput => {
    const { type, description: about, ...more } = isRecord(value) ? value : {};
    const kind = inputKinds.find((one) => one === type) ?? '';
    return {
      id,
      name: key,
      kind,
      about: typeof about === 'string' ? about : '',
      isRequired: isRequired(key),
      rest: kind === '' && type !== undefined ? { type, ...more } : more,
    };
  });
  return {
    name,
    description,
    inputs,
    hosts: rest.hosts.join(', '),
    secrets: rest.secrets.join(', '),
    seconds: String(rest.timeout_seconds),
    isProgram: rest.calls !== undefined,
    schema,
  };
}

/** The fields as a declaration in a file. The core checks it. */
export function declarationOf(fields: ToolFields): Record<string, unknown> {
  const inputs = fields.inputs.filter(({ name }) => name.trim() !== '');
  const properties = inputs.map(({ name, kind, about, rest }) => {
    const type = kind === '' ? {} : { type: kind };
    return [name.trim(), { ...type, ...(about.trim() === '' ? {} : { description: about.trim() }), ...rest }] as const;
  });
  const required = inputs.filter(({ isRequired }) => isRequired).map(({ name }) => name.trim());
  return {
    name: fields.name.trim(),
    description: fields.description.trim(),
    input_schema: {
      type: 'object',
      ...fields.schema,
      properties: Object.fromEntries(properties),
      ...(required.length === 0 ? {} : { required }),
    },
    hosts: words(fields.hosts),
    secrets: words(fields.secrets),
    timeout_seconds: Number(fields.seconds),
  };
}

/**
 * A new type drops everything that was true of the old one. A list states its item type, because some models require
 * it.
 */
export function withKind(input: ToolInput, kind: string): ToolInput {
  return { ...input, kind, rest: kind === 'array' ? { items: { type: 'string' } } : {} };
}

export function newInput(inputs: readonly ToolInput[]): ToolInput {
  const id = Math.max(-1, ...inputs.map((one) => one.id)) + 1;
  return { id, name: '', kind: 'string', about: '', isRequired: true, rest: {} };
}

/** Example arguments as JSON: the schema's examples, otherwise a value of the right type. */
export function exampleInput({ inputs }: ToolFields): string {
  const values = inputs
    .filter(({ name, isRequired }) => name !== '' && isRequired)
    .map((input) => [input.name, exampleOf(input)]);
  return JSON.stringify(Object.fromEntries(values), null, 2);
}

function exampleOf({ kind, rest }: ToolInput): unknown {
  const [example] = Array.isArray(rest.examples) ? rest.examples : [];
  const [choice] = Array.isArray(rest.enum) ? rest.enum : [];
  const given: unknown = example ?? rest.default ?? choice;
  if (given !== undefined) return given;
  if (kind === 'boolean') return true;
  if (kind === 'number' || kind === 'integer') return typeof rest.minimum === 'number' ? rest.minimum : 1;
  if (kind === 'array') return [];
  return kind === 'object' ? {} : '';
}

/** Saves an unsaved draft as text, and reads it back; null when it has another format. */
export function keptText({ file, text, replaces, projectPath }: ToolDraft): string {
  return JSON.stringify({ file, text, replaces, projectPath });
}

export function keptDraft(kept: string | null): ToolDraft | null {
  const read = jsonIn(kept ?? 'null');
  const [file, text] = [fieldOf(read, 'file'), fieldOf(read, 'text')];
  if (typeof file !== 'string' || typeof text !== 'string') return null;
  const textOrNull = (name: string): string | null => {
    const value = fieldOf(read, name);
    return typeof value === 'string' ? value : null;
  };
  return draftOf({ file, text }, { replaces: textOrNull('replaces'), projectPath: textOrNull('projectPath') });
}
