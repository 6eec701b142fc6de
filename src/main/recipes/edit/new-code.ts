import type { CodeLanguage, Syntax } from '../code/code-syntax.ts';
import { findSpans } from '../code/code-spans.ts';
import { spliceInsertion } from '../fix/locate/insertions.ts';
import { codeOf, dedent } from '../code/splice-code.ts';

/**
 * The name of a function that a task asks to add: written with brackets or after "function". Null: none, or it exists.
 */
export function newNameIn(task: string, known: ReadonlySet<string>): string | null {
  if (!/\b(add|create|write|implement|new|provide|need|want)\b/i.test(task)) return null;
  const calls = [...task.matchAll(/\b([A-Za-z_]\w{2,})\(/g)].map((match) => match[1] ?? '');
  const named = [...task.matchAll(/\bfunction (?:called |named )?[`'"]?([A-Za-z_]\w{2,})/g)].map(
    (match) => match[1] ?? '',
  );
  const [name] = [...calls, ...named].filter(
    (one) => !known.has(one) && !/^(that|which|for|the|called|named|returns?)$/.test(one),
  );
  return name ?? null;
}

const asksForDefinition =
  /\b(?:add|create|write|implement|provide|need|want)\s+(?:an?|another|new|one more)\s+(?:[\w/-]+\s+){0,4}?(?:function|class|route|endpoint|handler|view|helper|hook|command|subcommand)\b/i;

/** Whether a text asks for something that must be defined, without naming it. */
export function asksForNewCode(task: string): boolean {
  return asksForDefinition.test(task);
}

/** The first definition in an answer that the file does not have; null: there is none. */
export function newNameOf(
  syntax: Syntax,
  text: string,
  { path, language }: { readonly path: string; readonly language: CodeLanguage },
  answer: string,
): string | null {
  const namesIn = (code: string) =>
    findSpans(syntax, { path, language, text: code }).filter(
      ({ container, kind }) => container === null && kind !== 'block',
    );
  const known = new Set(namesIn(text).map(({ name }) => name));
  return namesIn(dedent(codeOf(answer))).find(({ name }) => !known.has(name))?.name ?? null;
}

/** The file with the answer's definition at its end; null if it does not parse. */
export function spliceNew(
  syntax: Syntax,
  text: string,
  about: { readonly name: string; readonly path: string; readonly language: CodeLanguage },
  answer: string,
): string | null {
  const spliced = spliceInsertion(syntax, text, { ...about, into: null, opening: '' }, answer);
  return spliced.ok && new RegExp(`\\b${about.name}\\b`).test(spliced.text) ? spliced.text : null;
}
