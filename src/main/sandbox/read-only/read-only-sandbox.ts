import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { failure, success, toFailure, type Failure, type Reply } from '@shared/errors.ts';
import { callModeFor, hostFolderOf } from '../../lib/files/host-folder.ts';
import { createIgnoreRules } from '../files/ignore-rules.ts';
import { listDepth, makeListing } from '../files/make-listing.ts';
import { workspaceRelative } from '../files/workspace-relative.ts';
import { readFilesSingly } from '../files/read-files-singly.ts';
import type {
  FileContent,
  FileStat,
  ListEntry,
  ListOptions,
  Listing,
  ReadOptions,
  Sandbox,
  SandboxDescription,
  SandboxFiles,
  ScannedFile,
  SearchQuery,
  SearchResult,
  ScannedFiles,
} from '../sandbox.ts';
import { askDrive } from '../../lib/files/served-drives.ts';
import { openInside, type OpenedPath } from './open-inside.ts';
import { walkHostTree, type TreeEntry } from './walk-host-tree.ts';
import { searchHost } from './search-host.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { kindOf } from '../files/entry-kind.ts';
import { hiddenAmong, hiddenFailure, type HiddenFromReading } from './hidden-from-reading.ts';

export interface ReadOnlyOptions {
  /** A real path on the host. */
  readonly workspacePath: string;
  /** Why there are no commands. Null: read-only was asked for. */
  readonly because: Failure | null;
  /** Absent from lists, and refused by name. */
  readonly hidden?: () => Promise<HiddenFromReading>;
  /** What the user should know of the project. */
  readonly warnings?: readonly string[];
  /** A list or a look at all files ends after so many entries, and says so. */
  readonly mostEntries?: number;
}

const nothingHidden = (): Promise<HiddenFromReading> => Promise.resolve({ has: () => false });

const defaultReadBytes = 4 * 1024 * 1024;
const defaultSearchMatches = 200;
/** The deepest level of a look at all files. */
const scanDepth = 256;
/** What a large project has. The next look at as many takes two or three seconds, and 100 MB of memory. */
const mostHostEntries = 250_000;

/** Reads a project on the host: list, read, stat, search. Never runs a command of the model, and never writes. */
export function createReadOnlySandbox({
  workspacePath,
  because,
  hidden = nothingHidden,
  warnings = [],
  mostEntries = mostHostEntries,
}: ReadOnlyOptions): Sandbox {
  const description: SandboxDescription = {
    tier: 'read-only',
    image: null,
    text: 'Read-only: files of this project can be read and searched; no command runs and nothing is written.',
    limits: { commands: false, writes: false },
    warnings: [...(because === null ? [] : [`${because.message} ${because.hint ?? ''}`.trim()]), ...warnings],
    ...(because === null ? {} : { missing: because }),
  };
  const refuse = (what: string) => Promise.resolve(notPossible(what, because));
  const at = openedAt(workspacePath, hidden);
  const read: SandboxFiles['read'] = (path, options, signal) =>
    at(path, signal, (opened) => readOpened(opened, options, signal));
  return {
    tier: 'read-only',
    description,
    workspacePath,
    scratchPath: null,
    backgroundProcesses: null,
    exec: () => refuse('Running a command'),
    runWithNetwork: () => refuse('Running a command'),
    open: () => refuse('Starting a process'),
    files: {
      write: () => refuse('Writing'),
      delete: () => refuse('Deleting'),
      realPath: () => refuse('Writing'),
      setMode: () => refuse('Changing a mode'),
      read,
      readMany: (paths, options, signal) => readFilesSingly(read, paths, { options, signal }),
      list: (path, options, signal) =>
        at(path, signal, (opened, now) => listOpened(opened, { ...options, mostEntries, hidden: now }, signal)),
      stat: async (path, signal) => {
        const now = await hidden().catch((error: unknown) => ({ ok: false as const, error: toFailure(error) }));
        return 'ok' in now
          ? now
          : whileAnswering(workspacePath, signal, () => statPath({ workspacePath, hidden: now }, path));
      },
      search: (query, signal) =>
        at(query.path ?? '.', signal, (opened, now) =>
          searchOpened({ workspacePath, hidden: now }, { opened, query }, signal),
        ),
      scan: (signal) => at('.', signal, (opened, now) => scanOpened(opened, { mostEntries, hidden: now }, signal)),
    },
    links: { found: () => null, break: async () => ({ broken: 0, left: [] }) },
    prepare: async () => undefined,
    settle: async () => undefined,
    look: async () => ({ isRunning: false, masked: [], pinned: [], usage: null }),
    dispose: () => Promise.resolve(),
  };
}

/** Works on a path of the workspace that is not hidden, open for that long. */
function openedAt(workspacePath: string, hidden: () => Promise<HiddenFromReading>) {
  return async <T>(
    path: string,
    signal: AbortSignal,
    work: (opened: OpenedPath, now: HiddenFromReading) => Promise<Reply<T>>,
  ): Promise<Reply<T>> => {
    const inside = workspaceRelative(path, workspacePath);
    if (!inside.ok) return inside;
    const now = await hidden().catch((error: unknown) => ({ ok: false as const, error: toFailure(error) }));
    if ('ok' in now) return now;
    return whileAnswering(workspacePath, signal, async () => {
      const opened = await openInside(workspacePath, inside.value);
      if (!opened.ok) return opened;
      try {
        if (now.has(opened.value.realPath, opened.value.way)) return hiddenFailure(path);
        return await work(opened.value, now);
      } catch (error) {
        return { ok: false, error: toFailure(error) };
      } finally {
        await opened.value.handle.close();
      }
    });
  };
}

async function whileAnswering<T>(
  workspacePath: string,
  signal: AbortSignal,
  work: () => Promise<Reply<T>>,
): Promise<Reply<T>> {
  try {
    return await askDrive(workspacePath, work, { signal });
  } catch (error) {
    return { ok: false, error: signal.aborted ? failure('cancelled', 'It was cancelled.').error : toFailure(error) };
  }
}

function notPossible(what: string, because: Failure | null): Reply<never> {
  return failure(
    'refused',
    `${what} is not possible: this session is read-only.${because === null ? '' : ` ${because.message}`}`,
    because === null ? 'Start it without --sandbox read-only.' : because.hint,
  );
}

async function readOpened(
  { handle, path }: OpenedPath,
  { maxBytes = defaultReadBytes }: ReadOptions,
  signal: AbortSignal,
): Promise<Reply<FileContent>> {
  if (signal.aborted) return failure('cancelled', 'It was cancelled.');
  const stats = await handle.stat();
  if (stats.isDirectory()) return failure('bad-input', `${path} is a folder.`);
  if (!stats.isFile()) return failure('bad-input', `${path} is not a regular file.`);
  if (stats.size > maxBytes)
    return failure('too-large', `${path} has ${stats.size} bytes; at most ${maxBytes} are read at once.`);
  // One byte more than the size, so that a growing file is noticed but not read without end.
  const buffer = Buffer.alloc(Math.min(maxBytes, stats.size) + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  const bytes = new Uint8Array(buffer.subarray(0, Math.min(filled, maxBytes)));
  return success({ bytes, sha256: sha256Of(bytes), mode: stats.mode & 0o7777 });
}

async function listOpened(
  opened: OpenedPath,
  { hidden, mostEntries, ...options }: ListOptions & Walkable,
  signal: AbortSignal,
): Promise<Reply<Listing>> {
  if (!(await opened.handle.stat()).isDirectory()) return failure('bad-input', `${opened.path} is not a folder.`);
  const entries: ListEntry[] = [];
  const unseen = new Set<string>();
  const ignoreFiles = new Map<string, string>();
  const rules = createIgnoreRules();
  const isCut = await walkHostTree(hostFolderOf(opened.handle, opened.place), {
    prefix: opened.path,
    depth: listDepth(options),
    mostEntries,
    asking: await callModeFor(opened.place),
    all: options.all === true,
    signal,
    isPassedOver: (folder) => options.all !== true && rules.ignoresFolder(folder),
    isHidden: hiddenBelow(opened, hidden),
    onEntry: ({ path, kind, sizeBytes }) => entries.push({ path, kind, sizeBytes }),
    onUnseen: (path) => unseen.add(path),
    onIgnoreFile: (folder, text) => {
      ignoreFiles.set(folder, text);
      rules.add(folder, text);
    },
  });
  const walked = { entries, unseen: [...unseen], ignoreFiles, isCut };
  return success(await makeListing(opened.path, walked, options, signal));
}

/** Judges the entries of a folder by their real paths. They are listed by the path that was asked for. */
function hiddenBelow(
  { path: asked, realPath }: OpenedPath,
  hidden: HiddenFromReading,
): (path: string, stats: BigIntStats) => boolean {
  const from = asked === '.' ? 0 : asked.length + 1;
  return (path, stats) => hidden.has(realPath === '.' ? path.slice(from) : `${realPath}/${path.slice(from)}`, [stats]);
}

interface Walkable {
  readonly hidden: HiddenFromReading;
  readonly mostEntries: number;
}

async function scanOpened(
  opened: OpenedPath,
  { hidden, mostEntries }: Walkable,
  signal: AbortSignal,
): Promise<Reply<ScannedFiles>> {
  const files = new Map<string, ScannedFile>();
  const unseen = new Set<string>();
  const left: string[] = [];
  const isHidden = hiddenBelow(opened, hidden);
  const onEntry = ({ path, kind, sizeBytes, stats }: TreeEntry): void => {
    if (kind === 'folder' && path.split('/').length >= scanDepth) unseen.add(path);
    if (kind !== 'file') return;
    const fingerprint = `${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.ino}`;
    const touchedMs = Math.max(Number(stats.mtimeMs), Number(stats.ctimeMs));
    files.set(path, { sizeBytes, mode: Number(stats.mode) & 0o7777, fingerprint, touchedMs });
  };
  const isCut = await walkHostTree(hostFolderOf(opened.handle, opened.place), {
    prefix: '.',
    depth: scanDepth,
    mostEntries,
    asking: await callModeFor(opened.place),
    all: false,
    signal,
    isHidden: (path, stats) => isHidden(path, stats) && left.push(path) > 0,
    onEntry,
    onUnseen: (path) => unseen.add(path),
    onIgnoreFile: () => undefined,
  });
  const cut = isCut ? { isCut: true as const } : {};
  if (isCut) unseen.add('.');
  return success({ files, unseen: [...unseen].sort(), hidden: left, ...cut });
}

interface Reading {
  readonly workspacePath: string;
  readonly hidden: HiddenFromReading;
}

// The last part itself is not followed, so that a link is reported as a link. The path to it is opened part by part.
async function statPath({ workspacePath, hidden }: Reading, path: string): Promise<Reply<FileStat>> {
  const inside = workspaceRelative(path, workspacePath);
  if (!inside.ok) return inside;
  const cut = inside.value.lastIndexOf('/');
  const opened = await openInside(workspacePath, cut < 0 ? '.' : inside.value.slice(0, cut));
  if (!opened.ok) return opened;
  const { handle, place, realPath, way } = opened.value;
  const name = inside.value.slice(cut + 1);
  try {
    const stats = await lstat(hostFolderOf(handle, place).at(name), { bigint: true });
    if (hidden.has(realPath === '.' ? name : `${realPath}/${name}`, [...way, stats])) return hiddenFailure(path);
    return success({
      kind: kindOf(stats),
      sizeBytes: Number(stats.size),
      mode: Number(stats.mode) & 0o7777,
      modifiedMs: Math.round(Number(stats.mtimeMs)),
    });
  } catch {
    return failure('not-found', `There is no ${inside.value}.`);
  } finally {
    await handle.close();
  }
}

async function searchOpened(
  { workspacePath, hidden }: Reading,
  { opened, query }: { readonly opened: OpenedPath; readonly query: SearchQuery },
  signal: AbortSignal,
): Promise<Reply<SearchResult>> {
  if (query.pattern.includes('\0') || query.glob?.includes('\0') === true)
    return failure('bad-input', 'A pattern cannot hold a NUL character.');
  const stats = await opened.handle.stat();
  // Reading a pipe would block.
  if (!stats.isFile() && !stats.isDirectory()) return failure('bad-input', `${opened.path} is not a regular file.`);
  const limit = query.limit ?? defaultSearchMatches;
  // What is hidden does not count for the limit, because the limit would tell of it.
  const all = { ...query, path: opened.realPath, limit: Number.POSITIVE_INFINITY };
  const found = await searchHost(workspacePath, all, signal);
  if (!found.ok) return found;
  const paths = found.value.matches.map(({ path }) => path);
  const left = await hiddenAmong(workspacePath, paths, hidden);
  const shown = found.value.matches.filter(({ path }) => !left.has(path));
  return success({ matches: shown.slice(0, limit), truncated: shown.length > limit });
}
