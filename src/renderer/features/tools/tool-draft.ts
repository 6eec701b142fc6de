import type { OwnToolCheck } from '@shared/tools/own-tool.ts';
import { jsonIn } from '@shared/text/json-in.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';

/** A tool being written. `text` is what will be saved. */
export interface ToolDraft {
  readonly file: string;
  readonly text: string;
  /** Hash of the bytes to replace; null: a new file. */
  readonly replaces: string | null;
  /** Null: the user's own tool, for all projects. */
  readonly projectPath: string | null;
  /** What the text says of the tool, and what is wrong with it. Null: it has not been read yet. */
  readonly check: OwnToolCheck | null;
}

export const draftOf = (
  { file, text }: Pick<ToolDraft, 'file' | 'text'>,
  { replaces, projectPath }: Pick<ToolDraft, 'replaces' | 'projectPath'>,
): ToolDraft => ({ file, text, replaces, projectPath, check: null });

/** Example arguments as JSON: the schema's examples, otherwise a value of the right type. */
export function exampleInput(schema: Readonly<Record<string, unknown>>): string {
  const { properties, required } = schema;
  const values = Object.entries(isRecord(properties) ? properties : {})
    .filter(([name]) => Array.isArray(required) && required.includes(name))
    .map(([name, value]) => [name, exampleOf(isRecord(value) ? value : {})]);
  return JSON.stringify(Object.fromEntries(values), null, 2);
}

function exampleOf(value: Readonly<Record<string, unknown>>): unknown {
  const [example] = Array.isArray(value.examples) ? value.examples : [];
  const [choice] = Array.isArray(value.enum) ? value.enum : [];
  const given: unknown = example ?? value.default ?? choice;
  if (given !== undefined) return given;
  if (value.type === 'boolean') return true;
  if (value.type === 'number' || value.type === 'integer') return typeof value.minimum === 'number' ? value.minimum : 1;
  if (value.type === 'array') return [];
  return value.type === 'object' ? {} : '';
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
