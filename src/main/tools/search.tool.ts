import { z } from 'zod';
import type { SearchResult } from '../sandbox/sandbox.ts';
import type { ToolContext } from './define.ts';
import { defineTool, forFull } from './define.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { failureResult, okResult } from './values/tool-results.ts';

const usualMatches = 100;
const maximumLineLength = 300;
/** Limits for lines around a match: at most this many files, each of at most this many bytes. */
const filesWithContext = 30;
const contextBytes = 1024 * 1024;

type Matches = SearchResult['matches'];

export default defineTool({
  name: 'search',
  description: 'Search the files for a regular expression.',
  access: 'read',
  input: z.object({
    pattern: z.string().min(1).max(1000).describe('regular expression; plain text where it is none'),
    path: workspacePath.optional().describe('file or folder'),
    glob: z.string().max(200).optional().describe('only files that fit, such as "*.py"'),
    context: z.number().int().min(0).max(20).optional().describe('lines around each match').meta(forFull),
    ignoreCase: z.boolean().optional().describe('a = A').meta(forFull),
    filesOnly: z.boolean().optional().describe('names of files and counts alone').meta(forFull),
    limit: z.number().int().min(1).max(500).optional().describe(`most matches; default ${usualMatches}`).meta(forFull),
  }),
  label: ({ pattern, path }) => `search ${JSON.stringify(pattern)}${path === undefined ? '' : ` in ${path}`}`,
  create: () => async (input, context) => {
    const query = {
      pattern: input.pattern,
      // File names alone take little room, so more matches are allowed.
      limit: input.limit ?? (input.filesOnly === true ? 2_000 : usualMatches),
      ...(input.path === undefined ? {} : { path: input.path }),
      ...(input.glob === undefined ? {} : { glob: input.glob }),
      ...(input.ignoreCase === true ? { ignoreCase: true } : {}),
    };
    let reply = await context.sandbox.search(query, context.signal);
    let isPlain = false;
    // A model often means plain text when its pattern is not a valid regular expression.
    if (!reply.ok && reply.error.code === 'bad-input') {
      reply = await context.sandbox.search({ ...query, literal: true }, context.signal);
      isPlain = true;
    }
    if (!reply.ok) return failureResult(reply.error);
    const { matches, truncated } = reply.value;
    const note = isPlain ? ['(searched for as plain text: it is no regular expression)'] : [];
    if (matches.length === 0) return okResult(['No match.', ...note].join('\n'), { matches, truncated });
    const around = input.context ?? 0;
    const lines =
      input.filesOnly === true
        ? perFile(matches)
        : around === 0
          ? matches.map(({ path, line, text }) => `${path}:${line}: ${cut(text)}`)
          : await withContext(matches, around, context);
    const more = truncated ? [`… there are more than these ${matches.length} matches; narrow the search`] : [];
    return okResult([...note, ...lines, ...more].join('\n'), { matches, truncated });
  },
});

const cut = (text: string): string =>
  text.length <= maximumLineLength ? text : `${text.slice(0, maximumLineLength)} …`;

function perFile(matches: Matches): readonly string[] {
  const counts = new Map<string, number>();
  for (const { path } of matches) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts].map(([path, count]) => `${path} (${count})`);
}

/** Like `grep`: `path:12: ` before a line that matches, `path-13- ` before a line beside it. */
async function withContext(matches: Matches, around: number, { sandbox, signal }: ToolContext): Promise<string[]> {
  const paths = [...new Set(matches.map(({ path }) => path))];
  const read = await sandbox.readFiles(paths.slice(0, filesWithContext), { maxBytes: contextBytes }, signal);
  const texts = read.ok ? read.value : new Map<string, never>();
  const shown: string[] = [];
  for (const path of paths) {
    const here = matches.filter((match) => match.path === path);
    const file = texts.get(path);
    const lines = file === undefined ? null : new TextDecoder().decode(file.bytes).split(/\r?\n/u);
    let last = 0;
    for (const { line, text } of here) {
      if (lines === null) {
        shown.push(`${path}:${line}: ${cut(text)}`);
        continue;
      }
      const from = Math.max(last + 1, line - around);
      if (last > 0 && from > last + 1) shown.push('--');
      const to = Math.min(lines.length, line + around);
      for (let at = from; at <= to; at += 1) {
        const mark = here.some((match) => match.line === at) ? ':' : '-';
        shown.push(`${path}${mark}${at}${mark} ${cut(lines[at - 1] ?? '')}`);
      }
      last = Math.max(last, to);
    }
    shown.push('--');
  }
  if (shown.at(-1) === '--') shown.pop();
  return shown;
}
