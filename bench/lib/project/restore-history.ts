import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../src/shared/errors.ts';
import type { RestoreOutcome } from '../../../src/shared/contract/sessions-contract.ts';
import type { FileImage } from '../../../src/shared/events/tool-events.ts';
import { restoreId } from '../../../src/shared/session/restore-state.ts';
import { createBlobs } from '../../../src/main/sessions/blobs/blob-store.ts';
import { blobsOf } from '../../../src/main/sessions/blobs/event-blobs.ts';
import { restoreTo } from '../../../src/main/sessions/changes/restore-to.ts';
import { undoChanges } from '../../../src/main/sessions/changes/undo-and-take.ts';
import type { LiveJournal } from '../../../src/main/sessions/journal/live-journal.ts';
import { createRedactor } from '../../../src/main/sessions/log/redactor.ts';
import { createSessionStore, type SessionStore } from '../../../src/main/sessions/store/session-store.ts';
import { seeded } from '../seeded.ts';
import { type Disk, isSameFile, moveFile, putFile, readDisk, standsInTheWay, tokensIn } from './history-disk.ts';

const paths = [
  'a.txt',
  'b.txt',
  'dir/c.txt',
  'dir/deep/d.txt',
  'data.bin',
  'x',
  'x/y.txt',
  'Case.md',
  'case.md',
  'größe.txt',
];

/** What went wrong in a history, and how much it did. */
export interface HistoryReport {
  readonly problems: readonly string[];
  readonly lostBytes: number;
  readonly restores: number;
  readonly merges: number;
  readonly kept: number;
  readonly crashes: number;
}

interface Point {
  readonly id: string;
  readonly disk: Disk;
}

interface World {
  readonly root: string;
  readonly store: SessionStore;
  readonly random: () => number;
  journal: LiveJournal;
  /** Marks that the person wrote and did not delete. */
  readonly alive: Set<string>;
  readonly points: Point[];
  /** The paths that a person changed after a point of the same index. */
  readonly touched: Set<string>[];
  count: number;
  /** What the log holds of marks, up to an event. */
  readonly logged: { seq: number; readonly blobs: Set<string>; readonly tokens: Set<string> };
  readonly problems: string[];
  readonly figures: { restores: number; merges: number; kept: number; crashes: number; lostBytes: number };
}

/** A folder in memory, where there is one: a history waits for the disk hundreds of times. */
export async function quickFolder(): Promise<string> {
  const memory = '/dev/shm';
  return access(memory, constants.W_OK).then(
    () => memory,
    () => tmpdir(),
  );
}

/** Plays one random history of edits by agent and person, restores, undos and crashes, and checks each restore. */
export async function playHistory(seed: number, folder: string, steps = 18): Promise<HistoryReport> {
  const home = await mkdtemp(join(folder, 'history-'));
  const random = seeded(seed * 2_654_435_761 + 1);
  let clock = 1000;
  const store = createSessionStore({
    folder: join(home, 'sessions'),
    appVersion: 'test',
    blobs: createBlobs(join(home, 'blobs')),
    redactor: createRedactor(),
    now: () => Math.max(Date.now(), (clock += 1)),
  });
  const root = join(home, 'project');
  await mkdir(root);
  const journal = await store.create({ title: 'x', projectPath: root, workspace: { mode: 'in-place', path: root } });
  const figures = { restores: 0, merges: 0, kept: 0, crashes: 0, lostBytes: 0 };
  const world: World = {
    root,
    store,
    random,
    journal,
    figures,
    alive: new Set(),
    points: [],
    touched: [],
    count: 0,
    problems: [],
    logged: { seq: 0, blobs: new Set(), tokens: new Set() },
  };
  try {
    for (let step = 0; step < 4; step += 1) await personEdits(world);
    for (let step = 0; step < steps; step += 1) await act(world);
    await checkNothingLost(world, 'at the end');
  } finally {
    await world.journal.close();
    await rm(home, { recursive: true, force: true });
  }
  return { problems: world.problems.map((problem) => `seed ${seed}: ${problem}`), ...figures };
}

function pick<T>({ random }: Pick<World, 'random'>, from: readonly T[]): T | undefined {
  return from[Math.floor(random() * from.length)];
}

async function act(world: World): Promise<void> {
  const kind = world.random();
  if (kind < 0.34) await agentTurn(world);
  else if (kind < 0.62) await personEdits(world);
  else if (kind < 0.68) await personUndoes(world);
  else if (world.points.length > 0) await restore(world);
}

/** A message, and up to three changes for it. */
async function agentTurn(world: World): Promise<void> {
  world.count += 1;
  const id = `message-${world.count}`;
  world.points.push({ id, disk: await readDisk(world.root) });
  world.touched.push(new Set());
  await world.journal.append({ type: 'user-message-added', messageId: id, text: `Do ${world.count}`, queued: false });
  const turnId = `turn-${world.count}`;
  const limits = { maxSteps: 9, maxMinutes: 9, maxTokens: 9, maxUsd: null };
  await world.journal.append({ type: 'turn-started', turnId, messageId: id, check: null, cascade: [], limits });
  const changes = 1 + Math.floor(world.random() * 3);
  for (let change = 0; change < changes; change += 1) await agentEdits(world);
  const end = { reason: 'done', text: 'Done.', confidence: null, failure: null } as const;
  await world.journal.append({ type: 'turn-ended', turnId, ...end });
}

async function agentEdits(world: World): Promise<void> {
  const path = pick(world, paths) ?? '';
  const { root, random } = world;
  // A folder that is in the way goes with all files in it, each of which is a change.
  const before = await readDisk(root);
  if (await standsInTheWay(root, path)) {
    const inTheWay = [...before.keys()].filter((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
    for (const other of inTheWay) await agentPuts(world, other, null);
    await rm(join(root, path), { recursive: true, force: true });
  }
  const old = before.get(path);
  if (old !== undefined && random() < 0.2) return agentPuts(world, path, null);
  if (old !== undefined && random() < 0.1) return changeMode(world, path, old);
  const isBinary = path.endsWith('.bin');
  const fresh = isBinary
    ? Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(`agent ${world.count} ${random()}`)])
    : Buffer.from(editedText(world, old?.bytes.toString() ?? '', `agent ${random()}`));
  await agentPuts(world, path, fresh, old === undefined ? {} : { mode: old.mode });
}

/** Inserts, replaces or removes some lines. */
function editedText({ random }: World, text: string, words: string): string {
  const lines =
    text === '' ? Array.from({ length: 14 }, (_, line) => (line === 13 ? '' : `line ${line}`)) : text.split('\n');
  const at = Math.floor(random() * lines.length);
  const kind = random();
  if (kind < 0.1) return `${words}\n`;
  lines.splice(at, kind < 0.5 ? 1 : 0, ...(kind < 0.2 ? [] : [words]));
  return lines.join('\n');
}

async function imageOf({ journal, root, random }: World, path: string, mayBeUnkept: boolean): Promise<FileImage> {
  const file = (await readDisk(root)).get(path);
  if (file === undefined) return null;
  if (mayBeUnkept && random() < 0.05) return { kept: false, why: 'too-large' };
  return { kept: true, blob: await journal.putBlob(file.bytes), mode: file.mode };
}

function changeMode(world: World, path: string, { bytes, mode }: { readonly bytes: Buffer; readonly mode: number }) {
  return agentPuts(world, path, bytes, { mode: mode === 0o755 ? 0o644 : 0o755, mayBeUnkept: false });
}

async function agentPuts(
  world: World,
  path: string,
  bytes: Buffer | null,
  { mode = 0o644, mayBeUnkept = true } = {},
): Promise<void> {
  const before = await imageOf(world, path, false);
  await putFile(world.root, path, bytes, mode);
  const after = await imageOf(world, path, mayBeUnkept);
  const counts = { added: null, removed: null, undoes: [] };
  await world.journal.append({ type: 'file-changed', path, before, after, by: 'model', toolCallId: 't', ...counts });
}

/** A person writes, moves, deletes and changes modes. */
async function personEdits(world: World): Promise<void> {
  const { root, random } = world;
  const path = pick(world, paths) ?? '';
  const disk = await readDisk(root);
  const old = disk.get(path);
  const kind = random();
  const touch = (...some: string[]): void => {
    for (const set of world.touched) for (const one of some) set.add(one);
  };
  if (old !== undefined && kind < 0.1) {
    for (const token of tokensIn(old.bytes)) world.alive.delete(token);
    await putFile(root, path, null);
    return touch(path);
  }
  if (old !== undefined && kind < 0.2) {
    const to = pick(world, paths) ?? path;
    if (disk.has(to) || (await standsInTheWay(root, to)) || to.startsWith(`${path}/`)) return;
    await moveFile(root, path, to);
    return touch(path, to);
  }
  if (await standsInTheWay(root, path)) return;
  world.count += 1;
  const letters = Array.from({ length: 8 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
  const token = `<${world.count}:${letters}>`;
  const text = old?.bytes.toString('latin1') ?? '';
  const fresh = path.endsWith('.bin') ? `${text}\0${token}` : insertLine(random, text, token);
  world.alive.add(token);
  await putFile(root, path, Buffer.from(fresh, 'latin1'), kind > 0.95 ? 0o600 : undefined);
  touch(path);
}

function insertLine(random: () => number, text: string, line: string): string {
  const lines =
    text === '' ? Array.from({ length: 14 }, (_, line) => (line === 13 ? '' : `row ${line}`)) : text.split('\n');
  lines.splice(Math.floor(random() * lines.length), 0, line);
  return lines.join('\n');
}

async function personUndoes(world: World): Promise<void> {
  const path = pick(world, paths) ?? '';
  const before = await readDisk(world.root);
  const { done } = await undoChanges(world.journal, world.random() < 0.5 ? [path] : []);
  const after = await readDisk(world.root);
  // What the person had undone by hand counts as done by the undo, so a restore to before it brings that back.
  const byHand = done.filter((one) => isSameFile(before.get(one), after.get(one)));
  for (const set of world.touched) for (const one of byHand) set.add(one);
  await checkNothingLost(world, 'after an undo');
}

interface Before {
  readonly disk: Disk;
  readonly seq: number;
  /** Marks that only the disk has, by path. */
  readonly fresh: ReadonlyMap<string, readonly string[]>;
}

async function restore(world: World): Promise<void> {
  const { random, points } = world;
  const index = Math.floor(random() * points.length);
  const point = points[index];
  if (point === undefined) return;
  const choice = { checkpoint: point.id, files: true, conversation: random() < 0.5, replaces: random() < 0.15 };
  const before = await look(world);
  if (random() < 0.3) return crashingRestore(world, choice, before);
  const preview = await restoreTo(world.journal, { ...choice, isPreview: true });
  const outcome = await restoreTo(world.journal, choice);
  world.figures.restores += 1;
  world.figures.merges += outcome.merged.length;
  world.figures.kept += outcome.kept.length;
  const after = await readDisk(world.root);
  await checkPerson(world, before, after, choice.replaces);
  const [planned, done] = [toldOf(preview), toldOf(outcome)];
  if (planned !== done) world.problems.push(`the preview said ${planned}, and it was ${done}`);
  const touched = world.touched[index] ?? new Set();
  const keptPaths = outcome.kept.map(({ path }) => path);
  for (const path of paths) {
    if (isNear(path, touched) || isNear(path, keptPaths) || isSameFile(after.get(path), point.disk.get(path))) continue;
    world.problems.push(`${path} is not as it was before ${point.id}`);
  }
  checkState(world, after, outcome.kept);
  if (random() < 0.5) await undoRestore(world, before, choice.replaces);
}

/** What is told of files that do not stand in each other's way: those are only known in the end. */
function toldOf({ restored, merged, kept }: RestoreOutcome): string {
  const alone = (path: string): boolean => path !== 'x' && path !== 'x/y.txt';
  const lists = [restored, merged, kept.map(({ path }) => path)];
  return JSON.stringify(lists.map((some) => some.filter(alone)));
}

/** A path, and what lies above and below it. */
function isNear(path: string, some: Iterable<string>): boolean {
  return [...some].some((other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
}

async function undoRestore(world: World, before: Before, wasReplaced: boolean): Promise<void> {
  const last = world.journal.state().restores?.at(-1);
  if (last === undefined) return;
  const now = await look(world);
  await restoreTo(world.journal, { checkpoint: restoreId(last.seq), files: true, conversation: last.conversation });
  const after = await readDisk(world.root);
  await checkPerson(world, now, after, false);
  for (const path of paths)
    if (!isSameFile(after.get(path), before.disk.get(path)))
      world.problems.push(`${path} is not as it was before the restore${wasReplaced ? ' that replaced' : ''}`);
}

/** The log agrees with the disk about each file that nobody else changed. */
function checkState(world: World, after: Disk, kept: readonly { readonly path: string }[]): void {
  const all = world.touched[0] ?? new Set<string>();
  for (const change of world.journal.state().changes) {
    const isOdd = isNear(change.path, all) || kept.some(({ path }) => path === change.path);
    if (isOdd || (change.after !== null && !change.after.kept)) continue;
    const isThere = after.has(change.path);
    if (isThere !== (change.after !== null)) world.problems.push(`the log is wrong about ${change.path}`);
  }
}

/** The program ends somewhere in a restore, before or after something was written. Then it starts again. */
async function crashingRestore(world: World, choice: Parameters<typeof restoreTo>[1], before: Before): Promise<void> {
  world.figures.crashes += 1;
  const { journal, random } = world;
  const isFull = random() < 0.3;
  await restoreTo(dyingJournal(journal, { after: Math.floor(random() * 14), random, isFull }), choice).catch(
    () => undefined,
  );
  const { sessionId } = journal;
  await journal.close();
  world.journal = await world.store.open(sessionId);
  if (world.journal.state().restores?.some(({ end }) => end === null) === true)
    world.problems.push('a restore that was cut off has no end');
  await checkPerson(world, before, await readDisk(world.root), choice.replaces ?? false);
  for (const set of world.touched) for (const path of paths) set.add(path);
}

function dyingJournal(
  journal: LiveJournal,
  { after, random, isFull }: { readonly after: number; readonly random: () => number; readonly isFull: boolean },
): LiveJournal {
  let left = after;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left === 0 && isFull) throw new AppError('disk-full', 'full');
    if (left === 0 && random() < 0.5) await work();
    if (left <= 0 && !isFull) throw new Error('The program ended.');
    return work();
  };
  return {
    ...journal,
    append: (event) => step(() => journal.append(event)),
    putBlob: (bytes) => step(() => journal.putBlob(bytes)),
    getBlob: (ref) => step(() => journal.getBlob(ref)),
  };
}

async function look(world: World): Promise<Before> {
  const disk = await readDisk(world.root);
  const logged = new Set(await loggedTokens(world));
  const fresh = new Map(
    [...disk].map(([path, { bytes }]) => [path, tokensIn(bytes).filter((one) => !logged.has(one))]),
  );
  return { disk, seq: world.journal.state().seq, fresh };
}

/** The marks in all files that the log names. */
async function loggedTokens({ journal, logged }: World): Promise<ReadonlySet<string>> {
  for await (const event of journal.read(logged.seq + 1)) {
    logged.seq = event.seq;
    for (const ref of blobsOf(event)) {
      if (logged.blobs.has(ref.sha256)) continue;
      logged.blobs.add(ref.sha256);
      const bytes = await journal.getBlob(ref);
      if (bytes !== null) for (const one of tokensIn(bytes)) logged.tokens.add(one);
    }
  }
  return logged.tokens;
}

/** What the person wrote since the agent is still in its file. `isReplaced`: or in the log. */
async function checkPerson(world: World, before: Before, after: Disk, isReplaced: boolean): Promise<void> {
  const logged = isReplaced ? await loggedTokens(world) : new Set<string>();
  for (const [path, tokens] of before.fresh) {
    const now = new Set(tokensIn(after.get(path)?.bytes ?? Buffer.alloc(0)));
    for (const one of tokens) if (!now.has(one) && !logged.has(one)) lost(world, `${one} is gone from ${path}`, one);
  }
  await checkNothingLost(world, 'after a restore');
}

/** Everything that a person wrote is on the disk, or in a file that the log names. */
async function checkNothingLost(world: World, when: string): Promise<void> {
  const there = new Set(await loggedTokens(world));
  for (const { bytes } of (await readDisk(world.root)).values()) for (const one of tokensIn(bytes)) there.add(one);
  for (const one of world.alive) if (!there.has(one)) lost(world, `${one} is lost ${when}`, one);
}

function lost(world: World, problem: string, token: string): void {
  world.problems.push(problem);
  world.figures.lostBytes += token.length;
}
