import { canvasLimits, isPictureName } from '@shared/tools/canvas.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import { inSlices, pauses } from '../../lib/async/pauses.ts';
import { guardKind } from '../../safety/guarded-files.ts';
import type { FileContent, SandboxFiles, ScannedFile, ScannedFiles } from '../../sandbox/sandbox.ts';
import type { BaselineFile, BaselineMark } from './baseline-file.ts';
import type { FoundChange, KnownFile } from './known-file.ts';

/**
 * The workspace's files as they were before a command, so that the command's changes can be reverted. Kept in memory up
 * to a bound. In a larger project, what tools write is kept, but of the changes of commands only what fits.
 */
export interface FileBaseline {
  /** Takes over changes since the last scan, such as the user's edits. The first call reads everything. */
  readonly refresh: (signal: AbortSignal) => Promise<boolean>;
  /** Returns what changed since the last scan, and takes it over. Null: the sandbox cannot be scanned. */
  readonly collect: (signal: AbortSignal) => Promise<readonly FoundChange[] | null>;
  /** Folders that could not be scanned and that were not returned before. */
  readonly takeUnseen: () => readonly string[];
  /** Records that a tool wrote a file, or deleted it (`null`). */
  readonly note: (path: string, bytes: Uint8Array | null, mode: number) => void;
  /**
   * Puts what is known on disk, where it outlives this process, before something of the mark changes files. `more`:
   * files as they are now that the last scan may not know. Rejects with `disk-full`.
   */
  readonly keep: (mark: BaselineMark, more?: ReadonlyMap<string, KnownFile | null>) => Promise<void>;
  /** Removes it from the disk, after everything ended well. */
  readonly end: () => Promise<void>;
}

const MAX_FILE_BYTES = 512 * 1024;
/** Guarded files are restored, so they must be kept: lock files are long. */
const MAX_GUARDED_BYTES = 4 * 1024 * 1024;
const MAX_TOTAL_BYTES = 24 * 1024 * 1024;
const MAX_FILES = 150_000;
/** On disk, where every change is added at the end until it begins again. */
const MAX_KEPT_BYTES = 4 * MAX_TOTAL_BYTES;
/** Files are read in batches of at most this many bytes. */
const READ_BYTES = 8 * 1024 * 1024;
/** In larger batches, others would wait. */
const MAX_BATCH = 5_000;

/** `file`: where it is kept on disk. Null: nowhere. */
export function createFileBaseline(projectFiles: SandboxFiles, file: BaselineFile | null): FileBaseline {
  const { known, kept, forget, remember, takeChanged } = createKnown();
  const unseen = createUnseen();
  let started = false;
  let isKept = true;

  const look = async (signal: AbortSignal): Promise<readonly FoundChange[] | null> => {
    const scan = await projectFiles.scan(signal);
    if (!scan.ok) return null;
    unseen.note(scan.value.unseen);
    const { touched, gone } = await differencesOf(known, scan.value);
    const found: FoundChange[] = gone.map((path) => ({ path, before: known.get(path) ?? null, after: null }));
    for (const path of gone) forget(path);
    // The first scan reads what can be kept. Later scans read the changes of a command, up to the same bound again.
    const room = started ? MAX_TOTAL_BYTES : MAX_TOTAL_BYTES - kept.bytes;
    const pause = pauses(neverAborts);
    for (const batch of batchesOf(touched, room, started)) {
      const paths = batch.filter(({ isRead }) => isRead).map(({ path }) => path);
      const read = await readAll(projectFiles, paths, signal);
      // Files that were not read because of an abort stay unknown, so the next scan reads them.
      if (signal.aborted) return null;
      for (const one of batch) {
        const after = knownFrom(one, read.get(one.path));
        const before = known.get(one.path) ?? null;
        remember(one.path, after);
        // The first scan finds no changes: all of it is new.
        if (started && (before === null || !isSame(before, after))) found.push({ path: one.path, before, after });
      }
      await pause();
    }
    return found.sort(byPath);
  };

  return {
    refresh: async (signal) => {
      const found = await look(signal);
      started = started || found !== null;
      return found !== null;
    },
    collect: async (signal) => (started ? look(signal) : []),
    takeUnseen: unseen.take,
    note: (path, bytes, mode) => {
      if (!started) return;
      if (bytes === null) forget(path);
      else {
        const isLarge = bytes.length > mostBytes(path);
        const why = isLarge ? 'too-large' : null;
        remember(path, { fingerprint: null, sizeBytes: bytes.length, mode, bytes: isLarge ? null : bytes, why });
      }
    },
    keep: async (mark, more = new Map()) => {
      // Without a first look, every file would later count as new.
      if (file === null || (!started && mark.paths === null)) return;
      const anew = !isKept || file.bytes() > MAX_KEPT_BYTES;
      // What a full disk did not take is in none of the next additions.
      isKept = false;
      const changed = takeChanged();
      if (anew) await file.replace(bothOf(known, more), mark);
      else await file.add(bothOf(changed, more), mark);
      isKept = true;
    },
    end: async () => file?.remove(),
  };
}

/** What is later counts. */
function* bothOf<T>(first: Iterable<T>, later: Iterable<T>): Iterable<T> {
  yield* first;
  yield* later;
}

/** In slices: a project may have a million files. */
async function differencesOf(
  known: ReadonlyMap<string, KnownFile>,
  { files, unseen, hidden = [] }: ScannedFiles,
): Promise<{ readonly touched: readonly (readonly [string, ScannedFile])[]; readonly gone: readonly string[] }> {
  const touched: (readonly [string, ScannedFile])[] = [];
  for await (const some of inSlices(files, neverAborts))
    touched.push(...some.filter(([path, file]) => isTouched(known.get(path), file)));
  const left = new Set(hidden);
  const mayBeBelow = belowAny([...unseen, ...left]);
  const gone: string[] = [];
  for await (const some of inSlices(known.keys(), neverAborts))
    gone.push(...some.filter((path) => !files.has(path) && !left.has(path) && !mayBeBelow(path)));
  return { touched, gone };
}

/** Files by path, with the bytes of as many as fit. */
function createKnown(): {
  readonly known: ReadonlyMap<string, KnownFile>;
  readonly kept: { readonly bytes: number };
  readonly forget: (path: string) => void;
  readonly remember: (path: string, file: KnownFile) => void;
  /** What changed since the last call; null: it is gone. */
  readonly takeChanged: () => ReadonlyMap<string, KnownFile | null>;
} {
  const known = new Map<string, KnownFile>();
  const kept = { bytes: 0, files: 0 };
  let changed = new Map<string, KnownFile | null>();
  const forget = (path: string): void => {
    const old = known.get(path);
    if (old?.bytes !== undefined && old.bytes !== null) {
      kept.bytes -= old.bytes.length;
      kept.files -= 1;
    }
    known.delete(path);
    changed.set(path, null);
  };
  const remember = (path: string, file: KnownFile): void => {
    forget(path);
    const fits = file.bytes !== null && kept.bytes + file.bytes.length <= MAX_TOTAL_BYTES && kept.files < MAX_FILES;
    if (fits) {
      kept.bytes += file.bytes.length;
      kept.files += 1;
    }
    const now = fits || file.bytes === null ? file : { ...file, bytes: null, why: 'too-large' as const };
    known.set(path, now);
    changed.set(path, now);
  };
  const takeChanged = (): ReadonlyMap<string, KnownFile | null> => {
    const taken = changed;
    changed = new Map();
    return taken;
  };
  return { known, kept, forget, remember, takeChanged };
}

/** Folders that could not be scanned; each is returned once. */
function createUnseen(): {
  readonly note: (folders: readonly string[]) => void;
  readonly take: () => readonly string[];
} {
  const told = new Set<string>();
  let fresh: string[] = [];
  return {
    note: (folders) => {
      for (const folder of folders.filter((path) => !told.has(path))) {
        told.add(folder);
        fresh.push(folder);
      }
    },
    take: () => {
      const taken = fresh;
      fresh = [];
      return taken;
    },
  };
}

/** Whether a path is inside one of the folders; `.` contains everything. */
export function belowAny(folders: readonly string[]): (path: string) => boolean {
  const all = new Set(folders);
  if (all.size === 0) return () => false;
  return (path) => {
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1))
      if (all.has(path.slice(0, cut))) return true;
    return all.has('.');
  };
}

/**
 * Whether a file changed since it was last known. A file that a tool wrote gets its fingerprint at the next scan; a
 * different size then means a later change.
 */
function isTouched(known: KnownFile | undefined, file: ScannedFile): boolean {
  if (known === undefined) return true;
  if (known.fingerprint === null && known.sizeBytes === file.sizeBytes) {
    known.fingerprint = file.fingerprint;
    return false;
  }
  return known.fingerprint !== file.fingerprint;
}

interface Touched {
  readonly path: string;
  readonly file: ScannedFile;
  /** True if the file is small enough and there was room left. */
  readonly isRead: boolean;
}

function* batchesOf(
  touched: readonly (readonly [string, ScannedFile])[],
  room: number,
  started: boolean,
): Iterable<readonly Touched[]> {
  let batch: Touched[] = [];
  let size = 0;
  let left = room;
  for (const [index, [path, file]] of touched.entries()) {
    // A picture that a command made is kept, because the user will look at it. The project's own pictures would take
    // the room of its texts.
    const usual = mostBytes(path);
    const isPicture = started && file.sizeBytes > usual && isPictureName(path);
    const most = isPicture ? canvasLimits.imageBytes : usual;
    const isRead = isText(path) && file.sizeBytes <= Math.min(most, left) && index < MAX_FILES;
    if (batch.length >= MAX_BATCH || (isRead && size + file.sizeBytes > READ_BYTES)) {
      yield batch;
      batch = [];
      size = 0;
    }
    if (isRead) {
      size += file.sizeBytes;
      left -= file.sizeBytes;
    }
    batch.push({ path, file, isRead });
  }
  if (batch.length > 0) yield batch;
}

type Read = ReadonlyMap<string, FileContent>;

async function readAll(projectFiles: SandboxFiles, paths: readonly string[], signal: AbortSignal): Promise<Read> {
  if (paths.length === 0) return new Map();
  const read = await projectFiles.readMany(paths, { maxBytes: MAX_GUARDED_BYTES }, signal);
  return read.ok ? read.value : new Map();
}

export function mostBytes(path: string): number {
  return guardKind(path) === null ? MAX_FILE_BYTES : MAX_GUARDED_BYTES;
}

function isText(path: string): boolean {
  return !path.includes('\uFFFD');
}

function knownFrom({ path, file, isRead }: Touched, content: FileContent | undefined): KnownFile {
  const { fingerprint, sizeBytes, mode } = file;
  if (content !== undefined) return { fingerprint, sizeBytes, mode: content.mode, bytes: content.bytes, why: null };
  const why = isRead ? 'not-a-file' : isText(path) ? 'too-large' : 'no-text-name';
  return { fingerprint, sizeBytes, mode, bytes: null, why };
}

/** Whether content and mode are equal. A file that was not kept counts as changed. */
export function isSame(before: KnownFile, after: KnownFile): boolean {
  if (before.bytes === null || after.bytes === null || before.mode !== after.mode) return false;
  return Buffer.compare(before.bytes, after.bytes) === 0;
}

function byPath(left: FoundChange, right: FoundChange): number {
  return left.path < right.path ? -1 : 1;
}
