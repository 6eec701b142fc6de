import type { FoundFile } from '@shared/attachments/attachment-inputs.ts';
import { codeFiles, definedName, definitionPattern, linesOfDefinition } from './find-definitions.ts';
import { fileText } from '../../lib/files/file-text.ts';
import type { SandboxFiles } from '../../sandbox/sandbox.ts';

/** Symbols are searched only in projects with at most this many files and folders. */
const MAX_ENTRIES = 20_000;
const MAX_LINES_FOUND = 2000;
const MAX_SYMBOLS = 5;
/** For a larger file, only the line of the definition is returned. */
const MAX_READ_BYTES = 512 * 1024;

interface SymbolQuery {
  /** The text that was typed after the `@`. */
  readonly text: string;
  /** The files that a message can mention. */
  readonly paths: readonly string[];
  readonly isFenced: (path: string) => boolean;
}

/** Functions, classes and methods of a project that match a part of a name, best first, with their lines. */
export async function findSymbols(
  files: Pick<SandboxFiles, 'search' | 'read'>,
  { text, paths, isFenced }: SymbolQuery,
  signal: AbortSignal,
): Promise<readonly FoundFile[]> {
  // Only letters of names, so that they are safe in a regular expression. A single letter would match everything.
  if (!/^[a-z_]\w+$/iu.test(text) || paths.length > MAX_ENTRIES) return [];
  const query = { pattern: definitionPattern(text), ignoreCase: true, glob: codeFiles, limit: MAX_LINES_FOUND };
  const found = await files.search(query, signal);
  // Without symbols, the files are still offered.
  if (!found.ok) return [];
  const known = new Set(paths);
  const definitions = found.value.matches.flatMap(({ path, line, text: code }) => {
    const name = known.has(path) ? definedName(code, text) : null;
    return name === null || isFenced(path) ? [] : [{ path, line, name, rank: rankOf(name, text) }];
  });
  definitions.sort((left, right) => left.rank - right.rank || left.name.length - right.name.length);
  return Promise.all(
    definitions.slice(0, MAX_SYMBOLS).map(async ({ path, line, name }) => {
      const file = await files.read(path, { maxBytes: MAX_READ_BYTES }, signal);
      const lines = (file.ok ? fileText(file.value.bytes)?.text.split('\n') : null) ?? [];
      return { path, staysHere: null, symbol: { name, lines: linesOfDefinition(lines, line) } };
    }),
  );
}

/** 0 is best: the whole name, its beginning, the beginning of a word in it, anywhere. */
function rankOf(name: string, letters: string): number {
  const at = name.toLowerCase().indexOf(letters.toLowerCase());
  if (at === 0) return name.length === letters.length ? 0 : 1;
  return /[a-z0-9][A-Z]|_./u.test(name.slice(at - 1, at + 1)) ? 2 : 3;
}

/** Puts symbols after the files whose name begins with the typed text, and before all others. */
export function withSymbols(
  files: readonly FoundFile[],
  symbols: readonly FoundFile[],
  { text, limit }: { readonly text: string; readonly limit: number },
): readonly FoundFile[] {
  const cut = symbols.length === 0 ? files.length : files.findLastIndex(({ path }) => isNamed(path, text)) + 1;
  return [...files.slice(0, cut), ...symbols, ...files.slice(cut)].slice(0, limit);
}

/** Whether the file name begins with the letters. Such files come before all symbols. */
export function isNamed(path: string, text: string): boolean {
  return path
    .slice(path.lastIndexOf('/', path.length - 2) + 1)
    .toLowerCase()
    .startsWith(text.toLowerCase());
}
