import { differInNotesOnly, withTyping } from '../code/comment-only-changes.ts';
import { findSpans } from '../code/code-spans.ts';
import type { Syntax } from '../code/code-syntax.ts';
import type { RecipeContext } from '../define.ts';
import { spliceSpan } from '../code/splice-code.ts';
import type { Proposal } from './accept-change.ts';
import { changeQuestion } from './edit-prompts.ts';
import type { Chunk } from '../context/rank-project-chunks.ts';

const ofNotes = /\b(?:doc ?strings?|type ?(?:hints?|annotations?))\b/i;
const ofEach = /\b(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:functions?|methods?)\b/i;
const mostPlaces = 12;

/** Whether a text asks only for notes about code (docstrings, type hints), so that nothing else may change. */
export function asksForNotes(task: string): boolean {
  return ofNotes.test(task) && !/\b(?:fix|remove|delete|rename|refactor|implement)\b/i.test(task);
}

/**
 * The text to accept, with the imports that its annotations need, if an answer changes only notes. Null: it changes
 * more.
 */
export function keptToNotes(syntax: Syntax, path: string, before: string, after: string): string | null {
  if (!path.endsWith('.py')) return after;
  if (!differInNotesOnly(syntax, 'python', before, after)) return null;
  return withTyping(syntax, everythingOfTyping.test(before) ? after : after.replace(everythingOfTyping, ''));
}

/** The starter model often writes it for a single name. */
const everythingOfTyping = /^from typing import \*[ \t]*\n/mu;

/**
 * The functions of a text that is about each of several functions and names none. Empty: it is no such text, or there
 * are too many.
 */
export function functionsForEach(task: string, chunks: readonly Chunk[]): readonly Chunk[] {
  if (!ofEach.test(task) && !asksForNotes(task)) return [];
  const functions = chunks.filter(({ span }) => span !== null && (span.kind === 'function' || span.kind === 'method'));
  const isNamed = ({ span }: Chunk): boolean =>
    span !== null && span.shortName.length > 3 && new RegExp(`\\b${span.shortName}\\b`).test(task);
  if (functions.some(isNamed)) return [];
  const inFile = functions.filter(({ path }) => task.includes(path.split('/').pop() ?? path));
  const chosen = inFile.length > 0 ? inFile : functions;
  return chosen.length > mostPlaces ? [] : chosen;
}

/**
 * Changes one function after the other with one greedy answer each. A function whose answer is unusable stays as it is.
 */
export async function changeEach(
  context: RecipeContext,
  syntax: Syntax,
  places: readonly Chunk[],
): Promise<{ readonly proposal: Proposal | null; readonly left: readonly string[] }> {
  const texts = new Map<string, string>();
  const left: string[] = [];
  let changed = 0;
  for (const { path, span } of places) {
    const text = texts.get(path) ?? (await context.world.read(path));
    if (text === null || span === null) continue;
    const now = findSpans(syntax, { path, language: span.language, text }).find(({ name }) => name === span.name);
    if (now === undefined) continue;
    const answer = await context.model.ask(
      changeQuestion(context.task, { span: now, text, temperature: 0, seed: null }),
    );
    if (!answer.ok) break;
    const spliced = spliceSpan(syntax, text, now, answer.text);
    const after = !spliced.ok
      ? null
      : asksForNotes(context.task)
        ? keptToNotes(syntax, path, text, spliced.text)
        : spliced.text;
    if (after === null || after === text) {
      left.push(span.name);
      continue;
    }
    changed += 1;
    texts.set(path, after);
  }
  const files = [...texts].map(([path, text]) => ({ path, text }));
  const name = `${changed === 1 ? '1 function' : `${changed} functions`} in ${files.map(({ path }) => path).join(', ')}`;
  return { proposal: changed === 0 ? null : { files, did: 'Changed', name }, left };
}
