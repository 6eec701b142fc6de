import { AppError, toFailure } from '@shared/errors.ts';
import {
  type ChangeState,
  changeStatus,
  isSameImage,
  reduceChange,
  reviewChange,
} from '@shared/session/file-change-state.ts';
import { diffFiles, type FileDiff } from './file-diff.ts';
import type { Journal } from '../journal/journal.ts';
import { createSafeFolder, type FileNow, type SafeFolder } from './safe-folder.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { ChangedFile, ChangeOutcome } from '@shared/contract/sessions-contract.ts';

/** File systems stamp by a clock that ticks a few times in a hundredth of a second. Milliseconds. */
const clockTickMs = 50;
/** A change that no call stands for (a take, an undo) is done in less. */
const longestMoveMs = 10_000;

/**
 * Whether a folder that was made at a moment (milliseconds since 1970) was made by a change of this session: while the
 * call ran that the change is of. Where the file system does not tell when a folder was made, none was.
 */
export async function foldersMadeBy(journal: Pick<Journal, 'read'>): Promise<(madeAtMs: number) => boolean> {
  const starts = new Map<string, number>();
  const spans: { readonly from: number; readonly to: number }[] = [];
  let previousAt = 0;
  for await (const event of journal.read()) {
    if (event.type === 'history-copied' && event.changes === 'settled') spans.length = 0;
    if (event.type === 'tool-started') starts.set(event.toolCallId, event.at);
    if (event.type === 'file-changed') {
      const started = event.toolCallId === null ? undefined : starts.get(event.toolCallId);
      spans.push({ from: started ?? Math.max(previousAt, event.at - longestMoveMs), to: event.at });
    }
    previousAt = event.at;
  }
  return (madeAtMs) => spans.some(({ from, to }) => madeAtMs >= from - clockTickMs && madeAtMs <= to);
}

/** A change with the reason why there is no diff, where there is none (`binary`, `not kept: too-large`, …). */
export interface ShownChange extends ChangedFile {
  readonly note: string | null;
}

type ReadJournal = Pick<Journal, 'state' | 'read' | 'getBlob'>;

/**
 * What a session did to files, net, since each was last taken; with `paths` only those and what lies below them.
 * What the agent did and took back by itself is left out. Reads only.
 */
export async function showChanges(
  journal: ReadJournal,
  paths: readonly string[] = [],
): Promise<readonly ShownChange[]> {
  const shown: ShownChange[] = [];
  for (const change of await selectChanges(journal, paths)) {
    const status = changeStatus(change);
    if (status === 'undone' && !change.last.isUndo) continue;
    // What was undone is shown as what would come back.
    const after = status === 'undone' ? change.last.before : change.after;
    const { text, added, removed, note } = await diffImages(journal, change.path, change.before, after);
    const kind = change.before === null ? 'added' : after === null ? 'deleted' : 'modified';
    const state = status === 'pending' ? 'open' : status === 'reviewed' ? 'taken' : 'undone';
    shown.push({
      path: change.path,
      kind,
      added: added ?? change.added,
      removed: removed ?? change.removed,
      diff: text,
      state,
      note,
    });
  }
  return shown;
}

/**
 * Takes back what the session did to files. First what lies open; where nothing does, what was taken (in the project
 * folder); where nothing was, what was undone comes back. A file that is no longer what the session left there is
 * refused and not touched, as is one whose bytes were not kept; each by itself. Folders that the changes made go with
 * their last file.
 */
export async function undoChanges(journal: Journal, paths: readonly string[] = []): Promise<ChangeOutcome> {
  const outcome = newOutcome();
  const emptied: { readonly root: string; readonly path: string }[] = [];
  const broughtBack: string[] = [];
  for (const change of undoable(await selectChanges(journal, paths))) {
    const step = undoStep(change);
    const root = step.side === 'project' ? journal.state().projectPath : journal.state().workspace?.path;
    if (!root) {
      outcome.refused.push({ path: change.path, why: 'its folder is unknown' });
      continue;
    }
    await attempt(outcome, change.path, async () => {
      const why = await putImage(journal, createSafeFolder(root), { path: change.path, ...step });
      if (why === null) await recordMove(journal, change.path, step, 'undo');
      if (why === null && step.to === null) emptied.push({ root, path: change.path });
      if (why === null && isTakenBack(change)) broughtBack.push(change.path);
      return why;
    });
  }
  await removeEmptied(journal, emptied);
  return broughtBack.length === 0 ? outcome : { ...outcome, broughtBack };
}

/** An undo took it back: out of the workspace, or what was taken of a copy out of the project again. */
function isTakenBack(change: ChangeState): boolean {
  const status = changeStatus(change);
  return status === 'undone' || (status === 'pending' && change.last.side === 'project' && change.last.isUndo);
}

/** The folders that the changes made and that are empty now. What cannot be removed stays: the files are what counts. */
async function removeEmptied(
  journal: ReadJournal,
  emptied: readonly { readonly root: string; readonly path: string }[],
): Promise<void> {
  const inFolders = emptied.filter(({ path }) => path.includes('/'));
  if (inFolders.length === 0) return;
  const isMade = await foldersMadeBy(journal);
  for (const { root, path } of inFolders) {
    await createSafeFolder(root)
      .removeEmpty(path, isMade)
      // An empty folder that stays does no harm.
      .catch(() => undefined);
  }
}

/**
 * Accepts changes. Those of a copy are written into the project folder, each only if the file there is still what the
 * copy began with; those made in place (or in a scratch folder) are marked as reviewed. What was undone is not taken.
 */
export async function takeChanges(journal: Journal, paths: readonly string[] = []): Promise<ChangeOutcome> {
  const { workspace, projectPath } = journal.state();
  const open = (await selectChanges(journal, paths)).filter((change) => changeStatus(change) === 'pending');
  const outcome = newOutcome();
  if (workspace?.mode === 'copy' && projectPath !== null) {
    const folder = createSafeFolder(projectPath);
    for (const change of open) await attempt(outcome, change.path, () => takeOne(journal, folder, change));
  } else {
    outcome.done.push(...open.map((change) => change.path));
  }
  const target = workspace?.mode === 'copy' ? projectPath : workspace?.path;
  if (outcome.done.length > 0)
    await journal.append({ type: 'changes-taken', paths: [...outcome.done], target: target ?? '' });
  return outcome;
}

interface Outcome extends ChangeOutcome {
  readonly done: string[];
  readonly refused: { readonly path: string; readonly why: string }[];
}

function newOutcome(): Outcome {
  return { done: [], refused: [] };
}

/** Runs the work for one path; null from it means done. An expected failure refuses this path alone. */
async function attempt(outcome: Outcome, path: string, work: () => Promise<string | null>): Promise<void> {
  let why: string | null;
  try {
    why = await work();
  } catch (error) {
    // A log that cannot be written ends the whole; a file that cannot be written is one refusal.
    if (error instanceof AppError && (error.code === 'log-damaged' || error.code === 'disk-full')) throw error;
    why = toFailure(error).message;
  }
  if (why === null) outcome.done.push(path);
  else outcome.refused.push({ path, why });
}

async function selectChanges(journal: ReadJournal, paths: readonly string[]): Promise<readonly ChangeState[]> {
  const all = await collectChanges(journal);
  if (paths.length === 0) return all;
  const wanted = paths.map((path) => path.replace(/^\.\//, '').replace(/(?<!\/)\/+$/, ''));
  return all.filter(({ path }) =>
    wanted.some((want) => want === '' || want === '.' || path === want || path.startsWith(`${want}/`)),
  );
}

/** From the folded state, or from the log where there are too many for it. */
async function collectChanges(journal: ReadJournal): Promise<readonly ChangeState[]> {
  const { changes, totals } = journal.state();
  if (totals.changesLeftOut === 0) return changes;
  const byPath = new Map<string, ChangeState>();
  for await (const event of journal.read()) {
    if (event.type === 'file-changed') byPath.set(event.path, reduceChange(byPath.get(event.path), event));
    if (event.type === 'history-copied' && event.changes === 'settled') byPath.clear();
    if (event.type !== 'changes-taken') continue;
    for (const path of event.paths) {
      const change = byPath.get(path);
      if (change) byPath.set(path, reviewChange(change));
    }
  }
  return [...byPath.values()];
}

/** The first of three kinds that there is any of: open, taken into the project, undone by a person. */
function undoable(changes: readonly ChangeState[]): readonly ChangeState[] {
  const open = changes.filter((change) => changeStatus(change) === 'pending' && change.last.side === 'workspace');
  if (open.length > 0) return open;
  const taken = changes.filter((change) => change.last.side === 'project' && !change.last.isUndo);
  if (taken.length > 0) return taken;
  return changes.filter((change) => change.last.isUndo);
}

/** One file from one image to another. */
interface Move {
  readonly from: FileImage;
  readonly to: FileImage;
  readonly undoes: readonly number[];
}

function undoStep(change: ChangeState): Move & { readonly side: 'workspace' | 'project' } {
  const { last } = change;
  if (last.isUndo || last.side === 'project')
    return { side: last.side, from: last.after, to: last.before, undoes: [last.seq] };
  return { side: 'workspace', from: change.after, to: change.before, undoes: change.seqs };
}

async function takeOne(journal: Journal, folder: SafeFolder, change: ChangeState): Promise<string | null> {
  // Hooks and settings there are run by git on the person's machine: nothing an agent made is put among them.
  if (change.path.split('/').some((part) => part.toLowerCase() === '.git')) return 'files of git itself are not taken';
  const move: Move = { from: change.before, to: change.after, undoes: [] };
  const why = await putImage(journal, folder, { path: change.path, ...move });
  if (why === null) await recordMove(journal, change.path, move, 'take');
  return why;
}

/** Makes the file what `to` says if it is what `from` says; null when it now is, else why not. */
async function putImage(
  journal: ReadJournal,
  folder: SafeFolder,
  move: Pick<Move, 'from' | 'to'> & { readonly path: string },
): Promise<string | null> {
  const { path, from, to } = move;
  if ((from !== null && !from.kept) || (to !== null && !to.kept))
    return path.includes('\uFFFD') ? 'its name is not UTF-8 text' : 'its content was not kept';
  const now = await folder.look(path);
  // Done already, and only the record of it is missing: the program ended between the two.
  if (matches(now, to) && hasMode(now, to)) return null;
  if (!matches(now, from)) return refusal(now, from);
  const isExpected = (found: FileNow): boolean => matches(found, from);
  if (to === null) return (await folder.remove(path, isExpected)) ? null : 'it changed just now';
  const bytes = await journal.getBlob(to.blob);
  if (bytes === null) return 'its stored content is missing or damaged';
  return (await folder.write(path, { bytes, mode: to.mode }, isExpected)) ? null : 'it changed just now';
}

function matches(now: FileNow, image: FileImage): boolean {
  if (image === null) return now.type === 'missing';
  return now.type === 'file' && image.kept && now.sha256 === image.blob.sha256;
}

function hasMode(now: FileNow, image: FileImage): boolean {
  if (now.type !== 'file' || !image?.kept || process.platform === 'win32') return true;
  return (now.mode & 0o777) === (image.mode & 0o777);
}

function refusal(now: FileNow, from: FileImage): string {
  if (now.type === 'other') return `it is ${now.what} now`;
  if (now.type === 'missing') return 'it was deleted or renamed since';
  return from === null ? 'a file with this name exists now' : 'it was changed since';
}

async function recordMove(journal: Journal, path: string, move: Move, by: 'undo' | 'take'): Promise<void> {
  const { from: before, to: after, undoes } = move;
  const { added, removed } = await diffImages(journal, path, before, after);
  await journal.append({
    type: 'file-changed',
    path,
    before,
    after,
    by,
    toolCallId: null,
    added,
    removed,
    undoes: [...undoes],
  });
}

async function diffImages(journal: ReadJournal, path: string, before: FileImage, after: FileImage): Promise<FileDiff> {
  const unknown = (note: string): FileDiff => ({ text: null, added: null, removed: null, note });
  for (const image of [before, after]) if (image !== null && !image.kept) return unknown(`not kept: ${image.why}`);
  if (isSameImage(before, after)) return { text: '', added: 0, removed: 0, note: null };
  const left = before?.kept ? await journal.getBlob(before.blob) : null;
  const right = after?.kept ? await journal.getBlob(after.blob) : null;
  if ((before !== null && left === null) || (after !== null && right === null))
    return unknown('its stored content is missing or damaged');
  const diff = diffFiles(path, left, right);
  // A diff shows no rights, and a file that became a program is worth a look.
  const isOtherMode = before?.kept && after?.kept && before.mode !== after.mode && diff.note === null;
  return isOtherMode ? { ...diff, note: `mode ${before.mode.toString(8)} to ${after.mode.toString(8)}` } : diff;
}
