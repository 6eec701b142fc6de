import { jsonrepair } from 'jsonrepair';
import { z } from 'zod';
import { isRecord } from '@shared/unknown-value.ts';
import type { Tool } from '../../tools/define.ts';
import { isRawInput } from '../../tools/define.ts';

/** A JSON value and the repairs that were needed to read it. */
export type ReadJson =
  | { readonly ok: true; readonly value: unknown; readonly repairs: readonly string[] }
  | { readonly ok: false };

/** Longer texts are not repaired. Repairing is slow, because it copies its output at every repaired place. */
const mostRepaired = 100_000;

/**
 * Parses strictly first, then with repairs, which are reported. Do not pass text that was cut off. A repair may change
 * only the form: if it would produce text that was not written, reading fails, because the intent is unknown.
 */
export function readJson(text: string): ReadJson {
  try {
    return { ok: true, value: JSON.parse(text), repairs: [] };
  } catch {
    // Models write single quotes, trailing commas, comments and raw line breaks. The repair below reads these.
  }
  if (text.length > mostRepaired) return { ok: false };
  try {
    const value: unknown = JSON.parse(jsonrepair(text));
    return isAsWritten(value, [text, unescaped(text)])
      ? { ok: true, value, repairs: ['the JSON was repaired'] }
      : { ok: false };
  } catch {
    // Not even a repair can read it.
    return { ok: false };
  }
}

function isAsWritten(value: unknown, written: readonly string[]): boolean {
  if (typeof value === 'string') return written.some((text) => text.includes(value));
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((inner) => isAsWritten(inner, written));
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([\da-fA-F]{4})|(["'\\/bfnrt]))/gu, (_all, code?: string, letter = '') =>
    code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Whether the brackets and double-quoted strings of a JSON text are closed; false for a text that was cut off. */
export function isClosedJson(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
  }
  return depth <= 0 && !inString;
}

/** Other names that models use for our arguments. Used only if ours is missing and the schema has it. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  path: ['file', 'filename', 'file_path', 'filepath', 'file_name', 'filePath'],
  old: ['old_text', 'oldText', 'old_string', 'old_str', 'search', 'find'],
  new: ['new_text', 'newText', 'new_string', 'new_str', 'replace', 'replacement'],
  content: ['text', 'contents', 'body'],
  command: ['cmd', 'shell'],
  pattern: ['query', 'regex'],
  words: ['query', 'question', 'text'],
  line: ['text', 'note'],
  name: ['symbol'],
  summary: ['message', 'result', 'text'],
  patch: ['diff', 'input'],
};

export type FitResult =
  | {
      readonly ok: true;
      readonly input: unknown;
      readonly repairs: readonly string[];
      readonly corrections: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

/** Fits an input to its tool. A connected tool gets what was written: nothing is renamed or converted for it. */
export function fitInput(value: unknown, input: Tool['input']): FitResult {
  if (!isRawInput(input)) return fitArguments(value, input);
  const problem = input.check(value);
  return problem === null ? { ok: true, input: value, repairs: [], corrections: [] } : { ok: false, problem };
}

/**
 * Parses an input by a tool's schema. If that fails, tries once more with corrected names and simple types. Nothing is
 * filled in.
 */
export function fitArguments(value: unknown, schema: z.ZodType): FitResult {
  const strict = schema.safeParse(value);
  if (strict.success) return { ok: true, input: strict.data, repairs: [], corrections: [] };
  if (!isRecord(value)) return { ok: false, problem: describe(strict.error) };
  const repairs: string[] = [];
  const renamed = rename(value, missingKeys(strict.error), repairs);
  const second = schema.safeParse(renamed);
  if (second.success) return { ok: true, input: second.data, repairs, corrections: [] };
  const coerced = coerce(renamed, second.error, repairs);
  const third = schema.safeParse(coerced);
  if (third.success) return { ok: true, input: third.data, repairs, corrections: [] };
  const corrections: string[] = [];
  const fourth = schema.safeParse(withinLimits(coerced, third.error, corrections));
  if (fourth.success) return { ok: true, input: fourth.data, repairs: [...repairs, ...corrections], corrections };
  return { ok: false, problem: [describe(fourth.error), ...unknownNames(value, schema)].join('; ') };
}

/** A name that the tool does not have is often the one that is missing. */
function unknownNames(value: Readonly<Record<string, unknown>>, schema: z.ZodType): readonly string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(schema.shape, name));
  return unknown.slice(0, 4).map((name) => `"${name.slice(0, 40)}" is no argument of it`);
}

/**
 * Moves numbers to the nearest one that is allowed: the intent is clear, and a refusal would cost a step. The result of
 * the call says so.
 */
function withinLimits(
  value: Readonly<Record<string, unknown>>,
  error: z.ZodError,
  corrections: string[],
): Record<string, unknown> {
  const result: Record<string, unknown> = { ...value };
  for (const issue of error.issues) {
    const key = issue.path[0];
    if (issue.path.length !== 1 || typeof key !== 'string') continue;
    const given = result[key];
    const near = typeof given === 'number' ? nearestAllowed(issue, given) : null;
    if (near === null) continue;
    result[key] = near.value;
    corrections.push(`"${key}" was ${String(given)}; ${near.value} was used, ${near.why}`);
  }
  return result;
}

function nearestAllowed(
  issue: z.core.$ZodIssue,
  given: number,
): { readonly value: number; readonly why: string } | null {
  if (issue.code === 'invalid_type' && issue.expected === 'int')
    return { value: Math.trunc(given), why: 'a whole number' };
  if (issue.code === 'too_big' && issue.origin !== 'string' && issue.inclusive !== false)
    return { value: Number(issue.maximum), why: 'the most' };
  if (issue.code === 'too_small' && issue.origin !== 'string' && issue.inclusive !== false)
    return { value: Number(issue.minimum), why: 'the least' };
  return null;
}

function missingKeys(error: z.ZodError): readonly string[] {
  return error.issues.flatMap((issue) =>
    issue.path.length === 1 && typeof issue.path[0] === 'string' ? [issue.path[0]] : [],
  );
}

function rename(
  value: Readonly<Record<string, unknown>>,
  missing: readonly string[],
  repairs: string[],
): Record<string, unknown> {
  const result: Record<string, unknown> = { ...value };
  for (const key of missing) {
    if (result[key] !== undefined) continue;
    const alias = (aliases[key] ?? []).find((name) => result[name] !== undefined);
    if (alias === undefined) continue;
    result[key] = result[alias];
    delete result[alias];
    repairs.push(`"${alias}" was read as "${key}"`);
  }
  return result;
}

function coerce(
  value: Readonly<Record<string, unknown>>,
  error: z.ZodError,
  repairs: string[],
): Record<string, unknown> {
  const result: Record<string, unknown> = { ...value };
  for (const issue of error.issues) {
    const key = issue.path[0];
    if (issue.code !== 'invalid_type' || issue.path.length !== 1 || typeof key !== 'string') continue;
    const have = result[key];
    const better = coerceOne(key, have, issue.expected);
    if (better === undefined && have !== null) continue;
    if (have === null) delete result[key];
    else result[key] = better;
    repairs.push(`"${key}" was read as ${have === null ? 'not given' : issue.expected}`);
  }
  return result;
}

/** Arguments for which a list can only mean lines of text. A list of command words means something else. */
const linesAllowed: readonly string[] = ['content', 'old', 'new', 'patch', 'summary'];

function coerceOne(key: string, value: unknown, expected: string): unknown {
  if (expected === 'number' && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value);
  if (expected === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  const isLines = linesAllowed.includes(key) && Array.isArray(value) && value.every((line) => typeof line === 'string');
  if (expected === 'string' && isLines) return value.join('\n');
  if (['array', 'object'].includes(expected) && typeof value === 'string' && /^\s*[[{]/u.test(value))
    return inText(value);
  if (expected === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return undefined;
}

/** A list or object that was written as a text of JSON. What it holds is checked like any other. */
function inText(value: string): unknown {
  const read = isClosedJson(value) ? readJson(value) : null;
  return read?.ok === true ? read.value : undefined;
}

function describe(error: z.ZodError): string {
  return error.issues
    .slice(0, 4)
    .map(({ path, message }) => {
      const name = path.length === 0 ? 'the arguments' : `"${path.join('.')}"`;
      return message.endsWith('received undefined') ? `${name} is missing` : `${name}: ${message}`;
    })
    .join('; ');
}
