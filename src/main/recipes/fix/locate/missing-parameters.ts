import type { CodeLanguage } from '../../code/code-syntax.ts';

const identifier = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;
/** `limit`, `limit=3`, `*names`, `...names`. */
const parameter = /^(?:\*{1,2}|\.\.\.)?[\p{L}_$][\p{L}\p{N}_$]*(?:\s*=\s*[^=,\s][^=,]*)?$/u;
const ordinals = ['first', 'second', 'third', 'fourth'] as const;

/**
 * The parameters of a function that is to be written: from the task (`move(from, to)`), otherwise from its calls. A
 * small model that chooses them itself takes the values of a test. Null if the calls differ, or there are none.
 */
export function parametersOf(
  name: string,
  { task, uses, language }: { readonly task: string; readonly uses: string; readonly language: CodeLanguage },
): readonly string[] | null {
  const told = callsOf(task, name).find((parts) => parts.length > 0 && parts.every((part) => parameter.test(part)));
  if (told !== undefined) return told;
  const calls = callsOf(uses, name);
  const [first] = calls;
  if (first === undefined || calls.some((one) => one.length !== first.length) || first.length > ordinals.length)
    return null;
  const names = first.map((_, index) => parameterName(calls, index, language));
  return names.some((one) => one === null) || new Set(names).size < names.length
    ? null
    : names.filter((one) => one !== null);
}

/** The name for one argument of all calls: its keyword, a variable name that all use, or its ordinal number. */
function parameterName(calls: readonly (readonly string[])[], index: number, language: CodeLanguage): string | null {
  const parts = new Set(calls.map((one) => one[index] ?? ''));
  const keywords = [...parts].map((part) => (language === 'python' ? /^(\w+)\s*=(?!=)/.exec(part)?.[1] : undefined));
  const [keyword] = keywords;
  if (keyword !== undefined) return keywords.every((one) => one === keyword) ? keyword : null;
  if (keywords.some((one) => one !== undefined) || [...parts].some((part) => /^(?:\*|\.\.\.)/.test(part))) return null;
  const [part = ''] = parts;
  const isName = parts.size === 1 && identifier.test(part) && !/^(?:True|False|None|true|false|null|this)$/.test(part);
  return isName ? part : (ordinals[index] ?? null);
}

/** The arguments of every call in a text, without definitions and calls that do not end. */
function callsOf(text: string, name: string): readonly (readonly string[])[] {
  const calls: (readonly string[])[] = [];
  const escaped = name.replaceAll('$', String.raw`\$`);
  for (const match of text.matchAll(
    new RegExp(String.raw`(?<!\bdef |\bfunction |\bclass |[\w$#])${escaped}\(`, 'gu'),
  )) {
    const parts = argumentsFrom(text, match.index + match[0].length);
    if (parts !== null) calls.push(parts);
  }
  return calls;
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Splits at the commas of the outermost level; null without a closing bracket. */
function argumentsFrom(text: string, start: number): readonly string[] | null {
  const open: string[] = [];
  const parts: string[] = [];
  let part = '';
  let quote: string | null = null;
  for (let at = start; at < Math.min(text.length, start + 2000); at += 1) {
    const char = text[at] ?? '';
    if (quote !== null) {
      if (char === '\\') {
        part += char + (text[at + 1] ?? '');
        at += 1;
        continue;
      }
      if (char === quote) quote = null;
    } else if (char === '"' || char === "'" || char === '`') quote = char;
    else if (closing[char] !== undefined) open.push(closing[char]);
    else if (open.length === 0 && char === ')') {
      return [...parts, part]
        .map((one) => one.trim())
        .filter((one, index, all) => one !== '' || index < all.length - 1);
    } else if (char === open.at(-1)) open.pop();
    if (char === ',' && open.length === 0 && quote === null) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return null;
}
