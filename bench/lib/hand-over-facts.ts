import { structuredPatch } from 'diff';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findSpans, type Span } from '../../src/main/recipes/code/code-spans.ts';
import { languageOf, loadSyntax, type Syntax } from '../../src/main/recipes/code/code-syntax.ts';
import type { TestFailure } from '../../src/main/lib/test-output/test-report.ts';
import { z } from 'zod';
import { filesBelow } from './files-below.ts';

export const factSchema = z.object({
  /**
   * `change`: the function that the right change is in, or a few lines around the change if it is in none. `failure`:
   * the message of a failing test. `test`: that test itself. `definition`: the first line of a definition elsewhere
   * that the right change uses.
   */
  kind: z.enum(['change', 'failure', 'test', 'definition']),
  path: z.string(),
  name: z.string(),
  /** Consecutive lines of the file. For a failure, its message. */
  lines: z.array(z.string()),
});
export type NeededFact = z.infer<typeof factSchema>;

export interface KnownChange {
  /** The project as the agent gets it. */
  readonly projectFolder: string;
  /** The texts of the files in the right change, by path. */
  readonly right: ReadonlyMap<string, string>;
}

const aroundLines = 3;
const aroundInLong = 10;
const longLines = 90;
const keptTests = 12;
const mostTests = 3;

/** What the next model must know to write the known right change. Independent of what was handed over. */
export async function neededFacts(
  known: KnownChange,
  failures: readonly TestFailure[],
): Promise<readonly NeededFact[]> {
  const syntax = await loadSyntax();
  const facts: NeededFact[] = [];
  for (const [path, after] of known.right) {
    const before = await readFile(join(known.projectFolder, path), 'utf8').catch(() => null);
    if (before !== null) facts.push(...changeFacts(syntax, { path, before, after }));
  }
  facts.push(...(await definitionFacts(syntax, known)));
  for (const failure of failures.slice(0, keptTests)) {
    const path = failure.path ?? '';
    const words = failure.message.split('\n').map(oneLine);
    facts.push({ kind: 'failure', path, name: failure.id, lines: words.filter((line) => line !== '').slice(0, 4) });
    const text = await readFile(join(known.projectFolder, path), 'utf8').catch(() => null);
    const lines = text === null ? [] : testLines(text, failure.id);
    if (lines.length > 0) facts.push({ kind: 'test', path, name: failure.id, lines });
  }
  return facts.filter((fact, index) => facts.findIndex((one) => keyOf(one) === keyOf(fact)) === index);
}

/** Whether a text contains a fact: its lines in a row, with or without line numbers, and their path. */
export function tells(text: string, fact: NeededFact): boolean {
  if (fact.kind === 'failure') {
    const all = oneLine(text);
    return fact.lines.every((line) => all.includes(line));
  }
  const shown = text.split('\n').map((line) => line.replace(/^\s*\d+: ?/u, '').trimEnd());
  const wanted = fact.lines.map((line) => line.trimEnd());
  const isAt = (index: number): boolean => wanted.every((line, offset) => shown[index + offset] === line);
  return text.includes(fact.path) && shown.some((_, index) => isAt(index));
}

/**
 * The facts that are needed, and those that a text lacks. If many tests fail, any three of them are enough. Those that
 * the text contains are counted first.
 */
export function lookAt(
  text: string,
  facts: readonly NeededFact[],
): { readonly needed: readonly NeededFact[]; readonly lacking: readonly NeededFact[] } {
  const told = new Set(facts.filter((fact) => tells(text, fact)));
  const some = (kind: NeededFact['kind']): readonly NeededFact[] => {
    const own = facts.filter((fact) => fact.kind === kind);
    return [...own.filter((fact) => told.has(fact)), ...own.filter((fact) => !told.has(fact))].slice(0, mostTests);
  };
  const fixed = facts.filter(({ kind }) => kind === 'change' || kind === 'definition');
  const needed = [...fixed, ...some('failure'), ...some('test')];
  return { needed, lacking: needed.filter((fact) => !told.has(fact)) };
}

interface Changed {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

function changeFacts(syntax: Syntax, { path, before, after }: Changed): readonly NeededFact[] {
  const language = languageOf(path);
  const lines = before.split('\n');
  const spans = language === null ? [] : findSpans(syntax, { path, language, text: before });
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 0 });
  return hunks.map(({ oldStart, oldLines }) => {
    // For added lines only, the library counts from the line after the change.
    const first = Math.max(1, oldLines === 0 ? oldStart - 1 : oldStart);
    const last = Math.max(first, first + oldLines - 1);
    const span = spans
      .filter((one) => one.kind !== 'class' && one.startLine <= first && last <= one.endLine)
      .sort((left, right) => sizeOf(left) - sizeOf(right))[0];
    const isWhole = span !== undefined && sizeOf(span) <= longLines;
    const around = span === undefined ? aroundLines : aroundInLong;
    const from = isWhole ? span.startLine : Math.max(1, first - around);
    const to = isWhole ? span.endLine : Math.min(lines.length, last + around);
    const own = lines.slice(from - 1, to);
    while (own.at(-1)?.trim() === '') own.pop();
    return { kind: 'change', path, name: span?.name ?? `line ${first}`, lines: own };
  });
}

const sizeOf = ({ startLine, endLine }: Span): number => endLine - startLine + 1;

/** Names in added lines that no changed file had before and that another file defines. */
async function definitionFacts(syntax: Syntax, { projectFolder, right }: KnownChange): Promise<readonly NeededFact[]> {
  const names = new Set<string>();
  for (const [path, after] of right) {
    const before = await readFile(join(projectFolder, path), 'utf8').catch(() => '');
    const had = new Set(before.match(/[A-Za-z_]\w{3,}/gu));
    for (const name of after.match(/[A-Za-z_]\w{3,}/gu) ?? []) if (!had.has(name)) names.add(name);
  }
  const facts: NeededFact[] = [];
  for (const path of names.size === 0 ? [] : await filesBelow(projectFolder)) {
    const language = languageOf(path);
    if (language === null || right.has(path) || /(?:^|\/)(?:tests?|node_modules)\//u.test(path)) continue;
    const text = await readFile(join(projectFolder, path), 'utf8');
    for (const span of findSpans(syntax, { path, language, text })) {
      if (span.kind === 'method' || !names.has(span.name)) continue;
      facts.push({ kind: 'definition', path, name: span.name, lines: [text.split('\n')[span.startLine - 1] ?? ''] });
    }
  }
  return facts;
}

/** The test of that name, delimited by its indentation. Empty if it cannot be found. */
function testLines(text: string, id: string): string[] {
  const name = (id.split(/::| > /u).pop() ?? id).replace(/\[.*\]$/u, '');
  const lines = text.split('\n');
  const begin = lines.findIndex(
    (line) => line.includes(`def ${name}(`) || (/\b(?:test|it)(?:\.\w+)?\(/u.test(line) && line.includes(name)),
  );
  if (begin < 0) return [];
  const depth = indentOf(lines[begin] ?? '');
  let end = begin + 1;
  while (end < lines.length && (lines[end]?.trim() === '' || indentOf(lines[end] ?? '') > depth)) end += 1;
  if (/^\s*[)}\]]/u.test(lines[end] ?? '')) end += 1;
  const own = lines.slice(begin, end);
  while (own.at(-1)?.trim() === '') own.pop();
  return own;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();
const keyOf = ({ kind, path, lines }: NeededFact): string => JSON.stringify([kind, path, lines]);
