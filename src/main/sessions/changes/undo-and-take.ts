import { AppError } from '@shared/errors.ts';
import {
  type ChangeState,
  changeStatus,
  changeVersion,
  isSameImage,
  leftByUndo,
} from '@shared/session/file-change-state.ts';
import type { ChangedFile, ChangeOutcome, HunkChoice } from '@shared/contract/sessions-contract.ts';
import type { Journal } from '../journal/journal.ts';
import { allChanges, foldersMadeBy } from './changes-in-log.ts';
import {
  decideHunks,
  decideRest,
  type Decision,
  hunksBeside,
  isCopy,
  readHunks,
  undoKind,
  type UndoKind,
} from './decide-hunks.ts';
import { blobsInMemory, changedSince, type FileBlobs, fileWithoutChanges } from './merge-images.ts';
import { diffImages, type PlacedFile, placeFile, type ReadJournal, recordMove } from './move-file.ts';
import { plainReason } from './plain-reason.ts';
import { createSafeFolder, isSilence, nothingChanged } from './safe-folder.ts';

/** A change, with the reason if it has no diff (`binary`, `not kept: too-large`, …). */
export interface ShownChange extends ChangedFile {
  readonly note: string | null;
}

/**
 * The net changes of a session to files since each was last taken. With `paths`: only those and what is below them.
 * Leaves out what the agent itself reverted. Reads only.
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

async function showChange(log: ReadJournal, logged: ChangeState): Promise<ShownChange> {
  const journal = { state: () => log.state(), read: log.read.bind(log), ...blobsInMemory(log) };
  const change = (await ownChange(journal, logged)) ?? logged;
  const status = changeStatus(change);
  // An undone change is shown as what would come back.
  const whole = { from: leftByUndo(change), to: status === 'undone' ? change.last.before : change.after };
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
 * The change without what somebody else changed in the file meanwhile. Null: the two cannot be told apart. A copy is
 * taken with all that is in it.
 */
async function ownChange(
  journal: Pick<ReadJournal, 'state'> & FileBlobs,
  change: ChangeState,
): Promise<ChangeState | null> {
  const { others: _, undone: __, ...own } = change;
  if (isCopy(journal)) return change;
  const without = await fileWithoutChanges(journal, change);
  return without === null ? null : { ...own, before: without.image };
}

/**
 * Undoes the session's changes to files. It affects what is open; if nothing is open, what was taken (in the project
 * folder); if nothing was taken, undone changes come back. What somebody else changed in a file stays in it: it is
 * merged. A file where that is not possible, or whose bytes were not kept, is refused and not touched, each by itself.
 * Folders that the changes made are removed with their last file. With `hunks`: affects only these hunks of one path.
 */
export async function undoChanges(
  journal: Journal,
  paths: readonly string[] = [],
  hunks?: HunkChoice,
): Promise<ChangeOutcome> {
  const outcome = newOutcome();
  const attempt = attemptsOf(outcome);
  const broughtBack: string[] = [];
  const merged: string[] = [];
  const selected = await selectChanges(journal, paths);
  let left = hunks === undefined ? undoable(selected) : onlyOne(selected, paths);
  await sweepLeftovers(journal, left);
  // A folder or a file may stand where a file or a folder was. It goes first, with all that is in it.
  for (let round = 0; round < 2 && left.length > 0; round += 1) {
    const emptied: { readonly root: string; readonly path: string }[] = [];
    outcome.refused.length = 0;
    for (const change of left) {
      await attempt(change.path, async () => {
        const step =
          hunks === undefined ? await undoStep(journal, change) : await hunksStep(journal, change, hunks, 'undo');
        if (typeof step === 'string') return step;
        const placed = await carryOut(journal, change, step);
        if (typeof placed === 'string') return placed;
        if (placed.isMerged) merged.push(change.path);
        const root = rootOf(journal, step);
        if (step.to === null && root) emptied.push({ root, path: change.path });
        if (step.isBack) broughtBack.push(change.path);
        return null;
      });
    }
    await removeEmptied(journal, emptied);
    const refused = new Set(outcome.refused.map(({ path }) => path));
    left = emptied.length === 0 ? [] : left.filter(({ path }) => refused.has(path));
  }
  attempt.refuseAllIfSilent();
  return {
    ...outcome,
    ...(broughtBack.length === 0 ? {} : { broughtBack }),
    ...(merged.length === 0 ? {} : { merged }),
  };
}

/** What a program that was killed in an undo or a take left beside the files. */
export async function sweepLeftovers(
  journal: ReadJournal,
  changes: readonly Pick<ChangeState, 'path'>[],
): Promise<void> {
  const { projectPath, workspace } = journal.state();
  const oneOfEach = new Map(changes.map(({ path }) => [path.slice(0, path.lastIndexOf('/') + 1), path]));
  for (const root of new Set([projectPath, workspace?.path]))
    // Such a file does no harm, and the next undo tries again.
    await unlessSilent(root ? oneOfEach.values() : [], (path) => createSafeFolder(root ?? '').sweep(path));
}

/** Hunks belong to one path, which must be named exactly. */
function onlyOne(changes: readonly ChangeState[], paths: readonly string[]): readonly ChangeState[] {
  const [path] = paths;
  const change = changes.find((one) => one.path === path);
  if (paths.length === 1 && change !== undefined) return [change];
  throw new AppError('bad-input', 'Hunks are of one changed file. Name its path.');
}

/** Changes the file, and then logs it. A string says why it was not done. */
async function carryOut(
  journal: Journal,
  change: ChangeState,
  step: Decision,
): Promise<Pick<PlacedFile, 'isMerged'> | string> {
  const { path } = change;
  if (step.side === 'mark') {
    if (step.hunks !== undefined) await journal.append({ type: 'hunks-taken', path, hunks: step.hunks });
    return { isMerged: false };
  }
  const root = rootOf(journal, step);
  if (!root) return 'its folder is unknown';
  // Git runs hooks and settings there on the user's machine, so nothing from an agent may be placed among them.
  if (step.by === 'take' && path.split('/').some((part) => part.toLowerCase() === '.git'))
    return 'files of git itself are not taken';
  if (step.isOfHunks === true) return carryOutHunks(journal, change, { ...step, root });
  const placing = { path, from: step.from, to: step.to, merges: true };
  const placed = await placeFile(journal, createSafeFolder(root), placing);
  if (typeof placed === 'string') return placed;
  const { from, to, isMerged } = placed;
  const { hunks: _, ...whole } = step;
  // The hunks are not those of a merged file, so it counts as undone or brought back as a whole.
  const move = isMerged ? { ...whole, undoes: step.isBack === true ? [change.last.seq] : step.undoes } : step;
  await recordMove(journal, path, { ...move, from, to }, step.by);
  return placed;
}

const sameLines = 'it was changed since in these lines or beside them; edit it yourself';

/** The same for single hunks, whose choices have to fit the file as it becomes. */
async function carryOutHunks(
  journal: Journal,
  change: ChangeState,
  step: Decision & { readonly root: string },
): Promise<Pick<PlacedFile, 'isMerged'> | string> {
  const { path } = change;
  const { root, from, to } = step;
  // What somebody else wrote in a copy is taken with it, so it is no part of what was there before.
  const merges = step.side === 'project' || !isCopy(journal);
  let { hunks } = step;
  const check = async (placed: PlacedFile): Promise<string | null> => {
    if (hunks === undefined || step.side === 'project' || isSameImage(placed.from, from)) return null;
    const beside = await hunksBeside(journal, change, {
      hunks,
      other: { from, to: placed.from },
      file: placed.to,
    });
    hunks = beside ?? undefined;
    return beside === null ? sameLines : null;
  };
  const placed = await placeFile(journal, createSafeFolder(root), { path, from, to, merges, check });
  if (typeof placed === 'string') return placed === changedSince && merges ? sameLines : placed;
  const move = { from: placed.from, to: placed.to, undoes: step.undoes };
  await recordMove(journal, path, hunks === undefined ? move : { ...move, hunks }, step.by);
  return placed;
}

function rootOf(journal: Journal, { side }: Decision): string | null | undefined {
  const { projectPath, workspace } = journal.state();
  return side === 'project' ? projectPath : workspace?.path;
}

/** The change was undone: in the workspace, or again removed from the project after a take. */
function isTakenBack(change: ChangeState): boolean {
  const status = changeStatus(change);
  return status === 'undone' || (status === 'pending' && change.last.side === 'project' && change.last.isUndo);
}

/** Removes folders that the changes made and that are empty now. A folder that cannot be removed stays. */
export async function removeEmptied(
  journal: ReadJournal,
  emptied: readonly { readonly root: string; readonly path: string }[],
): Promise<void> {
  const inFolders = emptied.filter(({ path }) => path.includes('/'));
  if (inFolders.length === 0) return;
  const isMade = await foldersMadeBy(journal);
  // An empty folder that stays does no harm.
  await unlessSilent(inFolders, ({ root, path }) => createSafeFolder(root).removeEmpty(path, isMade));
}

/** Tries each, and ends early where a drive is silent. Never rejects. */
async function unlessSilent<T>(all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  for (const one of all) {
    const isOver = await work(one).then(() => false, isSilence);
    if (isOver) return;
  }
}

/**
 * Accepts changes. Those of a copy are written into the project folder. What somebody changed in a file there since stays
 * in it: it is merged. A file where that is not possible is refused and not touched, each by itself. Those made in place (or in a scratch folder) are marked as reviewed. Undone changes are not taken.
 * With `hunks`: affects only these hunks of one path.
 */
export async function takeChanges(
  journal: Journal,
  paths: readonly string[] = [],
  hunks?: HunkChoice,
): Promise<ChangeOutcome> {
  const { workspace, projectPath } = journal.state();
  const selected = await selectChanges(journal, paths);
  const outcome = newOutcome();
  const attempt = attemptsOf(outcome);
  const merged: string[] = [];
  const open = hunks === undefined ? selected.filter(isOpen) : onlyOne(selected, paths);
  await sweepLeftovers(journal, open);
  for (const change of open) {
    await attempt(change.path, async () => {
      if (hunks === undefined && !isCopy(journal)) return null;
      const step =
        hunks === undefined ? await takeStep(journal, change) : await hunksStep(journal, change, hunks, 'take');
      const placed = typeof step === 'string' ? step : await carryOut(journal, change, step);
      if (typeof placed === 'string') return placed;
      if (placed.isMerged) merged.push(change.path);
      return null;
    });
  }
  attempt.refuseAllIfSilent();
  const settled = hunks === undefined ? outcome.done : await settledOf(journal, outcome.done);
  const target = workspace?.mode === 'copy' ? projectPath : workspace?.path;
  if (settled.length > 0) await journal.append({ type: 'changes-taken', paths: settled, target: target ?? '' });
  return { ...outcome, ...(merged.length === 0 ? {} : { merged }) };
}

/** With hunks, a file counts as taken when none of its hunks is open. */
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

interface Attempts {
  /** Runs the work for one path. Null from it means done. An expected failure refuses only this path. */
  (path: string, work: () => Promise<string | null>): Promise<void>;
  /** Rejects if a silent drive is why nothing at all was done. */
  readonly refuseAllIfSilent: () => void;
}

function attemptsOf(outcome: Outcome): Attempts {
  // A drive that fell silent is not asked again for each of the other files.
  let silence: AppError | null = null;
  const attempt = async (path: string, work: () => Promise<string | null>): Promise<void> => {
    let why: string | null;
    try {
      if (silence !== null) throw silence;
      why = await work();
    } catch (error) {
      // A log that cannot be written ends everything. A file that cannot be written is one refusal.
      if (error instanceof AppError && (error.code === 'log-damaged' || error.code === 'disk-full')) throw error;
      if (isSilence(error)) silence = error;
      why = plainReason(error);
    }
    if (why === null) outcome.done.push(path);
    else outcome.refused.push({ path, why });
  };
  const refuseAllIfSilent = (): void => {
    if (silence !== null && outcome.done.length === 0) throw nothingChanged(silence);
  };
  return Object.assign(attempt, { refuseAllIfSilent });
}

async function selectChanges(journal: ReadJournal, paths: readonly string[]): Promise<readonly ChangeState[]> {
  const all = await collectChanges(journal);
  if (paths.length === 0) return all;
  const wanted = paths.map((path) => path.replace(/^\.\//, '').replace(/(?<!\/)\/+$/, ''));
  return all.filter(({ path }) =>
    wanted.some((want) => want === '' || want === '.' || path === want || path.startsWith(`${want}/`)),
  );
}

/** Uses the folded state, or the log if there are too many changes for the state. */
async function collectChanges(journal: ReadJournal): Promise<readonly ChangeState[]> {
  const { changes, totals } = journal.state();
  if (totals.changesLeftOut === 0) return changes;
  return allChanges(journal);
}

/** The first non-empty group: open changes, changes taken into the project, changes undone by the user. */
function undoable(changes: readonly ChangeState[]): readonly ChangeState[] {
  const ofKind = (kind: UndoKind): readonly ChangeState[] => changes.filter((change) => undoKind(change) === kind);
  return [ofKind('open'), ofKind('taken'), ofKind('undone')].find((some) => some.length > 0) ?? [];
}

const notApart = 'somebody else changed the same lines, so they cannot be told apart';

async function hunksStep(
  journal: Journal,
  change: ChangeState,
  choice: HunkChoice,
  what: 'take' | 'undo',
): Promise<Decision | string> {
  const own = await ownChange(journal, change);
  if (own === null) return notApart;
  const step = await decideHunks(journal, own, choice, what);
  return typeof step === 'string' ? step : { ...step, isOfHunks: true };
}

async function undoStep(journal: Journal, change: ChangeState): Promise<Decision | string> {
  const { last } = change;
  const rest = await decideRest(journal, change, undoKind(change) ?? 'undone');
  // Hunks in the project stay what they are, whatever else is in its file.
  if (rest !== null) return rest.side === 'project' ? { ...rest, isOfHunks: true } : rest;
  if (last.isUndo || last.side === 'project')
    return {
      side: last.side,
      from: last.after,
      to: last.before,
      undoes: [last.seq],
      by: 'undo',
      isBack: isTakenBack(change),
    };
  const without = await fileWithoutChanges(journal, change);
  if (without === null) return notApart;
  return { side: 'workspace', from: change.after, to: without.image, undoes: change.seqs, by: 'undo' };
}

async function takeStep(journal: Journal, change: ChangeState): Promise<Decision> {
  const whole: Decision = { side: 'project', from: change.before, to: change.after, undoes: [], by: 'take' };
  const rest = await decideRest(journal, change, 'take');
  return rest === null ? whole : { ...rest, isOfHunks: true };
}
