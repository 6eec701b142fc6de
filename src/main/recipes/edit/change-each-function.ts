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

/** Whether a text asks only for what speaks of code (docstrings, type hints), so that nothing else of it may change. */
export function asksForNotes(task: string): boolean {
  return ofNotes.test(task) && !/\b(?:fix|remove|delete|rename|refactor|implement)\b/i.test(task);
}

/**
 * Whether an answer keeps to it; the text as it may be taken, with the imports that its annotations need. Null: not.
 */
export function keptToNotes(syntax: Syntax, path: string, before: string, after: string): string | null {
  if (!path.endsWith('.py')) return after;
  if (!differInNotesOnly(syntax, 'python', before, after)) return null;
  return withTyping(syntax, everythingOfTyping.test(before) ? after : after.replace(everythingOfTyping, ''));
}

/** The starter model likes to write it for a single name. */
const everythingOfTyping = /^from typing import \*[ \t]*\n/mu;

/** The functions of a text that is about each of some and names none; empty: it is no such text, or they are too many. */
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

/** One function after the other, each by one greedy answer; those whose answer is of no use stay as they are. */
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
    const answer = await context.ask(changeQuestion(context.task, { span: now, text, temperature: 0, seed: null }));
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
