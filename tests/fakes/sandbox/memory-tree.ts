import { neverAborts } from '../../../src/main/lib/async/abort.ts';
import { failure, messageOf, success, type Reply } from '@shared/errors.ts';
import { globMatcher } from '../../../src/main/lib/files/glob-matcher.ts';
import { listDepth, makeListing } from '../../../src/main/sandbox/files/make-listing.ts';
import type { ListEntry, ListOptions, Listing, SearchQuery, SearchResult } from '../../../src/main/sandbox/sandbox.ts';
import { isSkippedFolder } from '../../../src/main/sandbox/files/skipped-folders.ts';

type Files = ReadonlyMap<string, { readonly bytes: Uint8Array }>;

const defaultSearchMatches = 200;

/** The folders that contain a path, outermost first, without the workspace itself. */
export function* foldersOf(path: string): Generator<string> {
  for (let cut = path.indexOf('/'); cut >= 0; cut = path.indexOf('/', cut + 1)) yield path.slice(0, cut);
}

export function isFolder(files: Files, path: string): boolean {
  if (path === '.') return true;
  for (const file of files.keys()) if (file.startsWith(`${path}/`)) return true;
  return false;
}

/** Why there is no file at a path. */
export function missing(files: Files, path: string): Reply<never> {
  return isFolder(files, path)
    ? failure('bad-input', `${path} is a folder.`)
    : failure('not-found', `There is no ${path}.`);
}

export async function listMemory(files: Files, folder: string, options: ListOptions): Promise<Reply<Listing>> {
  if (isFolder(files, folder)) return success(await entriesBelow(files, folder, options));
  return files.has(folder)
    ? failure('bad-input', `${folder} is not a folder, or lies below something that is none.`)
    : failure('not-found', `There is no ${folder}.`);
}

function entriesBelow(files: Files, folder: string, options: ListOptions): Promise<Listing> {
  const prefix = folder === '.' ? '' : `${folder}/`;
  const entries = new Map<string, ListEntry>();
  for (const [path, { bytes }] of files) {
    for (const one of foldersOf(path)) entries.set(one, { path: one, kind: 'folder', sizeBytes: 0 });
    entries.set(path, { path, kind: 'file', sizeBytes: bytes.length });
  }
  const depth = listDepth(options);
  const wanted = [...entries.values()]
    .filter(({ path }) => path.startsWith(prefix) && path.slice(prefix.length).split('/').length <= depth)
    .filter(({ path }) => options.all === true || !path.split('/').some((part) => isSkippedFolder(part)));
  const ignore = options.all === true ? new Map<string, string>() : ignoreFiles(files);
  return makeListing(folder, { entries: wanted, unseen: [], ignoreFiles: ignore }, options, neverAborts);
}

export async function searchMemory(
  files: Files,
  query: SearchQuery & { readonly path: string },
): Promise<Reply<SearchResult>> {
  const limit = query.limit ?? defaultSearchMatches;
  const { path, glob } = query;
  const expression = expressionOf(query);
  if (!expression.ok) return expression;
  const fits = glob === undefined ? () => true : globMatcher(glob);
  if (!files.has(path) && !isFolder(files, path)) return failure('not-found', `There is no ${path}.`);
  const { entries } = await entriesBelow(files, '.', { limit: Number.MAX_SAFE_INTEGER });
  const wanted = entries.filter(
    (entry) =>
      entry.kind === 'file' &&
      (path === '.' || entry.path === path || entry.path.startsWith(`${path}/`)) &&
      fits(entry.path),
  );
  const matches: { path: string; line: number; text: string }[] = [];
  for (const entry of wanted) {
    const text = new TextDecoder().decode(files.get(entry.path)?.bytes);
    if (text.includes('\0')) continue;
    for (const [index, line] of text.split('\n').entries()) {
      if (!expression.value.test(line)) continue;
      if (matches.length === limit) return success({ matches, truncated: true });
      if (query.matchesOnly === true) {
        const each = new RegExp(expression.value.source, `${expression.value.flags}g`);
        for (const [found] of line.matchAll(each)) matches.push({ path: entry.path, line: index + 1, text: found });
        continue;
      }
      matches.push({ path: entry.path, line: index + 1, text: line.replace(/\r$/, '').slice(0, 500) });
    }
  }
  return success({ matches, truncated: false });
}

function expressionOf({ pattern, literal, ignoreCase }: SearchQuery): Reply<RegExp> {
  try {
    const source = literal === true ? pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&') : pattern;
    return success(new RegExp(source, ignoreCase === true ? 'iu' : 'u'));
  } catch (error) {
    return failure(
      'bad-input',
      `The pattern cannot be searched for: ${messageOf(error)}`,
      'Use `literal` to search for plain text.',
    );
  }
}

function ignoreFiles(files: Files): Map<string, string> {
  const found = new Map<string, string>();
  for (const [path, { bytes }] of files) {
    if (path === '.gitignore') found.set('.', new TextDecoder().decode(bytes));
    else if (path.endsWith('/.gitignore'))
      found.set(path.slice(0, -'/.gitignore'.length), new TextDecoder().decode(bytes));
  }
  return found;
}
