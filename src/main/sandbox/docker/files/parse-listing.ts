import { neverAborts } from '../../../lib/async/abort.ts';
import { inSlices } from '../../../lib/async/pauses.ts';
import type { WalkResult } from '../../files/make-listing.ts';
import type { ListEntry, ScannedFile, ScannedFiles } from '../../sandbox.ts';

/**
 * Parses the output of the list program. Names that are not UTF-8 are left out, because
 * they could not be used as paths. Others go on meanwhile.
 */
export async function parseListing(output: Buffer): Promise<WalkResult> {
  const entries: ListEntry[] = [];
  const unseen = new Set<string>();
  const ofIgnoreFiles: string[] = [];
  let isBeforeEnd = true;
  const add = (record: string): void => {
    const [, letter = '', size, path] = /^(\S) (\d+) ([^]*)$/.exec(record) ?? [];
    if (path === undefined) return;
    if (letter === '!') unseen.add(withoutDot(path));
    else if (isText(record))
      entries.push({ path: withoutDot(path), kind: kindOfLetter(letter), sizeBytes: Number(size) });
  };
  for await (const some of inSlices(recordsOf(output), neverAborts)) {
    for (const record of some) {
      if (!isBeforeEnd) ofIgnoreFiles.push(record);
      else if (record === '') isBeforeEnd = false;
      else add(record);
    }
  }
  return { entries, unseen: [...unseen], ignoreFiles: parseIgnoreFiles(ofIgnoreFiles) };
}

/**
 * Parses the output of the scan program: metadata by path. A path that is not text contains U+FFFD and cannot be
 * opened. Paths that look the same count as one. `isLeftOut`: files that are no part
 * of the result. A million files take a second, in which others go on.
 */
export async function parseScan(
  output: Buffer,
  isLeftOut: (path: string) => boolean = () => false,
): Promise<ScannedFiles> {
  const files = new Map<string, ScannedFile>();
  const unseen = new Set<string>();
  for await (const some of inSlices(recordsOf(output), neverAborts))
    for (const record of some) addRecord({ files, unseen, isLeftOut }, record);
  return { files, unseen: [...unseen].sort() };
}

interface FoundInScan {
  readonly files: Map<string, ScannedFile>;
  readonly unseen: Set<string>;
  readonly isLeftOut: (path: string) => boolean;
}

function addRecord({ files, unseen, isLeftOut }: FoundInScan, record: string): void {
  if (record.startsWith('! ')) unseen.add(record.slice(2));
  const match = /^(\d+) ([0-7]+) (\d+ [^\t]+)\t([^]+)$/.exec(record);
  if (match?.[4] === undefined || isLeftOut(match[4])) return;
  const [, size = '0', mode = '0', touched, path = ''] = match;
  const same = files.get(path);
  files.set(path, {
    sizeBytes: Number(size) + (same?.sizeBytes ?? 0),
    mode: Number.parseInt(mode, 8),
    fingerprint: `${same === undefined ? '' : `${same.fingerprint}, `}${size} ${touched}`,
  });
}

/**
 * Parses the output of the program that reads many files: bytes and mode by path. Null if it may be inconsistent,
 * because a file was changed meanwhile.
 */
export function parseMany(
  output: Buffer,
  paths: readonly string[],
): Map<string, { readonly bytes: Uint8Array; readonly mode: number }> | null {
  const lines: string[] = [];
  let at = 0;
  while (lines.length < paths.length) {
    const end = output.indexOf(0x0a, at);
    if (end < 0) return null;
    lines.push(output.toString('latin1', at, end));
    at = end + 1;
  }
  const headEnd = at;
  const files = new Map<string, { readonly bytes: Uint8Array; readonly mode: number }>();
  for (const [index, path] of paths.entries()) {
    const [size = '', mode = ''] = (lines[index] ?? '').split(' ');
    const end = at + Number(size);
    if (!(end <= output.length)) return null;
    files.set(path, { bytes: new Uint8Array(output.subarray(at, end)), mode: Number.parseInt(mode, 8) });
    at = end;
  }
  return output.subarray(0, headEnd).equals(output.subarray(at)) ? files : null;
}

function parseIgnoreFiles(records: readonly string[]): Map<string, string> {
  const files = new Map<string, string>();
  for (let index = 0; index + 1 < records.length; index += 2) {
    const path = withoutDot((records[index] ?? '').replace(/^\d+ /, ''));
    const cut = path.lastIndexOf('/');
    // The text ends with an x, which protects its last line breaks.
    files.set(cut < 0 ? '.' : path.slice(0, cut), (records[index + 1] ?? '').slice(0, -1));
  }
  return files;
}

function* recordsOf(output: Buffer): Iterable<string> {
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0, at);
    yield output.toString('utf8', at, end < 0 ? output.length : end);
    at = end < 0 ? output.length : end + 1;
  }
}

// U+FFFD replaces bytes that are not UTF-8. Rarely, a name really contains it; that one is left out, too.
function isText(record: string): boolean {
  return !record.includes('\uFFFD');
}

/** The workspace itself is `.`. */
function withoutDot(path: string): string {
  let start = 0;
  while (path.startsWith('./', start)) start += 2;
  return path.slice(start);
}

function kindOfLetter(letter: string): ListEntry['kind'] {
  if (letter === 'f') return 'file';
  if (letter === 'd') return 'folder';
  return letter === 'l' ? 'link' : 'other';
}
