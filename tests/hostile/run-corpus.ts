import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Engine } from '../../src/main/sandbox/docker/engine/container-engine.ts';
import { messageOf } from '../../src/shared/errors.ts';
import type { HostileRow } from './hostile-row.ts';
import { plantInSession } from './hostile-session.ts';
import { judgeRow, type JudgedRow, type Ran, type RowFacts } from './judge-row.ts';
import { startMachine, type PersonMachine } from './person-machine.ts';
import {
  bareScript,
  markOf,
  personScript,
  plantingsOf,
  prepareScript,
  type Planting,
  type RowPlace,
} from './row-scripts.ts';
import type { Seen } from './seen-by-person.ts';

const run = promisify(execFile);

/**
 * Plants a row or a group in a session's project. A planter other than the real one proves that the harness can fail.
 */
export type Planter = (
  planting: Planting,
  place: { readonly engine: Engine; readonly home: string; readonly workspace: string },
) => Promise<{ readonly seen: Seen; readonly output: string }>;

export interface CorpusOptions {
  readonly engine: Engine;
  /** Images that play the person's machine, each with its own Git. All of them see the results of the same sessions. */
  readonly images: readonly string[];
  readonly plant?: Planter;
}

export interface CorpusRun {
  readonly image: string;
  /** Such as `2.39.5`. */
  readonly git: string;
  readonly rows: readonly JudgedRow[];
}

const sessionsAtOnce = 3;
type Side = 'bare' | 'held';

/**
 * Plants every row twice: in a plain container, to show that it is an attack at all, and in a real session. Then the
 * person's machine does what a person does, and reports what ran.
 */
export async function runCorpus(rows: readonly HostileRow[], options: CorpusOptions): Promise<readonly CorpusRun[]> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-hostile-')));
  await chmod(base, 0o755);
  try {
    return await runIn(base, rows, options);
  } finally {
    if (process.env['DEWPOINT_TEST_KEEP'] === undefined) await clear(base);
  }
}

/** The folders of one run, and the user that plays the person. */
interface Ground {
  readonly base: string;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly rows: readonly HostileRow[];
}

type Planted = ReadonlyMap<string, Pick<RowFacts, 'seen' | 'output' | 'problem' | 'left'>>;

async function runIn(
  base: string,
  rows: readonly HostileRow[],
  { engine, images, plant = plantInSession }: CorpusOptions,
): Promise<readonly CorpusRun[]> {
  const folders = ['now/bare', 'now/held', 'reports', 'scripts', 'home'].map((name) => join(base, name));
  for (const folder of folders) await mkdir(folder, { recursive: true });
  const ground: Ground = { base, rows, user: await personOf(base) };
  const planted = await plantAll(ground, images[0] ?? '', (planting, workspace) =>
    plant(planting, { engine, home: join(base, 'home'), workspace }),
  );
  const runs: CorpusRun[] = [];
  const isSeveral = images.length > 1;
  if (isSeveral) await rename(join(base, 'now'), join(base, 'kept'));
  for (const image of images) {
    // The person's actions change what was planted, so each image starts with the same copy.
    if (isSeveral) await run('cp', ['-a', join(base, 'kept'), join(base, 'now')]);
    runs.push(await judgeAll(ground, image, planted));
    if (isSeveral) await clear(join(base, 'now'));
    for (const name of await readdir(join(base, 'reports'))) await rm(join(base, 'reports', name));
  }
  return runs;
}

/** Prepares and plants every row on both sides. */
async function plantAll(
  ground: Ground,
  image: string,
  plant: (planting: Planting, workspace: string) => Promise<{ readonly seen: Seen; readonly output: string }>,
): Promise<Planted> {
  const { base, rows } = ground;
  const planted = new Map<string, Pick<RowFacts, 'seen' | 'output' | 'problem' | 'left'>>();
  const machine = await machineOf(ground, image);
  try {
    await machine.runAll(
      'prepare-bare',
      scripts(rows, (one) => prepareScript(one, placeOf(base, 'bare', one))),
    );
    await machine.runAll(
      'prepare-held',
      scripts(rows, (one) => prepareScript(one, placeOf(base, 'held', one))),
    );
    const queue = [...plantingsOf(rows)];
    const sessions = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const workspace = join(placeOf(base, 'held', next).folder, next.rows[0].workspace ?? '.');
        const done = await plant(next, workspace).then(
          (found) => ({ ...found, problem: null }),
          // A row whose session failed proves nothing. The other rows continue.
          (error: unknown) => ({ seen: { runsLater: [], said: [] }, output: '', problem: messageOf(error) }),
        );
        for (const row of next.rows) planted.set(row.id, { ...done, left: await payloadsLeft(row, workspace) });
      }
    };
    await Promise.all([
      machine.runAll(
        'plant-bare',
        scripts(rows, (one) => bareScript(one, placeOf(base, 'bare', one))),
      ),
      ...Array.from({ length: sessionsAtOnce }, sessions),
    ]);
  } finally {
    await machine.close();
  }
  return planted;
}

async function judgeAll(ground: Ground, image: string, planted: Planted): Promise<CorpusRun> {
  const { base, rows } = ground;
  const machine = await machineOf(ground, image);
  try {
    for (const side of ['bare', 'held'] as const)
      await machine.runAll(
        `person-${side}`,
        scripts(rows, (one) => personScript(one, placeOf(base, side, one))),
      );
    const git = /\d+(\.\d+)+/.exec(await machine.firstLine('git --version'))?.[0] ?? 'unknown';
    const judged: JudgedRow[] = [];
    for (const row of rows) {
      const [bare, held] = [await ranOf(base, 'bare', row), await ranOf(base, 'held', row)];
      const found = planted.get(row.id);
      if (found === undefined) throw new Error(`${row.id} was not planted.`);
      judged.push(judgeRow(row, { bare, held, ...found }));
    }
    return { image, git, rows: judged };
  } finally {
    await machine.close();
  }
}

function placeOf(base: string, side: Side, { id }: Planting): RowPlace {
  return { folder: join(base, 'now', side, id), reports: join(base, 'reports'), side };
}

function scripts(rows: readonly HostileRow[], make: (planting: Planting) => string): ReadonlyMap<string, string> {
  return new Map(plantingsOf(rows).map((one) => [one.id, make(one)]));
}

function machineOf({ base, user }: Ground, image: string): Promise<PersonMachine> {
  const folders = ['now', 'reports', 'scripts'].map((name) => join(base, name));
  return startMachine({ image, user, folders, scripts: join(base, 'scripts') });
}

/** The user who runs the tests, or another one if that is root. The person's files belong to this user. */
async function personOf(base: string): Promise<Ground['user']> {
  const user = { uid: process.getuid?.() ?? 1000, gid: process.getgid?.() ?? 1000 };
  if (user.uid !== 0) return user;
  const other = { uid: 1234, gid: 1234 };
  for (const name of ['now', 'reports', 'scripts'])
    await run('chown', ['-R', `${other.uid}:${other.gid}`, join(base, name)]);
  return other;
}

/** The places of a row that are files with the payload in them. */
async function payloadsLeft(row: HostileRow, workspace: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (const place of row.places ?? []) {
    const text = await readFile(join(workspace, place), 'utf8').catch(() => '');
    if (text.includes(markOf(row))) left.push(place);
  }
  return left;
}

async function ranOf(base: string, side: Side, { id }: HostileRow): Promise<Ran> {
  const read = (when: string) => readFile(join(base, 'reports', `${id}.${side}.${when}`), 'utf8').catch(() => null);
  return { everyday: await read('everyday'), choice: await read('choice') };
}

/** The planted files include folders without permissions. */
async function clear(folder: string): Promise<void> {
  await run('chmod', ['-R', 'u+rwX', folder]).catch(() => undefined);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
