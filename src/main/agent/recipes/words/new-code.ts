import type { CodeLanguage, Syntax } from '../code/syntax.ts';
import { spliceInsertion } from '../fix/insertions.ts';

/** A function that a task asks to be added: its name as written with brackets or after "function"; null when it exists. */
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

/** The file with the answer's definition at its end; null when it does not parse. */
export function spliceNew(
  syntax: Syntax,
  text: string,
  about: { readonly name: string; readonly path: string; readonly language: CodeLanguage },
  answer: string,
): string | null {
  const spliced = spliceInsertion(syntax, text, { ...about, into: null, opening: '' }, answer);
  return spliced.ok && new RegExp(`\\b${about.name}\\b`).test(spliced.text) ? spliced.text : null;
}
