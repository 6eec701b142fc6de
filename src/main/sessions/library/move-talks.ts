import { access, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { isDiskFull, makeFolder, readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { noteFailure, orNoted } from '../../lib/log.ts';
import type { SessionStore } from '../store/session-store.ts';

export interface TalkPlaces {
  readonly home: string;
  readonly store: Pick<SessionStore, 'folderOf'>;
  readonly bin: Pick<SessionStore, 'folderOf'>;
}

/** `gone`: out of the bin for good, with the workspaces that were made for these sessions. */
const moveSchema = z.object({ to: z.enum(['bin', 'store', 'gone']), ids: z.array(z.string()).readonly() });
type TalkMove = Readonly<z.infer<typeof moveSchema>>;

/**
 * Moves all branches of a talk as one act. It is written down before the first folder moves, and `finishMoves` carries on
 * after a crash. If a folder cannot be moved, those before it go back. If a session of that name is in both places,
 * nothing is merged or replaced. `onEach` is called before each folder.
 */
export async function moveTalk(
  places: TalkPlaces,
  move: TalkMove,
  onEach: (id: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (const id of move.ids)
    if (!(await isThere(wayOf(places, move, id).from)))
      throw new AppError('not-found', 'The session was not found.', { hint: 'It may already be moved.' });
  const note = await noteMove(places, move);
  const done: string[] = [];
  try {
    for (const id of move.ids) {
      await onEach(id);
      await moveOne(places, move, id);
      done.push(id);
    }
  } catch (error) {
    for (const id of move.to === 'gone' ? [] : done.toReversed()) {
      const { from, to } = wayOf(places, move, id);
      await rename(to, from).catch((undo: unknown) => noteFailure(`A branch was not moved back: ${id}`, undo));
    }
    throw error;
  } finally {
    await rm(note, { force: true });
  }
}

/** Call it at the start of a core, before its sessions are listed. Never rejects. */
export async function finishMoves(places: TalkPlaces): Promise<void> {
  const folder = join(places.home, 'bin');
  // Without the folder, nothing was moved yet.
  const names = await readdir(folder).catch(() => []);
  for (const note of names.filter((name) => name.startsWith(notePrefix)).map((name) => join(folder, name))) {
    const found = await readJsonFile(note, (value) => moveSchema.parse(value));
    // What cannot be finished stays where it is. Nothing is lost, and nothing is tried again.
    const move: TalkMove = found.type === 'value' ? found.value : { to: 'bin', ids: [] };
    for (const id of move.ids) await finishOne(places, move, id).catch(orNoted('A branch was not moved', undefined));
    await rm(note, { force: true }).catch(orNoted('A note about moved sessions stays', null));
  }
}

const notePrefix = '.moving-';

async function noteMove({ home }: TalkPlaces, move: TalkMove): Promise<string> {
  const path = join(home, 'bin', `${notePrefix}${move.ids[0]}.json`);
  try {
    // One folder moves at once or not at all.
    if (move.ids.length > 1 || move.to === 'gone') await writeJsonFile(path, move);
  } catch (error) {
    // What is deleted makes room.
    if (!isDiskFull(error)) throw error;
    noteFailure('Sessions are moved without a note about it', error);
  }
  return path;
}

function wayOf(
  { store, bin }: TalkPlaces,
  { to }: TalkMove,
  id: string,
): { readonly from: string; readonly to: string } {
  return to === 'bin'
    ? { from: store.folderOf(id), to: bin.folderOf(id) }
    : { from: bin.folderOf(id), to: store.folderOf(id) };
}

async function moveOne(places: TalkPlaces, move: TalkMove, id: string): Promise<void> {
  const { from, to } = wayOf(places, move, id);
  if (move.to === 'gone') {
    await rm(from, { recursive: true, force: true });
    // Only the workspace that was made for it. A project folder is elsewhere.
    await rm(join(places.home, 'workspaces', id), { recursive: true, force: true });
    return;
  }
  await makeFolder(join(to, '..'));
  await rename(from, to);
}

async function finishOne(places: TalkPlaces, move: TalkMove, id: string): Promise<void> {
  const { from, to } = wayOf(places, move, id);
  // It was restored, or something of this name is there.
  if (await isThere(to)) return;
  if (move.to === 'gone' || (await isThere(from))) await moveOne(places, move, id);
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
