import { findSpans, textOfSpan, type Span } from '../code/code-spans.ts';
import type { Syntax } from '../code/code-syntax.ts';
import { codeOf, dedent, spliceSpan, type SpliceResult } from '../code/splice-code.ts';
import { termsOf } from '../context/rank-project-chunks.ts';

export interface SpanAnswer {
  readonly text: string;
  /** False: the answer was cut off, so its last definition is not whole. */
  readonly complete: boolean;
}

/**
 * Replaces the span that the answer is for, and neighbors of it that the answer also changes: a new option is read in
 * one function and declared in another. A neighbor is changed only if the new part relates to the task. What a model
 * only rewrites to its taste stays as it was.
 */
export function spliceNeighbors(
  syntax: Syntax,
  { fileText, span, task }: { readonly fileText: string; readonly span: Span; readonly task: string },
  answer: SpanAnswer,
): SpliceResult {
  const own = spliceSpan(syntax, fileText, span, answer.text);
  if (span.kind === 'block' || (!own.ok && own.reason !== 'unchanged')) return own;
  const code = dedent(codeOf(answer.text));
  const { path, language } = span;
  const written = findSpans(syntax, { path, language, text: code }).filter(({ kind }) => kind !== 'class');
  const whole = answer.complete ? written : written.slice(0, -1);
  const wanted = new Set(termsOf(task));
  let text = own.ok ? own.text : fileText;
  for (const neighbor of whole) {
    if (neighbor.name === span.name) continue;
    const [there, another] = findSpans(syntax, { path, language, text }).filter(
      ({ name, kind }) => name === neighbor.name && kind === neighbor.kind,
    );
    if (there === undefined || another !== undefined) continue;
    const put = textOfSpan(code, neighbor);
    if (!newTerms(textOfSpan(text, there), put).some((term) => wanted.has(term))) continue;
    const spliced = spliceSpan(syntax, text, there, `\`\`\`\n${put}\n\`\`\``);
    if (spliced.ok) text = spliced.text;
  }
  return text === fileText ? own : { ok: true, text };
}

/** The words of the new lines. */
function newTerms(before: string, after: string): readonly string[] {
  const had = new Set(before.split('\n').map((line) => line.trim()));
  const lines = after.split('\n').filter((line) => !had.has(line.trim()));
  return termsOf(lines.join('\n'));
}
