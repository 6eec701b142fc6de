import type { CutOff } from '../../sessions/store/session-store.ts';
import { valueOf, type Reply } from '@shared/errors.ts';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import { globMatcher } from '@shared/safety/fences.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import { pauses } from '../../lib/async/pauses.ts';
import { clockNow } from '../../lib/async/clock.ts';
import { createReadOnlySandbox } from '../../sandbox/read-only/read-only-sandbox.ts';
import type { SandboxFiles, ScannedFile } from '../../sandbox/sandbox.ts';
import { findHiddenFiles } from '../../sandbox/workspace/find-hidden-files.ts';
import type { Blobs } from '../../sessions/blobs/blob-store.ts';
import { isTouchedSince } from '../../sessions/store/touched-files.ts';
import { readBaselineFile, type SavedBaseline } from './baseline-file.ts';
import { belowAny, isSame, mostBytes } from './file-baseline.ts';
import type { FoundChange, KnownFile } from './known-file.ts';
import { countLines, unkeptImage } from './file-changes.ts';

export interface RecoveryOptions {
  readonly blobs: Blobs;
  readonly homePath: string;
  readonly settings: () => Settings['sandbox'];
  /** The globs of files that the user hides from commands. */
  readonly masks: (projectPath: string | null) => Promise<readonly string[]>;
}

/**
 * The changes to files that nobody recorded because the program died: the contents before the command, which are on
 * disk, are compared with what is there now. Whoever changed a file since counts as the command.
 */
export async function recoverChanges(options: RecoveryOptions, cut: CutOff): Promise<readonly NewEvent[]> {
  const root = cut.state.workspace?.path;
  const saved = await readBaselineFile(cut.baselinePath);
  if (saved === null || root === undefined || !(cut.hasOpenCall || saved.mark.isLeft)) return [];
  const before = await withRecorded(options.blobs, saved, cut.read(saved.mark.seq + 1));
  const files = filesThatAnswer(createReadOnlySandbox({ workspacePath: root, because: null }).files);
  // A folder that is gone, or on a disk that is away, has no changes.
  if (!(await files.stat('.', neverAborts)).ok) return [];
  const found = await (saved.mark.paths === null
    ? compareAll(files, { before, since: saved.mark.at, isHidden: await hiddenIn(options, root, cut.state) })
    : compareEach(files, before, saved.mark.paths));
  const { turnId, toolCallId, by } = saved.mark;
  const events: NewEvent[] = [];
  for (const change of found) {
    const { added, removed } = countLines(change.before?.bytes ?? null, change.after?.bytes ?? null);
    const isKnown = [change.before, change.after].every((file) => file === null || file.bytes !== null);
    events.push({
      type: 'file-changed',
      turnId,
      path: change.path,
      before: await imageOf(options.blobs, change.before, null),
      after: await imageOf(options.blobs, change.after, clockNow()),
      by,
      toolCallId,
      added: isKnown ? added : null,
      removed: isKnown ? removed : null,
      undoes: [],
    });
  }
  return events;
}

type FilesToCompare = Pick<SandboxFiles, 'stat' | 'scan' | 'read' | 'readMany'>;

/** Rejects where a drive is silent: what is on it is seen once it answers, and until then the session stays as it is. */
function filesThatAnswer(files: FilesToCompare): FilesToCompare {
  const answered = async <T>(reply: Promise<Reply<T>>): Promise<Reply<T>> => {
    const done = await reply;
    if (!done.ok && done.error.code === 'timeout') valueOf(done);
    return done;
  };
  return {
    stat: (path, signal) => answered(files.stat(path, signal)),
    scan: (signal) => answered(files.scan(signal)),
    read: (path, options, signal) => answered(files.read(path, options, signal)),
    readMany: (paths, options, signal) => answered(files.readMany(paths, options, signal)),
  };
}

/** Paths that commands did not see, because they hold secrets or a rule hides them. */
async function hiddenIn(
  { settings, homePath, masks: masksOf }: RecoveryOptions,
  workspacePath: string,
  { projectPath }: SessionState,
): Promise<(path: string) => boolean> {
  const globs = await masksOf(projectPath);
  const query = { workspacePath, settings: settings(), homePath, masks: globs };
  // What cannot be searched for secrets shows none of them.
  const found = await findHiddenFiles(query, neverAborts).catch(() => null);
  if (found === null) return () => true;
  const fits = globs.map(globMatcher);
  return (path) =>
    fits.some((fit) => fit(path)) || found.masks.some((mask) => path === mask.path || path.startsWith(`${mask.path}/`));
}

type Files = ReadonlyMap<string, KnownFile | null>;

/** The files as they were, with the changes that reached the log. */
async function withRecorded(
  blobs: Blobs,
  { files }: SavedBaseline,
  events: AsyncIterable<SessionEvent>,
): Promise<Files> {
  const now = new Map(files);
  for await (const event of events) {
    if (event.type === 'file-changed') now.set(event.path, await fileOf(blobs, event.after));
  }
  return now;
}

async function fileOf(blobs: Blobs, image: FileImage): Promise<KnownFile | null> {
  if (image === null) return null;
  const known = { fingerprint: null, mode: image.kept ? image.mode : 0, sizeBytes: image.kept ? image.blob.bytes : -1 };
  const bytes = image.kept ? await blobs.get(image.blob) : null;
  return { ...known, bytes, why: bytes === null ? 'too-large' : null };
}

interface Comparison {
  readonly before: Files;
  /** When the command began, in milliseconds since 1970. */
  readonly since: number;
  readonly isHidden: (path: string) => boolean;
}

/** Files are read in batches of about this many bytes. */
const batchBytes = 8 * 1024 * 1024;

async function compareAll(projectFiles: FilesToCompare, comparison: Comparison): Promise<readonly FoundChange[]> {
  const { before, since } = comparison;
  const scan = await projectFiles.scan(neverAborts);
  if (!scan.ok) return [];
  const { files, unseen } = scan.value;
  const isUnseen = belowAny(unseen);
  const found: FoundChange[] = [];
  const pause = pauses(neverAborts);
  for (const [path, known] of before) {
    await pause();
    if (known === null || files.has(path) || isUnseen(path) || isPassedOver(comparison, path)) continue;
    found.push({ path, before: known, after: null });
  }
  const moved = movedFrom(found);
  const isTouched = (file: ScannedFile): boolean => isTouchedSince(file.touchedMs ?? since, since);
  let batch: [string, ScannedFile][] = [];
  let size = 0;
  const compareBatch = async (): Promise<void> => {
    const times = new Map(batch.map(([path, file]) => [path, isTouched(file)]));
    const read = await compareRead(projectFiles, before, batch);
    found.push(...read.filter((one) => one.before !== null || times.get(one.path) === true || moved.are(one)));
    batch = [];
    size = 0;
  };
  for (const [path, file] of files) {
    await pause();
    const known = before.get(path) ?? null;
    // What is kept is compared byte by byte, so no clock decides about it.
    const isKept = known !== null && known.bytes !== null;
    if (isPassedOver(comparison, path)) continue;
    if (!isKept && !isTouched(file) && (known === null ? !moved.may(path, file) : known.sizeBytes === file.sizeBytes))
      continue;
    batch.push([path, file]);
    size += Math.min(file.sizeBytes, mostBytes(path));
    if (size >= batchBytes) await compareBatch();
  }
  await compareBatch();
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
}

interface MovedFiles {
  readonly may: (path: string, file: ScannedFile) => boolean;
  readonly are: (change: FoundChange) => boolean;
}

/**
 * A file keeps its times when a folder above it is renamed. So it is known by its name and content, which are gone
 * elsewhere.
 */
function movedFrom(gone: readonly FoundChange[]): MovedFiles {
  const keyOf = (path: string, sizeBytes: number): string => `${sizeBytes} ${path.slice(path.lastIndexOf('/') + 1)}`;
  const byKey = new Map<string, Uint8Array[]>();
  for (const { path, before } of gone) {
    if (before === null || before.bytes === null) continue;
    const key = keyOf(path, before.sizeBytes);
    byKey.set(key, [...(byKey.get(key) ?? []), before.bytes]);
  }
  return {
    may: (path, { sizeBytes }) => byKey.has(keyOf(path, sizeBytes)),
    are: ({ path, after }) => {
      const bytes = after?.bytes ?? null;
      return (
        bytes !== null && (byKey.get(keyOf(path, bytes.length)) ?? []).some((old) => Buffer.compare(old, bytes) === 0)
      );
    },
  };
}

/** A command found hidden files empty. One that it saw with content was not hidden then. */
function isPassedOver({ before, isHidden }: Comparison, path: string): boolean {
  return (before.get(path)?.bytes?.length ?? 0) === 0 && isHidden(path);
}

async function compareRead(
  projectFiles: FilesToCompare,
  before: Files,
  batch: readonly (readonly [string, ScannedFile])[],
): Promise<readonly FoundChange[]> {
  const small = batch.filter(([path, file]) => file.sizeBytes <= mostBytes(path)).map(([path]) => path);
  const read = await projectFiles.readMany(small, { maxBytes: batchBytes }, neverAborts);
  return batch.flatMap(([path, { sizeBytes, mode }]) => {
    const content = read.ok ? read.value.get(path) : undefined;
    const why = content === undefined ? (small.includes(path) ? 'not-a-file' : 'too-large') : null;
    const after = { fingerprint: null, sizeBytes, mode, bytes: content?.bytes ?? null, why } as const;
    const known = before.get(path) ?? null;
    return known !== null && isSame(known, after) ? [] : [{ path, before: known, after }];
  });
}

async function compareEach(
  projectFiles: FilesToCompare,
  before: Files,
  paths: readonly string[],
): Promise<readonly FoundChange[]> {
  const found: FoundChange[] = [];
  for (const path of paths) {
    const known = before.get(path) ?? null;
    const read = await projectFiles.read(path, { maxBytes: batchBytes }, neverAborts);
    if (!read.ok && read.error.code !== 'not-found') continue;
    const { bytes, mode } = read.ok ? read.value : { bytes: null, mode: 0 };
    const after = bytes === null ? null : { fingerprint: null, sizeBytes: bytes.length, mode, bytes, why: null };
    if (known === null ? after === null : after !== null && isSame(known, after)) continue;
    found.push({ path, before: known, after });
  }
  return found;
}

async function imageOf(blobs: Blobs, file: KnownFile | null, seenAt: number | null): Promise<FileImage> {
  if (file === null) return null;
  if (file.bytes === null) return unkeptImage(file, seenAt);
  const blob = await blobs.put(file.bytes);
  await blobs.sync(blob);
  return { kept: true, blob, mode: file.mode };
}
