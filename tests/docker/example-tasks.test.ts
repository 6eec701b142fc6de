import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldOf } from '../../src/shared/unknown-value.ts';
import { layersLimitMs, type LayersResult, runLayers } from './run-layers.ts';

const root = 'examples/tasks';
const all = await readdir(root);
const taskOf = async (id: string): Promise<unknown> => JSON.parse(await readFile(join(root, id, 'task.json'), 'utf8'));
/** The others are questions, and their known answer judges. */
const ids = (await Promise.all(all.map(async (id) => ({ id, task: await taskOf(id) })))).flatMap(({ id, task }) =>
  fieldOf(task, 'answer') === undefined ? [id] : [],
);
let folder = '';
let results: readonly LayersResult[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-example-tasks-'));
  await cp(root, folder, { recursive: true });
  const plans = ids.map(async (id) => {
    const command = String(fieldOf(await taskOf(id), 'checkCommand'));
    return {
      id,
      steps: [
        { name: 'before', layers: ['project', 'hidden'], command },
        { name: 'after', layers: ['project', 'reference', 'hidden'], command },
      ],
    };
  });
  results = await runLayers(folder, await Promise.all(plans));
}, layersLimitMs);

afterAll(() => rm(folder, { recursive: true, force: true }));

it('ten tasks with a check and three questions come along', () => expect([ids.length, all.length]).toEqual([10, 13]));

describe.each(ids)('the task %s', (id) => {
  const ended = (step: string) => {
    const found = results.find((result) => result.id === id && result.step === step);
    return { exitCode: found?.exitCode, output: found?.output ?? '' };
  };

  it('fails its check as it is', () => {
    const { exitCode, output } = ended('before');
    expect(exitCode, output).toBe(1);
  });

  it('passes it after the change that it asks for', () => {
    const { exitCode, output } = ended('after');
    expect(exitCode, output).toBe(0);
  });
});
