import { z } from 'zod';
import type { SearchQuery, SearchResult } from '../sandbox/sandbox.ts';
import { fileText } from '../lib/files/file-text.ts';
import type { ToolContext, ToolResult } from './define.ts';
import { defineTool, forFull, forPerson } from './define.ts';
import { lookIntoResult } from './results/look-into-result.ts';
import { resultIdOf, workspacePath } from './values/tool-path-input.ts';
import { errorResult, failureResult, okResult } from './values/tool-results.ts';

const usualMatches = 100;
const maximumLineLength = 300;
/** Of all shown lines, about 5,000 tokens. What does not fit is counted by file. */
const mostCharacters = 16_000;
const mostFilesLeft = 20;
/** Limits for lines around a match: at most this many files, each of at most this many bytes. */
const filesWithContext = 30;
const contextBytes = 1024 * 1024;

/** In a longer line, such as one of a minified file, each match is shown with this many characters around it. */
const charactersAround = 100;
const filesWithLongLines = 10;
const matchesOfLongLine = 20;

type Matches = SearchResult['matches'];

export default defineTool({
  name: 'search',
  description: 'Search text files for a regular expression.',
  access: 'read',
  input: z.object({
    pattern: z.string().min(1).max(1000).meta(forPerson('a regular expression')),
    path: workspacePath.optional().describe('file or folder'),
    glob: z.string().max(200).optional().describe('such as "*.{ts,tsx}"'),
    context: z
      .number()
      .int()
      .min(0)
      .max(20)
      .optional()
      .meta({ ...forFull, ...forPerson('lines around each match; default: 0') }),
    ignoreCase: z
      .boolean()
      .optional()
      .meta({ ...forFull, ...forPerson('also finds other cases of letters; default: no') }),
    filesOnly: z
      .boolean()
      .optional()
      .meta({ ...forFull, ...forPerson('names the files without their lines; default: no') }),
    limit: z.number().int().min(1).max(500).optional().describe(`default: ${usualMatches}`).meta(forFull),
  }),
  label: ({ pattern, path }) => `search ${JSON.stringify(pattern)}${path === undefined ? '' : ` in ${path}`}`,
  create: () => async (input, context) => {
    const id = resultIdOf(input.path ?? '');
    if (id !== null) return searchResult(id, input.pattern, context);
    const query = {
      pattern: input.pattern,
      // File names alone take little room, so more matches are allowed.
      limit: input.limit ?? (input.filesOnly === true ? 2_000 : usualMatches),
      ...(input.path === undefined ? {} : { path: input.path }),
      ...(input.glob === undefined ? {} : { glob: input.glob }),
      ...(input.ignoreCase === true ? { ignoreCase: true } : {}),
    };
    let reply = await context.sandbox.files.search(query, context.signal);
    let isPlain = false;
    // A model often means plain text when its pattern is not a valid regular expression.
    if (!reply.ok && reply.error.code === 'bad-input') {
      reply = await context.sandbox.files.search({ ...query, literal: true }, context.signal);
      isPlain = true;
    }
    if (!reply.ok) return failureResult(reply.error);
    const { matches, truncated } = reply.value;
    const note = isPlain ? ['(searched for as plain text: it is no regular expression)'] : [];
    if (matches.length === 0) return okResult(['No match.', ...note].join('\n'), { matches, truncated });
    const counts = countText(matches, truncated);
    if (input.filesOnly === true)
      return okResult([counts, ...note, ...perFile(matches)].join('\n'), { matches, truncated });
    const near = await inTheirLetters(await aroundLongLines(matches, { ...query, literal: isPlain }, context), context);
    const lines = fitting(near, input.context ?? 0, await textsOf(near, input.context ?? 0, context));
    return okResult([counts, ...note, ...lines].join('\n'), { matches, truncated });
  },
});

/** Searches a result that was shown cut for lines with all words of the pattern. */
async function searchResult(id: string, words: string, { keptResult }: ToolContext): Promise<ToolResult> {
  const text = (await keptResult?.(id)) ?? null;
  if (text === null) return errorResult(`No result that was shown cut has the id ${id}.`);
  const found = lookIntoResult(text, { search: words.slice(0, 200) });
  return found.ok ? okResult(found.value) : failureResult(found.error);
}

function countText(matches: Matches, truncated: boolean): string {
  const files = new Set(matches.map(({ path }) => path)).size;
  const where = files === 1 ? '1 file' : `${files} files`;
  if (truncated) return `The first ${matches.length} matches, in ${where}; narrow the search or raise "limit":`;
  return `${matches.length === 1 ? '1 match' : `${matches.length} matches`} in ${where}:`;
}

/** The beginning of a long line seldom holds the match, so it is searched again for the match and what is around it. */
async function aroundLongLines(
  matches: Matches,
  query: SearchQuery,
  { sandbox, signal }: ToolContext,
): Promise<Matches> {
  const long = matches.filter(({ text }) => text.length > maximumLineLength);
  const found = new Map<string, Matches>();
  const { glob: _glob, ...rest } = query;
  const own =
    query.literal === true ? query.pattern.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`) : query.pattern;
  // A pattern that takes the whole line would show its beginning again.
  const inner = own.replaceAll(/^\^?(?:\.[*+]\??)+|(?<!\\|\.[*+]\??)(?:\.[*+]\??)+\$?$/gu, '') || own;
  const pattern = `.{0,${charactersAround}}(?:${inner}).{0,${charactersAround}}`;
  for (const path of [...new Set(long.map((match) => match.path))].slice(0, filesWithLongLines)) {
    const again = { ...rest, pattern, path, literal: false, matchesOnly: true, limit: usualMatches };
    const reply = await sandbox.files.search(again, signal);
    if (reply.ok) found.set(path, reply.value.matches);
  }
  return matches.flatMap((match) => {
    const near = (found.get(match.path) ?? []).filter(({ line }) => line === match.line);
    if (near.length === 0 || match.text.length <= maximumLineLength) return [match];
    const shown = near.slice(0, matchesOfLongLine).map((one) => ({ ...one, text: `… ${one.text} …` }));
    const more = { ...match, text: `… and more matches in this line` };
    return near.length > matchesOfLongLine ? [...shown, more] : shown;
  });
}

/** A line that is not UTF-8 comes with its letters lost, so it is taken from its file. */
async function inTheirLetters(matches: Matches, { sandbox, signal }: ToolContext): Promise<Matches> {
  const isLost = ({ text }: Matches[number]): boolean => text.includes('\uFFFD') && !text.startsWith('… ');
  const paths = [...new Set(matches.filter(isLost).map(({ path }) => path))].slice(0, filesWithContext);
  if (paths.length === 0) return matches;
  const read = await sandbox.files.readMany(paths, { maxBytes: contextBytes }, signal);
  if (!read.ok) return matches;
  const texts = new Map([...read.value].map(([path, { bytes }]) => [path, linesOf(bytes)]));
  return matches.map((match) =>
    isLost(match) ? { ...match, text: texts.get(match.path)?.[match.line - 1] ?? match.text } : match,
  );
}

function linesOf(bytes: Uint8Array): readonly string[] {
  return (fileText(bytes)?.text ?? new TextDecoder().decode(bytes)).split(/\r?\n/u);
}

const cut = (text: string): string =>
  text.length <= maximumLineLength ? text : `${text.slice(0, maximumLineLength)} …`;

function perFile(matches: Matches): readonly string[] {
  const counts = new Map<string, number>();
  for (const { path } of matches) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts].map(([path, count]) => `${path} (${count})`);
}

/** The lines of each file that are shown around its matches, if any are wanted. */
async function textsOf(
  matches: Matches,
  around: number,
  { sandbox, signal }: ToolContext,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (around === 0) return new Map();
  const paths = [...new Set(matches.map(({ path }) => path))].slice(0, filesWithContext);
  const read = await sandbox.files.readMany(paths, { maxBytes: contextBytes }, signal);
  return new Map(read.ok ? [...read.value].map(([path, { bytes }]) => [path, linesOf(bytes)]) : []);
}

/**
 * The lines that fit, in the order of the matches. Where not all fit with what is around them, the rest is shown without
 * it; what does not fit at all is counted by file, so that a model knows where to look next.
 */
function fitting(matches: Matches, around: number, texts: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const all = byFile(matches, around, texts);
  if (sizeOf(all) <= mostCharacters) return all;
  const shown: string[] = [];
  let at = 0;
  for (const lines of around === 0 ? [0] : [around, 0]) {
    const room = (lines === 0 ? mostCharacters : mostCharacters / 2) - sizeOf(shown);
    const rest = matches.slice(at);
    const shownWith = (count: number): readonly string[] =>
      byFile(rest.slice(0, count), lines, lines === 0 ? new Map() : texts);
    const count = most(rest.length, (one) => sizeOf(shownWith(one)) <= room);
    if (lines === 0 && at > 0 && count > 0) shown.push('Without the lines around them:');
    shown.push(...shownWith(count));
    at += count;
  }
  const left = perFile(matches.slice(at));
  if (left.length === 0) return shown;
  const more = left.length > mostFilesLeft ? `, and ${left.length - mostFilesLeft} more files` : '';
  const named = `${left.slice(0, mostFilesLeft).join(', ')}${more}`;
  return [...shown, `Not shown: ${matches.length - at} more, in ${named}. Narrow the pattern, "path" or "glob".`];
}

/** The largest number up to `limit` that fits, where all smaller ones fit, too. */
function most(limit: number, fits: (count: number) => boolean): number {
  let [known, over] = [0, limit + 1];
  while (over - known > 1) {
    const middle = Math.floor((known + over) / 2);
    if (fits(middle)) known = middle;
    else over = middle;
  }
  return known;
}

const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

/** Each path once, above its lines: `12: ` before a line that matches, `13- ` before a line beside it. */
function byFile(matches: Matches, around: number, texts: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const shown: string[] = [];
  for (const path of new Set(matches.map((match) => match.path))) {
    shown.push(path);
    const here = matches.filter((match) => match.path === path);
    const lines = texts.get(path);
    if (lines === undefined) shown.push(...here.map(({ line, text }) => `  ${line}: ${cut(text)}`));
    else shown.push(...withContext(here, around, lines));
  }
  return shown;
}

function withContext(here: Matches, around: number, lines: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let last = 0;
  for (const { line } of here) {
    const from = Math.max(last + 1, line - around);
    if (last > 0 && from > last + 1) shown.push('  --');
    const to = Math.min(lines.length, line + around);
    for (let at = from; at <= to; at += 1) {
      const text = lines[at - 1] ?? '';
      const own = here.filter((match) => match.line === at);
      const mark = own.length > 0 ? ':' : '-';
      const texts = own.length > 0 && text.length > maximumLineLength ? own.map((match) => match.text) : [text];
      shown.push(...texts.map((one) => `  ${at}${mark} ${cut(one)}`));
    }
    last = Math.max(last, to);
  }
  return shown;
}
