import { beforeAll, describe, expect, it } from 'vitest';
import { loadTasks, type Task } from '../../bench/lib/tasks.ts';
import { type LayersPlan, layersLimitMs, type LayersResult, runLayers } from './run-layers.ts';

const root = 'bench/tasks';
const tasks = (await loadTasks(root)).filter((task) => task.kind === 'small' || task.kind === 'two-file');

function planOf({ id, checkCommand, testCommand }: Task): LayersPlan {
  const step = (name: string, layers: readonly string[], command: string | null) =>
    command === null ? [] : [{ name, layers, command }];
  return {
    id,
    steps: [
      ...step('unmodified, hidden', ['project', 'hidden'], checkCommand),
      ...step('solved, hidden', ['project', 'solution', 'hidden'], checkCommand),
      ...step('unmodified, shown', ['project'], testCommand),
      ...step('solved, shown', ['project', 'solution'], testCommand),
    ],
  };
}

let results: readonly LayersResult[] = [];
const resultOf = ({ id }: Task, step: string) => results.find((result) => result.id === id && result.step === step);
// Both test runners exit with 1 for a failing test. Any other code is a broken or endless run.
const red = { exitCode: 1 };
const green = { exitCode: 0 };

beforeAll(async () => void (results = await runLayers(root, tasks.map(planOf))), layersLimitMs);

describe.each(tasks)('task $id ($kind, $shape)', (task) => {
  it('fails its check without the solution', () => expect(resultOf(task, 'unmodified, hidden')).toMatchObject(red));

  it('passes its check with the solution', () => expect(resultOf(task, 'solved, hidden')).toMatchObject(green));
});

describe.each(tasks.filter((task) => task.testCommand !== null))('the tests that $id shows ($shape)', (task) => {
  it('fail without the solution', () => expect(resultOf(task, 'unmodified, shown')).toMatchObject(red));

  it('pass with the solution', () => expect(resultOf(task, 'solved, shown')).toMatchObject(green));
});
