import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fetchPlanted, layHidden, listPlantedTasks, materialise, type PlantedTask } from '../../bench/lib/planted.ts';
import { findDataFolders } from '../../src/main/lib/files/data-folders.ts';
import { sampled } from '../fakes/sampled.ts';
import { type LayersPlan, layersLimitMs, type LayersResult, runLayers } from './run-layers.ts';

// Needs the network once for each package. Later runs find it in the cache. Every fourth task is a sample.
const fetchLimitMs = 180_000;
const allTasks = await listPlantedTasks(resolve('bench/tasks'));
const tasks = allTasks.filter((_, index) => index % sampled(1, 4) === 0);
const cacheFolder = join(findDataFolders(process.env, process.platform).cache, 'bench');

async function harness(task: PlantedTask, root: string, signal: AbortSignal): Promise<void> {
  const materials = { cacheFolder, signal };
  for (const name of ['sound', 'faulty'] as const) {
    const isPlanted = name === 'faulty';
    await materialise(task, join(root, task.id, name), { ...materials, isPlanted });
    await materialise(task, join(root, task.id, `${name}-judged`), { ...materials, isPlanted });
    await layHidden(task, join(root, task.id, `${name}-judged`), materials);
  }
}

function planOf({ id, language, testCommand, checkCommand }: PlantedTask): LayersPlan {
  const hidden = checkCommand.split(' ').find((word) => word.includes('hidden'));
  const runner = language === 'python' ? 'python3 -m pytest -q' : 'node --test';
  const alone = `${runner} ${hidden ?? '$(find . -name test_hidden_check.py)'}`;
  return {
    id,
    steps: [
      { name: 'sound, shown', layers: ['sound'], command: testCommand },
      { name: 'sound, judged', layers: ['sound-judged'], command: checkCommand },
      { name: 'faulty, shown', layers: ['faulty'], command: testCommand },
      { name: 'faulty, judged', layers: ['faulty-judged'], command: checkCommand },
      { name: 'faulty, hidden tests alone', layers: ['faulty-judged'], command: alone },
    ],
  };
}

let results: readonly LayersResult[] = [];
const resultOf = ({ id }: PlantedTask, step: string) =>
  results.find((result) => result.id === id && result.step === step);
// Both test runners exit with 1 for a failing test. Any other code is a broken or endless run.
const red = { exitCode: 1 };
const green = { exitCode: 0 };

beforeAll(async () => {
  const root = await mkdtemp(join(tmpdir(), 'dewpoint-planted-'));
  try {
    const signal = AbortSignal.timeout(fetchLimitMs);
    for (const task of tasks) await harness(task, root, signal);
    results = await runLayers(root, tasks.map(planOf));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}, fetchLimitMs + layersLimitMs);

describe.each(tasks)('task $id', (task) => {
  it('passes its tests as it was published', () => {
    expect(resultOf(task, 'sound, shown')).toMatchObject(green);
    expect(resultOf(task, 'sound, judged')).toMatchObject(green);
  });

  it('fails its shown tests with the fault', () => expect(resultOf(task, 'faulty, shown')).toMatchObject(red));

  it('fails its check by the hidden tests alone', () => {
    expect(resultOf(task, 'faulty, judged')).toMatchObject(red);
    expect(resultOf(task, 'faulty, hidden tests alone')).toMatchObject(red);
  });
});

describe.each(['planted-ramda-clone', 'planted-isodate-months'])('the package of %s', (id) => {
  it('is refused when its bytes are not the pinned ones', async () => {
    const cache = await mkdtemp(join(tmpdir(), 'dewpoint-planted-'));
    try {
      const task = allTasks.find((candidate) => candidate.id === id);
      if (task === undefined) throw new Error(`there is no task ${id}`);
      const other = { ...task, source: { ...task.source, sha256: '0'.repeat(64) } };
      await expect(fetchPlanted(other, cache, AbortSignal.timeout(100_000))).rejects.toThrow(
        /Hashes are required|MATCH THE HASHES|expected 0000/i,
      );
      expect(await readdir(cache)).toEqual([]);
    } finally {
      await rm(cache, { recursive: true, force: true });
    }
  });
});
