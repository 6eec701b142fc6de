import { changeVersion } from '../../../src/shared/session/file-change-state.ts';
import type { ChangeOutcome, HunkChoice } from '../../../src/shared/contract/sessions-contract.ts';
import { sha256Of } from '../../../src/main/lib/sha256.ts';
import { showChanges, takeChanges, undoChanges } from '../../../src/main/sessions/changes/undo-and-take.ts';
import { isSameFile } from './history-disk.ts';
import { type Before, checkPerson, look, type World } from './history-world.ts';

/** Undoes or takes all changes, those of a file, or one hunk. Some undos are undone at once. */
export async function personDecides(world: World): Promise<void> {
  const before = await look(world);
  const { random, journal } = world;
  const changes = await showChanges(journal);
  const one = changes[Math.floor(random() * changes.length)];
  const paths = one === undefined || random() < 0.3 ? [] : [one.path];
  const isTake = random() < 0.25;
  const hunks =
    paths.length === 1 && random() < 0.4 ? hunkOf(world, one?.path ?? '', one?.hunks?.length ?? 0) : undefined;
  const outcome = await (isTake ? takeChanges : undoChanges)(journal, paths, hunks);
  world.figures.undos += 1;
  world.figures.merges += outcome.merged?.length ?? 0;
  await checkPerson(world, before, isTake ? 'taken' : 'undone');
  const after = await look(world);
  noteByHand(world, before, after, outcome);
  checkLog(world, before, after, outcome);
  if (isTake || hunks !== undefined || random() < 0.5 || outcome.done.length === 0) return;
  await undoAtOnce(world, before, outcome);
}

function hunkOf({ journal, random }: World, path: string, count: number): HunkChoice | undefined {
  const change = journal.state().changes.find((some) => some.path === path);
  if (change === undefined || count === 0) return undefined;
  return { places: [Math.floor(random() * count)], version: changeVersion(change) };
}

/** What the person had undone by hand counts as done by the undo, so a restore to before it brings that back. */
function noteByHand(world: World, before: Before, after: Before, { done }: ChangeOutcome): void {
  const byHand = done.filter((path) => isSameFile(before.disk.get(path), after.disk.get(path)));
  for (const set of world.touched) for (const path of byHand) set.add(path);
}

/** The log says of each file that was undone or taken what it is now. */
function checkLog(
  { journal, problems, root, project }: World,
  before: Before,
  after: Before,
  { done }: ChangeOutcome,
): void {
  const isCopy = root !== project;
  for (const { path, last } of journal.state().changes) {
    if (!done.includes(path) || last.seq <= before.seq || last.after?.kept === false) continue;
    const now = (last.side === 'project' && isCopy ? after.project : after.disk).get(path);
    const isSame =
      last.after === null ? now === undefined : now !== undefined && sha256Of(now.bytes) === last.after.blob.sha256;
    if (!isSame) problems.push(`the log is wrong about ${path} after an undo`);
  }
}

/** The undo of an undo leaves the files as they were. */
async function undoAtOnce(world: World, before: Before, { done, broughtBack = [] }: ChangeOutcome): Promise<void> {
  const now = await look(world);
  for (const path of done) {
    const again = await undoChanges(world.journal, [path]);
    // What the person had undone by hand comes back.
    const wasByHand = isSameFile(before.disk.get(path), now.disk.get(path));
    if (broughtBack.includes(path) || wasByHand) continue;
    const after = await look(world);
    const isBack = again.broughtBack?.includes(path) === true;
    const isSame =
      isSameFile(before.disk.get(path), after.disk.get(path)) &&
      isSameFile(before.project.get(path), after.project.get(path));
    if (isBack && !isSame) world.problems.push(`${path} is not as it was before an undo`);
  }
  await checkPerson(world, now, 'undone');
  noteByHand(world, now, await look(world), { done, refused: [] });
}
