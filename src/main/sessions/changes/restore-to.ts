import { AppError } from '@shared/errors.ts';
import type { RestoreChoice, RestoreOutcome } from '@shared/contract/sessions-contract.ts';
import { conversationFilter, restoreId } from '@shared/session/restore-state.ts';
import { isDiskFull } from '../../lib/files/json-file.ts';
import type { Journal } from '../journal/journal.ts';
import { busySession } from '../open/refused-requests.ts';
import { type LoggedMove, movesSince } from './changes-in-log.ts';
import { findCheckpoint } from './checkpoints.ts';
import { recordMove } from './move-file.ts';
import { blobsInMemory, type FileBlobs } from './merge-images.ts';
import { plainReason } from './plain-reason.ts';
import { type FilePlan, planFile } from './restore-file.ts';
import { createSafeFolder, type FileNow, isSilence, nothingChanged, type SafeFolder } from './safe-folder.ts';
import { removeEmptied, sweepLeftovers } from './undo-and-take.ts';

interface Outcome extends RestoreOutcome {
  readonly restored: string[];
  readonly merged: string[];
  readonly kept: { readonly path: string; readonly why: string }[];
}

/**
 * Sets the files, the conversation or both back to what they were before a message, a step or an earlier restore. Nothing
 * of the log goes away, and a restore is a checkpoint itself. What somebody else changed in a file since stays in it; see
 * `planFile`. With `isPreview`, nothing changes. Rejects with `not-found`, `conflict` and `disk-full`.
 */
export async function restoreTo(journal: Journal, choice: RestoreChoice): Promise<RestoreOutcome> {
  const { place, later } = await findCheckpoint(journal, choice.checkpoint);
  const { moves, settledSeq } = await movesSince(journal, place.upToSeq);
  if (choice.files && settledSeq > place.upToSeq)
    throw new AppError('conflict', 'The files of this checkpoint belong to the session that this one was made from.', {
      hint: 'Restore the conversation alone, or restore the files in the other session.',
    });
  const isShown = conversationFilter(journal.state().restores);
  const said = later.filter(({ type, upToSeq }) => type === 'message' && isShown(upToSeq + 1));
  const outcome: Outcome = {
    restored: [],
    merged: [],
    kept: [],
    messages: choice.conversation ? said.length : 0,
    restoreId: null,
  };
  const root = journal.state().workspace?.path;
  if (choice.files && root === undefined) throw new AppError('not-found', 'The folder of this session is unknown.');
  const files = choice.files && root !== undefined ? { root, moves } : null;
  if (choice.isPreview === true) {
    if (files !== null) await previewFiles(journal, files, choice, outcome);
    return outcome;
  }
  if (files !== null) await requireAnswer(files);
  const began = await journal.append({
    type: 'restore-began',
    checkpoint: place.id,
    upToSeq: place.upToSeq,
    files: choice.files,
    conversation: choice.conversation,
    cutTurnId: place.cutTurnId,
  });
  const end = (result: 'done' | 'interrupted') => {
    const { restored, merged, kept } = outcome;
    return journal.append({ type: 'restore-ended', beganSeq: began.seq, outcome: result, restored, merged, kept });
  };
  try {
    if (files !== null) await restoreFiles(journal, { ...files, beganSeq: began.seq }, choice, outcome);
    refuseIfWorking(journal, began.seq);
  } catch (error) {
    // The end may not find room either. Then the next start of the session notes it.
    await end('interrupted').catch(() => undefined);
    throw stopped(error, outcome.restored.length);
  }
  await end('done');
  return { ...outcome, restoreId: restoreId(began.seq) };
}

/** Files and conversation go back together, so nothing begins on a silent drive. */
async function requireAnswer({ root, moves }: Files): Promise<void> {
  const [path] = moves.keys();
  const looked =
    path === undefined
      ? null
      : await createSafeFolder(root)
          .look(path)
          .catch((error: unknown) => error);
  if (isSilence(looked)) throw nothingChanged(looked);
}

function stopped(error: unknown, count: number): unknown {
  const cause = error instanceof AppError ? error : null;
  const done = count === 1 ? '1 file is set back' : `${count} files are set back`;
  if (isSilence(error))
    return new AppError('timeout', `${error.message} ${done}, the others are as they were.`, {
      hint: 'Check the connection of the drive. Once it answers, restore again.',
      cause: error,
    });
  if (cause?.code !== 'disk-full' && !isDiskFull(error)) return error;
  return new AppError('disk-full', `The disk is full: ${done}, the others are as they were.`, {
    hint: 'Free some space, then restore again.',
    cause: error,
  });
}

/** A message that arrived meanwhile began a turn. */
function refuseIfWorking(journal: Journal, beganSeq: number): void {
  const state = journal.state();
  if (state.messages.some(({ seq }) => seq > beganSeq) || state.queued.some(({ seq }) => seq > beganSeq))
    throw busySession(state);
}

interface Files {
  readonly root: string;
  readonly moves: ReadonlyMap<string, readonly LoggedMove[]>;
}

const isNewFile = ([first]: readonly LoggedMove[]): boolean => first?.before === null;

/** Files that go away come first: a file or a folder may stand where a folder or a file was. */
async function restoreFiles(
  journal: Journal,
  { root, moves, beganSeq }: Files & { readonly beganSeq: number },
  choice: RestoreChoice,
  outcome: Outcome,
): Promise<void> {
  await sweepLeftovers(
    journal,
    [...moves.keys()].map((path) => ({ path })),
  );
  const all = [...moves];
  const folder = createSafeFolder(root);
  const run = async (some: typeof all): Promise<void> => {
    for (const [path, of] of some) {
      refuseIfWorking(journal, beganSeq);
      const plan = await planSafely(journal, folder, [path, of], choice);
      const why = plan.type === 'move' ? await carryOut(journal, folder, { path, moves: of }, plan) : null;
      note(outcome, path, why === null ? plan : { type: 'kept', why });
    }
  };
  await run(all.filter(([, of]) => isNewFile(of)));
  await removeEmptied(
    journal,
    outcome.restored.map((path) => ({ root, path })),
  );
  await run(all.filter(([, of]) => !isNewFile(of)));
  const isGone = ([, of]: (typeof all)[number]): boolean => isNewFile(of);
  await removeEmptied(
    journal,
    all.filter(isGone).map(([path]) => ({ root, path })),
  );
}

function note(outcome: Outcome, path: string, plan: FilePlan): void {
  if (plan.type === 'kept') outcome.kept.push({ path, why: plan.why });
  if (plan.type !== 'move') return;
  outcome.restored.push(path);
  if (plan.isMerged) outcome.merged.push(path);
}

async function planSafely(
  blobs: FileBlobs,
  folder: SafeFolder,
  [path, moves]: readonly [string, readonly LoggedMove[]],
  { replaces = false }: RestoreChoice,
): Promise<FilePlan> {
  try {
    return await planFile(blobs, folder, path, { moves, replaces });
  } catch (error) {
    if (isSilence(error) || (error instanceof AppError && error.code === 'disk-full')) throw error;
    return { type: 'kept', why: plainReason(error) };
  }
}

type MovePlan = Extract<FilePlan, { type: 'move' }>;

/**
 * Logs the change, and then makes it: what a person wrote into the file is in the log before it leaves the disk. A change
 * that cannot be made is taken back in the log. Null when done, else the reason.
 */
async function carryOut(
  journal: Journal,
  folder: SafeFolder,
  { path, moves }: { readonly path: string; readonly moves: readonly LoggedMove[] },
  { from, to }: MovePlan,
): Promise<string | null> {
  const bytes = to?.kept === true ? await journal.getBlob(to.blob) : null;
  if (to?.kept === true && bytes === null) return 'its stored content is missing or damaged';
  const isExpected = (now: FileNow): boolean =>
    from === null ? now.type === 'missing' : now.type === 'file' && from.kept && now.sha256 === from.blob.sha256;
  const logged = await recordMove(journal, path, { from, to, undoes: moves.map(({ seq }) => seq) }, 'undo');
  const takeBack = () => recordMove(journal, path, { from: to, to: from, undoes: [logged.seq] }, 'undo');
  try {
    const isDone =
      to === null || bytes === null || !to.kept
        ? await folder.remove(path, isExpected)
        : await folder.write(path, { bytes, mode: to.mode }, isExpected);
    if (isDone) return null;
  } catch (error) {
    await takeBack();
    if (isSilence(error) || isDiskFull(error)) throw error;
    return plainReason(error);
  }
  await takeBack();
  return 'it changed just now';
}

/** Says what `restoreFiles` would do. Stores nothing. */
async function previewFiles(
  journal: Journal,
  { root, moves }: Files,
  choice: RestoreChoice,
  outcome: Outcome,
): Promise<void> {
  const folder = createSafeFolder(root);
  const blobs = blobsInMemory(journal);
  const all = [...moves];
  const gone: string[] = [];
  for (const [path, of] of all.filter((one) => isNewFile(one[1]))) {
    const plan = await planSafely(blobs, folder, [path, of], choice);
    if (plan.type === 'move' && plan.to === null) gone.push(path);
    note(outcome, path, plan);
  }
  for (const [path, of] of all.filter((one) => !isNewFile(one[1]))) {
    const isInTheWay = gone.some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
    if (isInTheWay) outcome.restored.push(path);
    else note(outcome, path, await planSafely(blobs, folder, [path, of], choice));
  }
}
