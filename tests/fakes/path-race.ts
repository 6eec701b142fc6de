import { spawn } from 'node:child_process';
import { link, mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planCopy } from '../../src/main/sandbox/workspace/workspace-copy-plan.ts';
import { copyPlanned } from '../../src/main/sandbox/workspace/copy-workspace.ts';
import { breakHardLinks } from '../../src/main/sandbox/workspace/hard-links.ts';
import { createReadOnlySandbox } from '../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { scanWorkspace } from '../../src/main/sandbox/workspace/workspace-scan.ts';
import { createSafeFolder } from '../../src/main/sessions/changes/safe-folder.ts';

/**
 * `inside`: the folder itself was reached. `refused`: the link was refused, or nothing was there. `leaked`: the target
 * of the link was reached.
 */
export type RaceAnswer = 'inside' | 'refused' | 'leaked';

export interface PathRace {
  /** One operation of each kind, on a path in the folder that is swapped. Several may run at once. */
  readonly strategies: Readonly<Record<string, () => Promise<RaceAnswer>>>;
  /** How the folder behind the link has changed. Empty: not at all. */
  outsideWrites(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

const none = new AbortController().signal;

// Runs in a process of its own, so that it really runs between our steps.
const swapper = `
import { renameSync, rmSync } from 'node:fs';
const [work] = process.argv.slice(1);
let strays = 0;
const move = (from, to) => { try { renameSync(work + '/' + from, work + '/' + to); return true; } catch { return false; } };
// A writer makes the folder anew in the instant in which it is away: that one goes, unless it is still written to.
const clear = () => {
  const stray = '../stray-' + strays++;
  if (move('d', stray)) try { rmSync(work + '/' + stray, { recursive: true }); } catch {}
};
process.stdout.write('going');
for (;;) {
  if (!move('d', 'real')) clear();
  if (!move('link', 'd')) clear();
  if (!move('d', 'link')) clear();
  if (!move('real', 'd')) clear();
}
`;

/**
 * A project in which a folder is swapped, as fast as possible, with a link to a folder outside that has the same names.
 * It lies in `parent`. On a file system in memory, a copy takes a tenth of the time. That changes nothing in the test:
 * links are followed or refused before any file system is asked.
 */
export async function startPathRace(parent: string = tmpdir()): Promise<PathRace> {
  const folder = await realpath(await mkdtemp(join(parent, 'dewpoint-race-')));
  const at = (path: string): string => join(folder, path);
  for (const path of ['work/d', 'outside', 'copies']) await mkdir(at(path), { recursive: true });
  // The two folders differ in their contents, sizes and neighboring names.
  await writeFile(at('outside/f'), 'secret');
  await writeFile(at('outside/.env'), 'KEY=outside');
  await writeFile(at('work/d/f'), 'mine');
  await link(at('work/d/f'), at('copies/f'));
  await symlink(at('outside'), at('work/link'));
  const before = await shapeOf(at('outside'));
  let copies = 0;
  const racing = spawn(process.execPath, ['--input-type=module', '-e', swapper, at('work')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => racing.stdout.once('data', resolve));
  return {
    strategies: {
      copy: () => copyOnce(at('work'), at(`copies/${(copies += 1)}`)),
      ...readingOf(at('work')),
      // Last: a writer may create the folder again while it is away. The new folder then has nothing of the first one.
      ...writingOf(at('work')),
    },
    outsideWrites: async () => {
      const now = await shapeOf(at('outside'));
      return [...before.filter((line) => !now.includes(line)), ...now.filter((line) => !before.includes(line))];
    },
    stop: async () => {
      const isSwapping = racing.exitCode === null;
      const gone = isSwapping ? new Promise((resolve) => racing.once('close', resolve)) : null;
      racing.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true });
      if (!isSwapping) throw new Error('The swapping ended by itself: nothing was raced from then on.');
    },
  };
}

function readingOf(work: string): PathRace['strategies'] {
  const sandbox = createReadOnlySandbox({ workspacePath: work, because: null });
  return {
    read: async () => {
      const reply = await sandbox.files.read('d/f', {}, none);
      return reply.ok ? answerOf(Buffer.from(reply.value.bytes)) : 'refused';
    },
    stat: async () => {
      const reply = await sandbox.files.stat('d/f', none);
      return !reply.ok ? 'refused' : reply.value.sizeBytes === 'mine'.length ? 'inside' : 'leaked';
    },
    list: async () => {
      const reply = await sandbox.files.list('d', { all: true }, none);
      if (!reply.ok) return 'refused';
      const names = reply.value.entries.map(({ path }) => path);
      return names.some((name) => name.endsWith('.env')) ? 'leaked' : names.length > 0 ? 'inside' : 'refused';
    },
    scan: async () => {
      const { secrets } = await scanWorkspace(work, none);
      return secrets.length > 0 ? 'leaked' : 'inside';
    },
  };
}

function writingOf(work: string): PathRace['strategies'] {
  const safe = createSafeFolder(work);
  let count = 0;
  return {
    'break links': async () => {
      const { broken } = await breakHardLinks(work, [{ path: 'd/f', sizeBytes: 4 }], none);
      return broken === 1 ? 'inside' : 'refused';
    },
    write: () => {
      count += 1;
      const file = { bytes: Buffer.from('x'), mode: 0o644 };
      return madeIt(safe.write(`d/new-${count % 50}`, file, () => true));
    },
    remove: () => madeIt(safe.remove(`d/new-${(count += 1) % 50}`, () => true)),
  };
}

async function copyOnce(work: string, to: string): Promise<RaceAnswer> {
  try {
    await copyPlanned(await planCopy(work, none), { from: work, to, signal: none });
    const seen = await Promise.all(['d/f', 'real/f', 'link/f'].map((path) => readOwn(join(to, path))));
    if (seen.includes('leaked')) return 'leaked';
    return seen.includes('inside') ? 'inside' : 'refused';
  } finally {
    await rm(to, { recursive: true, force: true });
  }
}

/** If the link itself was copied, a read through it does not read the copy. */
async function readOwn(path: string): Promise<RaceAnswer> {
  if ((await realpath(path).catch(() => '')) !== path) return 'refused';
  return answerOf(await readFile(path));
}

function answerOf(bytes: Buffer): RaceAnswer {
  return bytes.toString() === 'mine' ? 'inside' : 'leaked';
}

/** The answer does not show what was written. `outsideWrites` does. */
function madeIt(work: Promise<boolean>): Promise<RaceAnswer> {
  return work.then(
    () => 'inside',
    () => 'refused',
  );
}

async function shapeOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  const lines = names.map(async (name) => {
    const { ino, mode, nlink, mtimeMs } = await stat(join(folder, name));
    return `${name} ${ino} ${mode} ${nlink} ${mtimeMs} ${await readFile(join(folder, name), 'utf8')}`;
  });
  return Promise.all(lines);
}
