import { olderBytes } from '../../lib/files/file-text.ts';
import type { SearchQuery, SearchResult } from '../sandbox.ts';
import { skippedFolders } from './skipped-folders.ts';

const maxLineText = 500;

/**
 * Arguments for ripgrep 13 and newer, up to the path. It reads no configuration, follows no links and sorts by path.
 */
export function searchArguments(query: SearchQuery): readonly string[] {
  const wider = inOlderEncodings(query);
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
    // Counted in bytes; a match with a few letters around it is always shown whole.
    `--max-columns=${query.matchesOnly === true ? 4 * maxLineText : maxLineText}`,
    '--max-columns-preview',
    '--max-filesize=16M',
    ...(query.literal === true && wider === null ? ['--fixed-strings'] : []),
    ...(query.matchesOnly === true ? ['--only-matching'] : []),
    ...(query.ignoreCase === true ? ['--ignore-case'] : []),
    // The last matching glob wins, so these cannot be brought back.
    ...(query.glob === undefined ? [] : [`--glob=${query.glob}`]),
    ...skippedFolders.map((folder) => `--glob=!${folder}`),
    '-e',
    wider ?? query.pattern,
    '--',
  ];
}

/** Longer ones would make ripgrep slow. */
const mostLetters = 40;

/**
 * The pattern with each letter beyond ASCII as in any encoding of a text. Null: it has no such letter, or they are in a
 * set such as `[äö]`, which cannot be written by bytes.
 */
function inOlderEncodings({ pattern, literal = false }: SearchQuery): string | null {
  const letters = pattern.match(/[^\0-\x7f]/gu)?.length ?? 0;
  if (letters === 0 || letters > mostLetters || (!literal && hasWideSet(pattern))) return null;
  const plain = literal ? pattern.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`) : pattern;
  return plain.replaceAll(/[^\0-\x7f]/gu, (letter) => {
    const ways = olderBytes(letter).map((bytes) => `(?-u:${[...bytes].map(hexOf).join('')})`);
    return `(?:${[letter, ...ways].join('|')})`;
  });
}

/** Whether a set has a letter beyond ASCII. */
function hasWideSet(pattern: string): boolean {
  let isInSet = false;
  for (const part of pattern.match(/\\.|./gsu) ?? []) {
    if (part === '[') isInSet = true;
    else if (part === ']') isInSet = false;
    else if (isInSet && part > '\x7f') return true;
  }
  return false;
}

const hexOf = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`;

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
