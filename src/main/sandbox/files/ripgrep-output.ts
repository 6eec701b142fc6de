import type { SearchQuery, SearchResult } from '../sandbox.ts';
import { skippedFolders } from './skipped-folders.ts';

const maxLineText = 500;

/**
 * Arguments for ripgrep 13 and newer, up to the path. It reads no configuration, follows no links and sorts by path.
 */
export function searchArguments(query: SearchQuery): readonly string[] {
  return [
    '--no-config',
    '--no-follow',
    '--no-require-git',
    '--no-ignore-global',
    '--no-ignore-parent',
    '--hidden',
    '--null',
    '--line-number',
    '--no-heading',
    '--with-filename',
    '--color=never',
    '--sort=path',
    `--max-columns=${maxLineText}`,
    '--max-columns-preview',
    '--max-filesize=16M',
    ...(query.literal === true ? ['--fixed-strings'] : []),
    ...(query.matchesOnly === true ? ['--only-matching'] : []),
    ...(query.ignoreCase === true ? ['--ignore-case'] : []),
    // The last matching glob wins, so these cannot be brought back.
    ...(query.glob === undefined ? [] : [`--glob=${query.glob}`]),
    ...skippedFolders.map((folder) => `--glob=!${folder}`),
    '-e',
    query.pattern,
    '--',
  ];
}

/** Parses `path NUL line : text LF` records. A file name may contain a line break, but a text cannot. */
export function parseSearch(output: Buffer, limit: number): SearchResult {
  const matches: { path: string; line: number; text: string }[] = [];
  for (let at = 0; at < output.length;) {
    const nul = output.indexOf(0, at);
    const colon = nul < 0 ? -1 : output.indexOf(0x3a, nul);
    if (colon < 0) break;
    const found = output.indexOf(0x0a, colon);
    const end = found < 0 ? output.length : found;
    if (matches.length === limit) return { matches, truncated: true };
    matches.push({
      path: output
        .subarray(at, nul)
        .toString()
        .replace(/^(?:\.\/)+/, ''),
      line: Number(output.subarray(nul + 1, colon).toString()),
      text: output
        .subarray(colon + 1, end)
        .toString()
        .replace(/\r$/, '')
        .slice(0, maxLineText),
    });
    at = end + 1;
  }
  return { matches, truncated: false };
}
