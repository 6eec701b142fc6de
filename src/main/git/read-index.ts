import { AppError } from '@shared/errors.ts';

/** What the library does not say about the index. Paths are as git keeps them. */
export interface IndexNotes {
  readonly conflicts: ReadonlySet<string>;
  /** Files that a sparse checkout leaves out. They are missing on purpose. */
  readonly leftOut: ReadonlySet<string>;
  readonly submodules: readonly string[];
}

const headBytes = 12;
const fieldBytes = 62;
const linkMode = 0o160000;

/** One file of the index, with its bytes as they are. */
export interface IndexEntry {
  readonly path: string;
  readonly oid: string;
  readonly mode: number;
  readonly isConflict: boolean;
  readonly isLeftOut: boolean;
  readonly isExtended: boolean;
  /** Both in seconds and nanoseconds, as git noted them. */
  readonly written: { readonly seconds: number; readonly nanoseconds: number; readonly size: number };
  readonly bytes: Buffer;
}

/** Reads git's index, versions 2 and 3. Rejects forms of it in which entries are elsewhere. */
export function readIndex(bytes: Buffer): IndexNotes {
  const conflicts = new Set<string>();
  const leftOut = new Set<string>();
  const submodules = new Set<string>();
  for (const { path, mode, isConflict, isLeftOut } of indexEntries(bytes)) {
    if (isConflict) conflicts.add(path);
    if (isLeftOut) leftOut.add(path);
    if ((mode & 0o170000) === linkMode) submodules.add(path);
  }
  return { conflicts, leftOut, submodules: [...submodules] };
}

/** The same, entry by entry. */
export function* indexEntries(bytes: Buffer): Iterable<IndexEntry> {
  if (bytes.length < headBytes + 20 || bytes.toString('latin1', 0, 4) !== 'DIRC') throw damaged();
  const version = bytes.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw unknownForm();
  const end = bytes.length - 20;
  let at = headBytes;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    if (at + fieldBytes > end) throw damaged();
    const flags = bytes.readUInt16BE(at + 60);
    const isExtended = (flags & 0x4000) !== 0;
    const from = at + fieldBytes + (isExtended ? 2 : 0);
    const to = bytes.indexOf(0, from);
    if (to < 0 || to > end) throw damaged();
    const next = at + Math.ceil((to - at + 1) / 8) * 8;
    const number = (offset: number): number => bytes.readUInt32BE(at + offset);
    yield {
      path: bytes.toString('utf8', from, to),
      oid: bytes.toString('hex', at + 40, at + 60),
      mode: number(24),
      isConflict: (flags & 0x3000) !== 0,
      isLeftOut: isExtended && (bytes.readUInt16BE(at + fieldBytes) & 0x4000) !== 0,
      isExtended,
      written: { seconds: number(8), nanoseconds: number(12), size: number(36) },
      bytes: bytes.subarray(at, next),
    };
    at = next;
  }
  while (at + 8 <= end) {
    // An extension whose name begins with a small letter changes what the entries mean.
    if (/^[a-z]/u.test(bytes.toString('latin1', at, at + 4))) throw unknownForm();
    at += 8 + bytes.readUInt32BE(at + 4);
  }
}

const damaged = (): AppError =>
  new AppError('bad-input', 'The index of the repository is damaged.', { hint: 'Write it anew: git reset' });

const unknownForm = (): AppError =>
  new AppError('bad-input', 'The index of the repository has a form that Dewpoint cannot read yet.', {
    hint: 'Write it in the usual form: git update-index --index-version 2 --no-split-index, or git sparse-checkout reapply --no-sparse-index',
  });
