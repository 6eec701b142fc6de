import type { BlobRef } from '../../../src/shared/events/blob-ref.ts';
import { blobsOf } from '../../../src/main/sessions/blobs/event-blobs.ts';
import type { LiveJournal } from '../../../src/main/sessions/journal/live-journal.ts';
import type { SessionStore } from '../../../src/main/sessions/store/session-store.ts';
import { type Disk, readDisk, tokensIn } from './history-disk.ts';

/** What went wrong in a history, and how much it did. */
export interface HistoryReport {
  readonly problems: readonly string[];
  readonly lostBytes: number;
  readonly restores: number;
  readonly undos: number;
  readonly merges: number;
  readonly kept: number;
  readonly crashes: number;
}

export interface Point {
  readonly id: string;
  readonly disk: Disk;
}

/** What the log holds of marks, up to an event. */
interface Logged {
  seq: number;
  readonly blobs: Map<string, readonly string[]>;
  readonly tokens: Set<string>;
  /** The marks that a change of the session put into a file, by path. It may take them away again. */
  readonly brought: Map<string, Set<string>>;
}

export interface World {
  /** Where the agent works. */
  readonly root: string;
  /** The project folder: another one if the agent works in a copy. */
  readonly project: string;
  readonly store: SessionStore;
  readonly random: () => number;
  journal: LiveJournal;
  /** Marks that the person wrote and did not delete. */
  readonly alive: Set<string>;
  readonly points: Point[];
  /** The paths that a person changed after a point of the same index. */
  readonly touched: Set<string>[];
  count: number;
  readonly logged: Logged;
  readonly problems: string[];
  readonly figures: {
    restores: number;
    undos: number;
    merges: number;
    kept: number;
    crashes: number;
    lostBytes: number;
  };
}

/** The disk at a moment. */
export interface Before {
  /** Of the last event. */
  readonly seq: number;
  readonly disk: Disk;
  readonly project: Disk;
  /** Marks that no change of the session put into their file, by path. */
  readonly own: ReadonlyMap<string, readonly string[]>;
  readonly ownInProject: ReadonlyMap<string, readonly string[]>;
  /** Marks in the project that the log does not hold: a take may bring a change that removes the others. */
  readonly unlogged: ReadonlySet<string>;
}

export async function look(world: World): Promise<Before> {
  const disk = await readDisk(world.root);
  const project = world.project === world.root ? new Map() : await readDisk(world.project);
  await readLog(world);
  const ownIn = (folder: Disk): Before['own'] =>
    new Map(
      [...folder].map(([path, { bytes }]) => {
        const brought = world.logged.brought.get(path);
        return [path, tokensIn(bytes).filter((one) => brought?.has(one) !== true)];
      }),
    );
  const inProject = [...project.values()].flatMap(({ bytes }) => tokensIn(bytes));
  const unlogged = new Set(inProject.filter((one) => !world.logged.tokens.has(one)));
  return { seq: world.logged.seq, disk, project, own: ownIn(disk), ownInProject: ownIn(project), unlogged };
}

/** Reads on in the log. */
async function readLog(world: World): Promise<Logged> {
  const { journal, logged } = world;
  for await (const event of journal.read(logged.seq + 1)) {
    logged.seq = event.seq;
    for (const ref of blobsOf(event)) await tokensOf(world, ref);
    if (event.type !== 'file-changed') continue;
    const before = new Set(event.before?.kept === true ? await tokensOf(world, event.before.blob) : []);
    const after = event.after?.kept === true ? await tokensOf(world, event.after.blob) : [];
    const brought = logged.brought.get(event.path) ?? new Set();
    for (const one of after) if (!before.has(one)) brought.add(one);
    logged.brought.set(event.path, brought);
  }
  return logged;
}

async function tokensOf({ journal, logged }: World, ref: BlobRef): Promise<readonly string[]> {
  const known = logged.blobs.get(ref.sha256);
  if (known !== undefined) return known;
  const tokens = tokensIn((await journal.getBlob(ref)) ?? Buffer.alloc(0));
  logged.blobs.set(ref.sha256, tokens);
  for (const one of tokens) logged.tokens.add(one);
  return tokens;
}

/**
 * What no change of the session brought is still in its file. After a restore that replaced, it may be in the log; after a
 * take, in the project, too.
 */
export async function checkPerson(
  world: World,
  before: Before,
  did: 'restored' | 'replaced' | 'undone' | 'taken',
): Promise<void> {
  const after = await look(world);
  const sides = [
    [before.own, after.disk, () => did === 'replaced'],
    [before.ownInProject, after.project, (one: string) => did === 'taken' && !before.unlogged.has(one)],
  ] as const;
  for (const [own, disk, mayGo] of sides)
    for (const [path, tokens] of own) {
      const now = new Set(tokensIn(disk.get(path)?.bytes ?? Buffer.alloc(0)));
      const isKept = (one: string): boolean => now.has(one) || (mayGo(one) && world.logged.tokens.has(one));
      for (const one of tokens) if (!isKept(one)) lost(world, `${one} is gone from ${path}`, one);
    }
  await checkNothingLost(world, `when it was ${did}`);
}

/** Everything that a person wrote is on the disk, or in a file that the log names. */
export async function checkNothingLost(world: World, when: string): Promise<void> {
  const { disk, project } = await look(world);
  const there = new Set(world.logged.tokens);
  for (const { bytes } of [...disk.values(), ...project.values()]) for (const one of tokensIn(bytes)) there.add(one);
  for (const one of world.alive) if (!there.has(one)) lost(world, `${one} is lost ${when}`, one);
}

function lost(world: World, problem: string, token: string): void {
  world.problems.push(problem);
  world.figures.lostBytes += token.length;
}
