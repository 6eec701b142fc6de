import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calibrationInputSchema, calibrationSchema, type Calibration } from '@shared/calibration/calibration.ts';
import { findDataFolders } from '../../../src/main/lib/files/data-folders.ts';
import { itemsOf, openClientCore, type ClientCore } from '../../../tests/fakes/core-client.ts';
import { sha256Of } from '../../../src/main/lib/sha256.ts';
import { filesBelow } from '../files-below.ts';
import { materialise, readPlantedTask } from '../planted.ts';
import type { BenchRow } from '../rows.ts';

/** Published packages, as the planted tasks have them, without their fault. */
const packages = ['planted-cachetools-info', 'planted-isodate-months', 'planted-picomatch-extglob'];
const wanted = 16;

/**
 * The tasks that `dewpoint calibrate` makes of published packages, without a model, and whether the packages stay as they
 * are. Takes minutes for each.
 */
export async function measure(signal: AbortSignal): Promise<readonly BenchRow[]> {
  const { cache } = findDataFolders(process.env, process.platform);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-bench-calibrate-')));
  const home = join(folder, 'home');
  await mkdir(home);
  const core = await openClientCore({ home, cache, version: 'bench', onNotice: console.error });
  const rows: BenchRow[] = [];
  try {
    for (const id of packages) {
      const project = join(folder, id);
      const task = await readPlantedTask(join('bench', 'tasks', id));
      await materialise(task, project, { isPlanted: false, cacheFolder: join(cache, 'bench'), signal });
      const before = await hashesOf(project);
      const made = await tasksOf(core, { home, project }, signal);
      rows.push(...rowsOf(task.source.package, made, before === (await hashesOf(project))));
    }
  } finally {
    await core.dispose();
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}

async function tasksOf(
  { client }: ClientCore,
  { home, project }: { readonly home: string; readonly project: string },
  signal: AbortSignal,
): Promise<Calibration> {
  const input = calibrationInputSchema.parse({ projectPath: project, tasks: wanted, onlyTasks: true });
  const { id } = await client.calibrations.create(input, { signal });
  const stop = (): void => void client.calibrations.cancel({ id });
  signal.addEventListener('abort', stop, { once: true });
  await client.calibrations.start({ id });
  await itemsOf(client.calibrations.watch({ id }));
  signal.throwIfAborted();
  return calibrationSchema.parse(JSON.parse(await readFile(join(home, 'calibrations', `${id}.json`), 'utf8')));
}

function rowsOf(
  name: string,
  { tasks, dropped, workedSeconds, project }: Calibration,
  isUntouched: boolean,
): readonly BenchRow[] {
  const verified = tasks.filter(
    ({ verified: { failedBefore, passedAfter } }) => failedBefore === 2 && passedAfter === 2,
  );
  const count = (kind: string): number => tasks.filter((task) => task.kind === kind).length;
  const left = Object.values(dropped).reduce((sum, one) => sum + one, 0);
  return [
    {
      figure: `${name}: tasks made`,
      value: tasks.length,
      unit: '',
      target: { atLeast: 15 },
      note: `${count('fault')} faults, ${count('question')} questions; ${left} candidates left out; ${workedSeconds} s; the tests take ${(project?.suiteSeconds ?? 0).toFixed(1)} s`,
    },
    {
      figure: `${name}: tasks whose check fails before and passes after the true change, twice each`,
      value: (100 * verified.length) / Math.max(1, tasks.length),
      unit: '%',
      target: { atLeast: 100 },
      note: `${verified.length} of ${tasks.length}`,
    },
    {
      figure: `${name}: project files that changed`,
      value: isUntouched ? 0 : 1,
      unit: '',
      target: { atMost: 0 },
      note: 'by the hashes of all files',
    },
  ];
}

async function hashesOf(folder: string): Promise<string> {
  const paths = [...(await filesBelow(folder))].sort();
  const hashes = await Promise.all(
    paths.map(async (path) => `${path} ${sha256Of(await readFile(join(folder, path)))}`),
  );
  return hashes.join('\n');
}
