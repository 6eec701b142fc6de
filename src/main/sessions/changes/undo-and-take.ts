import { AppError, toFailure } from '@shared/errors.ts';
import {
  type ChangeState,
  changeStatus,
  changeVersion,
  reduceChange,
  reduceHunksTaken,
  reviewChange,
} from '@shared/session/file-change-state.ts';
import type { ChangedFile, ChangeOutcome, HunkChoice } from '@shared/contract/sessions-contract.ts';
import type { Journal } from '../journal/journal.ts';
import { decideHunks, decideRest, type Decision, isCopy, readHunks, undoKind, type UndoKind } from './decide-hunks.ts';
import { diffImages, putImage, type ReadJournal, recordMove } from './move-file.ts';
import { createSafeFolder } from './safe-folder.ts';

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
    shown.push(await showChange(journal, change));
  }
  return shown;
}

async function showChange(journal: ReadJournal, change: ChangeState): Promise<ShownChange> {
  const status = changeStatus(change);
  // What was undone is shown as what would come back.
  const whole = { from: change.before, to: status === 'undone' ? change.last.before : change.after };
  const { from, to } = change.hunks ?? whole;
  let diff = await diffImages(journal, change.path, from, to);
  const hunks = await readHunks(journal, change, diff.text);
  const isInParts = change.hunks !== undefined && hunks !== null;
  if (change.hunks !== undefined && hunks === null) diff = await diffImages(journal, change.path, whole.from, whole.to);
  const counts = isInParts && status !== 'undone' ? change : diff;
  return {
    path: change.path,
    kind: from === null ? 'added' : to === null ? 'deleted' : 'modified',
    added: counts.added ?? change.added,
    removed: counts.removed ?? change.removed,
    diff: diff.text,
    state: status === 'pending' ? 'open' : status === 'reviewed' ? 'taken' : 'undone',
    note: diff.note,
    ...(hunks === null ? {} : { hunks: hunks.states, version: changeVersion(change) }),
  };
}

/**
 * Takes back what the session did to files. First what lies open; where nothing does, what was taken (in the project
 * folder); where nothing was, what was undone comes back. A file that is no longer what the session left there is
 * refused and not touched, as is one whose bytes were not kept; each by itself. Folders that the changes made go with
 * their last file. With `hunks` it is about these hunks of one path.
 */
export async function undoChanges(
  journal: Journal,
  paths: readonly string[] = [],
  hunks?: HunkChoice,
): Promise<ChangeOutcome> {
  const outcome = newOutcome();
  const emptied: { readonly root: string; readonly path: string }[] = [];
  const broughtBack: string[] = [];
  const selected = await selectChanges(journal, paths);
  for (const change of hunks === undefined ? undoable(selected) : onlyOne(selected, paths)) {
    await attempt(outcome, change.path, async () => {
      const step =
        hunks === undefined ? await undoStep(journal, change) : await decideHunks(journal, change, hunks, 'undo');
      if (typeof step === 'string') return step;
      const why = await carryOut(journal, change, step);
      if (why !== null) return why;
      const root = rootOf(journal, step);
      if (step.to === null && root) emptied.push({ root, path: change.path });
      if (step.isBack) broughtBack.push(change.path);
      return null;
    });
  }
  await removeEmptied(journal, emptied);
  return broughtBack.length === 0 ? outcome : { ...outcome, broughtBack };
}

/** Hunks are of one path, named as it is. */
function onlyOne(changes: readonly ChangeState[], paths: readonly string[]): readonly ChangeState[] {
  const [path] = paths;
  const change = changes.find((one) => one.path === path);
  if (paths.length === 1 && change !== undefined) return [change];
  throw new AppError('bad-input', 'Hunks are of one changed file. Name its path.');
}

/** Moves the file, and then says so in the log; null when it is done, else why not. */
async function carryOut(journal: Journal, { path }: ChangeState, step: Decision): Promise<string | null> {
  if (step.side === 'mark') {
    if (step.hunks !== undefined) await journal.append({ type: 'hunks-taken', path, hunks: step.hunks });
    return null;
  }
  const root = rootOf(journal, step);
  if (!root) return 'its folder is unknown';
  // Hooks and settings there are run by git on the person's machine: nothing an agent made is put among them.
  if (step.by === 'take' && path.split('/').some((part) => part.toLowerCase() === '.git'))
    return 'files of git itself are not taken';
  const why = await putImage(journal, createSafeFolder(root), { path, from: step.from, to: step.to });
  if (why === null) await recordMove(journal, path, step, step.by);
  return why;
}

function rootOf(journal: Journal, { side }: Decision): string | null | undefined {
  const { projectPath, workspace } = journal.state();
  return side === 'project' ? projectPath : workspace?.path;
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
 * With `hunks` it is about these hunks of one path.
 */
export async function takeChanges(
  journal: Journal,
  paths: readonly string[] = [],
  hunks?: HunkChoice,
): Promise<ChangeOutcome> {
  const { workspace, projectPath } = journal.state();
  const selected = await selectChanges(journal, paths);
  const outcome = newOutcome();
  const open = hunks === undefined ? selected.filter(isOpen) : onlyOne(selected, paths);
  for (const change of open) {
    await attempt(outcome, change.path, async () => {
      if (hunks === undefined && !isCopy(journal)) return null;
      const step =
        hunks === undefined ? await takeStep(journal, change) : await decideHunks(journal, change, hunks, 'take');
      return typeof step === 'string' ? step : carryOut(journal, change, step);
    });
  }
  const settled = hunks === undefined ? outcome.done : await settledOf(journal, outcome.done);
  const target = workspace?.mode === 'copy' ? projectPath : workspace?.path;
  if (settled.length > 0) await journal.append({ type: 'changes-taken', paths: settled, target: target ?? '' });
  return outcome;
}

/** Hunk by hunk, a file is taken when nothing of it lies open any more. */
async function settledOf(journal: Journal, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  return (await selectChanges(journal, paths))
    .filter((change) => changeStatus(change) === 'reviewed')
    .map(({ path }) => path);
}

const isOpen = (change: ChangeState): boolean => changeStatus(change) === 'pending';

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
    if (event.type === 'hunks-taken') {
      const change = byPath.get(event.path);
      if (change) byPath.set(event.path, reduceHunksTaken(change, event));
    }
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
  const ofKind = (kind: UndoKind): readonly ChangeState[] => changes.filter((change) => undoKind(change) === kind);
  return [ofKind('open'), ofKind('taken'), ofKind('undone')].find((some) => some.length > 0) ?? [];
}

async function undoStep(journal: Journal, change: ChangeState): Promise<Decision> {
  const { last } = change;
  const rest = await decideRest(journal, change, undoKind(change) ?? 'undone');
  if (rest !== null) return rest;
  if (last.isUndo || last.side === 'project')
    return {
      side: last.side,
      from: last.after,
      to: last.before,
      undoes: [last.seq],
      by: 'undo',
      isBack: isTakenBack(change),
    };
  return { side: 'workspace', from: change.after, to: change.before, undoes: change.seqs, by: 'undo' };
}

async function takeStep(journal: Journal, change: ChangeState): Promise<Decision> {
  const whole: Decision = { side: 'project', from: change.before, to: change.after, undoes: [], by: 'take' };
  return (await decideRest(journal, change, 'take')) ?? whole;
}
