import { constants } from 'node:fs';
import { access, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../src/shared/errors.ts';
import type { RestoreOutcome } from '../../../src/shared/contract/sessions-contract.ts';
import type { FileImage } from '../../../src/shared/events/tool-events.ts';
import { restoreId } from '../../../src/shared/session/restore-state.ts';
import { createBlobs } from '../../../src/main/sessions/blobs/blob-store.ts';
import { restoreTo } from '../../../src/main/sessions/changes/restore-to.ts';
import type { LiveJournal } from '../../../src/main/sessions/journal/live-journal.ts';
import { createRedactor } from '../../../src/main/sessions/log/redactor.ts';
import { createSessionStore } from '../../../src/main/sessions/store/session-store.ts';
import { seeded } from '../seeded.ts';
import { type Disk, isSameFile, moveFile, putFile, readDisk, standsInTheWay, tokensIn } from './history-disk.ts';
import { personDecides } from './history-undo.ts';
import { type Before, checkNothingLost, checkPerson, type HistoryReport, look, type World } from './history-world.ts';

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

/** A folder in memory, where there is one: a history waits for the disk hundreds of times. */
export async function quickFolder(): Promise<string> {
  const memory = '/dev/shm';
  return access(memory, constants.W_OK).then(
    () => memory,
    () => tmpdir(),
  );
}

/** Plays one random history of edits by agent and person, takes, undos, restores and crashes, and checks each. */
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
  const isCopy = seed % 4 === 0;
  const project = isCopy ? join(home, 'person') : root;
  await mkdir(project, { recursive: true });
  const workspace = { mode: isCopy ? 'copy' : 'in-place', path: root } as const;
  const journal = await store.create({ title: 'x', projectPath: project, workspace });
  const figures = { restores: 0, undos: 0, merges: 0, kept: 0, crashes: 0, lostBytes: 0 };
  const world: World = {
    root,
    project,
    store,
    random,
    journal,
    figures,
    alive: new Set(),
    points: [],
    touched: [],
    count: 0,
    problems: [],
    logged: { seq: 0, blobs: new Map(), tokens: new Set(), brought: new Map() },
  };
  try {
    for (let step = 0; step < 10; step += 1) await personEdits(world, root);
    if (isCopy) await cp(root, project, { recursive: true });
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

/** Half of the edits are of two files, so that agent and person meet there. */
function pickPath(world: World): string {
  return pick(world, world.random() < 0.5 ? ['a.txt', 'dir/c.txt'] : paths) ?? '';
}

async function act(world: World): Promise<void> {
  const kind = world.random();
  if (kind < 0.3) await agentTurn(world);
  else if (kind < 0.54) await personEdits(world);
  else if (kind < 0.78) await personDecides(world);
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
  const path = pickPath(world);
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
    text === '' ? Array.from({ length: 30 }, (_, line) => (line === 29 ? '' : `line ${line}`)) : text.split('\n');
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
async function personEdits(world: World, root = pick(world, [world.root, world.project]) ?? world.root): Promise<void> {
  const { random } = world;
  const path = pickPath(world);
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
    text === '' ? Array.from({ length: 30 }, (_, line) => (line === 29 ? '' : `row ${line}`)) : text.split('\n');
  lines.splice(Math.floor(random() * lines.length), 0, line);
  return lines.join('\n');
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
  await checkPerson(world, before, choice.replaces ? 'replaced' : 'restored');
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
  await checkPerson(world, now, 'restored');
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
  await checkPerson(world, before, choice.replaces === true ? 'replaced' : 'restored');
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
