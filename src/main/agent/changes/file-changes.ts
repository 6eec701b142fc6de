import type { Failure, Reply } from '@shared/errors.ts';
import { failure, success } from '@shared/errors.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { isSameImage, leftByUndo } from '@shared/session/file-change-state.ts';
import type { FileContent, Sandbox, SandboxFiles } from '../../sandbox/sandbox.ts';
import { changesBetween } from '../../sessions/changes/changes-in-log.ts';
import { fileWithoutChanges } from '../../sessions/changes/merge-images.ts';
import type { Journal } from '../../sessions/journal/journal.ts';
import type { BaselineMark } from './baseline-file.ts';
import type { FileBaseline } from './file-baseline.ts';
import type { FoundChange, KnownFile } from './known-file.ts';
import type { TurnLog } from '../turn/turn-log.ts';
import { diffLines } from 'diff';
import type { Actor, FileImage } from '@shared/events/tool-events.ts';
import { textPair } from '../../lib/files/file-text.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import type { HiddenValues } from '../../safety/hidden-values.ts';
import { restoreHidden } from './restore-hidden.ts';

/** Larger files get no line counts, because a diff would take too long. */
const MAX_BYTES = 256 * 1024;
const MAX_EDITS = 4_000;

/**
 * Added and removed lines between two versions; a version that is null does not exist. The counts are null for binary
 * or large files.
 */
export function countLines(
  before: Uint8Array | null,
  after: Uint8Array | null,
): { readonly added: number | null; readonly removed: number | null } {
  const unknown = { added: null, removed: null };
  if ((before?.length ?? 0) > MAX_BYTES || (after?.length ?? 0) > MAX_BYTES) return unknown;
  const pair = textPair(before, after);
  const changes = pair && diffLines(pair.before, pair.after, { maxEditLength: MAX_EDITS });
  if (!changes) return unknown;
  let added = 0;
  let removed = 0;
  for (const change of changes) {
    if (change.added) added += change.count ?? 0;
    else if (change.removed) removed += change.count ?? 0;
  }
  return { added, removed };
}

/** Who changes a file, and in which call. */
export interface ChangeBy {
  readonly by: Actor;
  readonly toolCallId: string;
}

export interface RecordedChange {
  readonly seq: number;
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
}

/** The new content of a file; `bytes` null deletes it. `expect`: its present SHA-256; null: it does not exist. */
export interface WriteTarget {
  readonly path: string;
  readonly bytes: Uint8Array | null;
  readonly expect: string | null;
}

/**
 * Records every change of a turn to the workspace, with the content before it. Live only: a replay takes `file-changed`
 * from the log, so nothing here may influence what the agent does next.
 */
export interface FileChanges {
  /**
   * Writes or deletes a file if it is still what `expect` says. `same`: it already had this content. A write is
   * recorded even if the turn is cancelled meanwhile.
   */
  readonly write: (target: WriteTarget, who: ChangeBy) => Promise<Reply<'written' | 'same'>>;
  /**
   * Runs something that may change any file, and records its changes. `isOwed`: the workspace could not be scanned
   * afterwards because the sandbox is away; its changes are recorded as soon as possible.
   */
  readonly around: <T>(
    who: ChangeBy,
    run: () => Promise<T>,
  ) => Promise<{ readonly value: T; readonly changed: readonly RecordedChange[]; readonly isOwed: boolean }>;
  readonly recorded: () => readonly RecordedChange[];
  /** The number of writes and deletions, including those without an effect. */
  readonly writes: () => number;
  /**
   * Restores files to their content before the given changes. What somebody else changed between them stays. A file that
   * differs from what the last change left, or where both changed the same lines, is not touched; its path is returned in
   * `kept`.
   */
  readonly revert: (
    changes: readonly RecordedChange[],
    toolCallId: string,
  ) => Promise<{ readonly back: readonly string[]; readonly kept: readonly string[] }>;
  /**
   * Applies reverted changes again. False: a file no longer matches the start of its change; the others are applied.
   */
  readonly reapply: (changes: readonly RecordedChange[], who: ChangeBy) => Promise<boolean>;
}

interface Context {
  readonly sandbox: Sandbox;
  readonly journal: Journal;
  readonly log: TurnLog;
  readonly baseline: FileBaseline;
  readonly signal: AbortSignal;
  readonly hidden: Pick<HiddenValues, 'restore'>;
  readonly recorded: RecordedChange[];
  readonly counts: { writes: number };
  /** The call whose changes could not be recorded yet. */
  readonly owed: { by: ChangeBy | null };
  /** The running calls, outermost first: a program's calls may change files, too. */
  readonly running: { readonly by: ChangeBy; readonly changed: RecordedChange[] }[];
  readonly turnId: string;
  /** Whether the disk says that something goes on. At the start of a turn, that is not known. */
  readonly left: { is: boolean };
}

const MAX_IMAGE_BYTES = 8 * 1024 * 1024;
const newFileMode = 0o644;
/** The owner may read and write. */
const ownerMode = 0o600;

export function createFileChanges(
  context: Omit<Context, 'recorded' | 'counts' | 'owed' | 'running' | 'left'>,
): FileChanges {
  const own = { recorded: [], counts: { writes: 0 }, owed: { by: null }, running: [], left: { is: true } };
  const full: Context = { ...context, ...own };
  return {
    write: (target, who) => write(full, target, who),
    around: (who, run) => around(full, who, run),
    recorded: () => full.recorded,
    writes: () => full.counts.writes,
    revert: (changes, toolCallId) => revert(full, changes, toolCallId),
    reapply: (changes, who) => reapply(full, changes, who),
  };
}

async function write(
  context: Context,
  { path, bytes: given, expect }: WriteTarget,
  who: ChangeBy,
): Promise<Reply<'written' | 'same'>> {
  const { sandbox, signal } = context;
  const current = await sandbox.files.read(path, { maxBytes: MAX_IMAGE_BYTES }, signal);
  if (!current.ok && current.error.code !== 'not-found') return current;
  const before = current.ok ? current.value : null;
  if ((before?.sha256 ?? null) !== expect) return stale(path, before === null);
  const restored = restoreHidden(context.hidden, { path, before: before?.bytes ?? null, after: given });
  if (!restored.ok) return restored;
  const bytes = restored.value;
  if (bytes === null && before === null) return failure('not-found', `${path} does not exist.`);
  if (signal.aborted) return failure('cancelled', 'It was cancelled.');
  context.counts.writes += 1;
  if (bytes !== null && before?.sha256 === sha256Of(bytes)) return success('same');
  const known = toKnown(before?.bytes ?? null, before?.mode ?? newFileMode);
  // A program that calls the tool may change any file meanwhile, and so may what runs in the background.
  const paths = context.running.length === 0 && !goesOn(context) ? [path] : null;
  await context.baseline.keep(markOf(context, context.running[0]?.by ?? who, { paths }), new Map([[path, known]]));
  const done =
    bytes === null
      ? await sandbox.files.delete(path, expect ?? undefined, signal)
      : await sandbox.files.write(path, bytes, expect, signal);
  if (!done.ok) return done;
  const mode = before?.mode ?? newFileMode;
  context.baseline.note(path, bytes, mode);
  await record(context, { path, before: known, after: toKnown(bytes, mode) }, who);
  return success('written');
}

function stale(path: string, isGone: boolean): { readonly ok: false; readonly error: Failure } {
  const what = isGone ? 'was deleted or renamed' : 'was changed by someone else';
  return failure('stale-file', `${path} ${what} since it was last read. It was left as it is.`, 'Read it again first.');
}

function toKnown(bytes: Uint8Array | null, mode: number): KnownFile | null {
  return bytes === null ? null : { fingerprint: null, sizeBytes: bytes.length, mode, bytes, why: null };
}

async function around<T>(
  context: Context,
  who: ChangeBy,
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly changed: readonly RecordedChange[]; readonly isOwed: boolean }> {
  const { owed, running } = context;
  const outer = running.at(-1);
  if (owed.by !== null) {
    if ((await recordFound(context, owed.by)) !== null) owed.by = null;
  } else if (outer === undefined) await context.baseline.refresh(context.signal);
  // What the outer program changed so far is its own work, not the user's.
  else outer.changed.push(...((await recordFound(context, outer.by)) ?? []));
  await context.baseline.keep(markOf(context, outer?.by ?? who));
  const own: Context['running'][number] = { by: who, changed: [] };
  running.push(own);
  const value = await run().finally(() => running.splice(running.indexOf(own), 1));
  const changed = await recordFound(context, who);
  if (changed === null) owed.by ??= who;
  await noteLeft(context, who);
  return { value, changed: [...own.changed, ...(changed ?? [])], isOwed: changed === null };
}

/** What goes on after a call, and changes that are owed, must be known to whoever recovers this session. */
async function noteLeft(context: Context, who: ChangeBy): Promise<void> {
  const isLeft = goesOn(context);
  if (!isLeft && !context.left.is) return;
  context.left.is = isLeft;
  await context.baseline.keep(markOf(context, who));
}

/** Whether something may change files now, although no call runs. */
function goesOn({ owed, sandbox }: Context): boolean {
  return owed.by !== null || (sandbox.backgroundProcesses?.list() ?? []).some(({ status }) => status === 'running');
}

function markOf(
  context: Context,
  { by, toolCallId }: ChangeBy,
  { paths = null }: { readonly paths?: readonly string[] | null } = {},
): BaselineMark {
  const { journal, turnId } = context;
  const at = journal.now();
  return {
    seq: journal.state().seq,
    at,
    turnId,
    toolCallId,
    by,
    paths: paths === null ? null : [...paths],
    isLeft: goesOn(context),
  };
}

/** Null: the workspace could not be scanned. */
async function recordFound(context: Context, who: ChangeBy): Promise<readonly RecordedChange[] | null> {
  // Also after an abort, because the changes of a killed command belong in the log.
  const found = await context.baseline.collect(neverAborts);
  if (found === null) return null;
  const changed: RecordedChange[] = [];
  for (const change of found) changed.push(await record(context, change, who));
  await noteUnseen(context);
  return changed;
}

/** Reports folders that could not be scanned, so that their changes do not look like none. */
async function noteUnseen({ baseline, log }: Context): Promise<void> {
  const folders = baseline.takeUnseen();
  if (folders.length === 0) return;
  const shown = folders.slice(0, 5).join(', ');
  const more = folders.length > 5 ? ` and ${folders.length - 5} more` : '';
  const text = `Changes in some folders are not tracked, because permissions do not allow it or the folders are too deep: ${shown}${more}.`;
  await log.close({ type: 'notice-added', level: 'warning', code: 'changes-not-seen', text });
}

async function record(
  context: Context,
  { path, before, after }: FoundChange,
  who: ChangeBy & { readonly undoes?: readonly number[] },
): Promise<RecordedChange> {
  const lines = countLines(before?.bytes ?? null, after?.bytes ?? null);
  const { journal } = context;
  const images = { before: await imageOf(journal, before, null), after: await imageOf(journal, after, journal.now()) };
  const isKnown = (before === null || before.bytes !== null) && (after === null || after.bytes !== null);
  const event: SessionEvent = await context.log.close({
    type: 'file-changed',
    path,
    ...images,
    by: who.by,
    toolCallId: who.toolCallId,
    added: isKnown ? lines.added : null,
    removed: isKnown ? lines.removed : null,
    ...(isKnown ? await netLines(journal, path, { images, bytes: after?.bytes ?? null }) : {}),
    undoes: [...(who.undoes ?? [])],
  });
  const recorded: RecordedChange = { seq: event.seq, path, ...images };
  if (who.by !== 'undo') context.recorded.push(recorded);
  return recorded;
}

/** What all changes of the session did to a file that it changed before: sums count a line twice that was edited twice. */
async function netLines(
  journal: Journal,
  path: string,
  { images, bytes }: { readonly images: Pick<RecordedChange, 'before' | 'after'>; readonly bytes: Uint8Array | null },
): Promise<{ readonly net?: { readonly added: number; readonly removed: number } }> {
  const known = journal.state().changes.find((change) => change.path === path);
  if (known === undefined || known.reviewed || !isSameImage(known.after, images.before)) return {};
  const first = leftByUndo(known);
  if (isSameImage(first, images.before) || isSameImage(first, images.after)) return {};
  const begun = await bytesOf(journal, first);
  if (begun === undefined) return {};
  const { added, removed } = countLines(begun, bytes);
  return added === null || removed === null ? {} : { net: { added, removed } };
}

/** `seenAt`: when the file was like that; null: it is no longer there like that. */
export function unkeptImage({ why, sizeBytes }: KnownFile, seenAt: number | null): FileImage {
  return { kept: false, why: why ?? 'too-large', ...(seenAt === null ? {} : { seen: { sizeBytes, at: seenAt } }) };
}

async function imageOf(journal: Journal, file: KnownFile | null, seenAt: number | null): Promise<FileImage> {
  if (file === null) return null;
  if (file.bytes === null) return unkeptImage(file, seenAt);
  return { kept: true, blob: await journal.putBlob(file.bytes), mode: file.mode };
}

async function revert(
  context: Context,
  changes: readonly RecordedChange[],
  toolCallId: string,
): Promise<{ readonly back: readonly string[]; readonly kept: readonly string[] }> {
  const back: string[] = [];
  const kept: string[] = [];
  for (const path of new Set(changes.map((change) => change.path))) {
    const ofPath = changes.filter((change) => change.path === path);
    const done = await restoreOne(context, path, ofPath, toolCallId);
    (done ? back : kept).push(path);
  }
  return { back, kept };
}

async function restoreOne(
  context: Context,
  path: string,
  changes: readonly RecordedChange[],
  toolCallId: string,
): Promise<boolean> {
  const first = changes[0];
  const last = changes.at(-1);
  if (first === undefined || last === undefined) return false;
  const others = await changesBetween(context.journal, path, { from: first.seq, to: last.seq });
  const without = await fileWithoutChanges(context.journal, { before: first.before, others });
  if (without === null) return false;
  const wanted = await bytesOf(context.journal, without.image);
  if (wanted === undefined) return false;
  const found = await currentOf(context.sandbox.files, path, last.after);
  if (found === 'other') return false;
  const mode = without.image?.kept === true ? without.image.mode : (found?.mode ?? newFileMode);
  const done = await restoreTo(context.sandbox.files, { path, found, wanted, mode });
  if (!done) return false;
  context.baseline.note(path, wanted, mode);
  const before = toKnown(found?.bytes ?? null, found?.mode ?? mode);
  const undoes = changes.map((change) => change.seq);
  await record(context, { path, before, after: toKnown(wanted, mode) }, { by: 'undo', toolCallId, undoes });
  return true;
}

/**
 * The present file (null: it does not exist); `other`: it differs from what the change left, or that is not known. A
 * file that its owner may not read was not kept with the change. It is made readable: the user, who is its owner,
 * cannot have written to it since.
 */
async function currentOf(files: SandboxFiles, path: string, left: FileImage): Promise<FileContent | null | 'other'> {
  const read = await files.read(path, { maxBytes: MAX_IMAGE_BYTES }, neverAborts);
  if (left === null) return !read.ok && read.error.code === 'not-found' ? null : 'other';
  if (left.kept) return read.ok && read.value.sha256 === left.blob.sha256 ? read.value : 'other';
  if (left.why !== 'not-a-file' || read.ok) return 'other';
  const stat = await files.stat(path, neverAborts);
  if (!stat.ok || stat.value.kind !== 'file' || (stat.value.mode & 0o400) !== 0) return 'other';
  const opened = await files.setMode(path, stat.value.mode | ownerMode, neverAborts);
  const now = opened.ok ? await files.read(path, { maxBytes: MAX_IMAGE_BYTES }, neverAborts) : opened;
  return now.ok ? now.value : 'other';
}

interface Restore {
  readonly path: string;
  readonly found: FileContent | null;
  readonly wanted: Uint8Array | null;
  readonly mode: number;
}

async function restoreTo(files: SandboxFiles, { path, found, wanted, mode }: Restore): Promise<boolean> {
  const expected = found?.sha256 ?? null;
  if (wanted === null) return (await files.delete(path, expected ?? undefined, neverAborts)).ok;
  let modeNow = found?.mode ?? newFileMode;
  const setMode = async (to: number): Promise<boolean> => {
    if ((modeNow & 0o7777) === (to & 0o7777)) return true;
    modeNow = to;
    return (await files.setMode(path, to, neverAborts)).ok;
  };
  if (expected !== sha256Of(wanted)) {
    if (!(await setMode(modeNow | ownerMode))) return false;
    if (!(await files.write(path, wanted, expected, neverAborts)).ok) return false;
  }
  return setMode(mode);
}

async function reapply(context: Context, changes: readonly RecordedChange[], who: ChangeBy): Promise<boolean> {
  let isWhole = true;
  for (const path of new Set(changes.map((change) => change.path))) {
    const ofPath = changes.filter((change) => change.path === path);
    const before = ofPath[0]?.before ?? null;
    const bytes = await bytesOf(context.journal, ofPath.at(-1)?.after ?? null);
    const expect = before === null ? null : before.kept ? before.blob.sha256 : undefined;
    const done =
      bytes === undefined || expect === undefined ? null : await write(context, { path, bytes, expect }, who);
    isWhole &&= done?.ok === true;
  }
  return isWhole;
}

/** `undefined`: the bytes were not kept or are gone. */
async function bytesOf(journal: Journal, image: FileImage): Promise<Uint8Array | null | undefined> {
  if (image === null) return null;
  if (!image.kept) return undefined;
  return (await journal.getBlob(image.blob)) ?? undefined;
}
