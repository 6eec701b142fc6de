import { afterEach, describe, expect, test } from 'vitest';
import write from '../../src/main/agent/recipes/write.recipe.ts';
import { makeStage, type RecipeStage } from '../main/agent/recipes/fakes/recipe-context.ts';

const stages: RecipeStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.dispose();
});

const files = {
  'package.json': '{ "type": "module" }\n',
  'money.js': 'export function format(cents) {\n  return (cents / 100).toFixed(2);\n}\n',
};

async function stageOf(task: string, answers: readonly string[]): Promise<RecipeStage> {
  let asked = 0;
  const answer = (): string | null => answers[(asked += 1) - 1] ?? null;
  const stage = await makeStage({ files, task, command: null, answer });
  stages.push(stage);
  return stage;
}

const head =
  "```javascript\nimport assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { format } from '../money.js';\n\n\n";
const right = "test('format 1234', () => {\n  assert.equal(format(1234), '12.34');\n});\n";
const wrong = "test('format 0', () => {\n  assert.equal(format(0), '0');\n});\n";

describe('tests that are asked for', () => {
  test('are run, and those that fail are left out and told', async () => {
    const stage = await stageOf('Write tests for format', [`${head}${right}\n${wrong}`]);
    const outcome = await write.run(stage.context);
    expect(outcome).toMatchObject({ type: 'done', confidence: 'unchecked' });
    expect(outcome.type === 'done' ? outcome.text : '').toMatch(
      /Wrote 1 test of format in test\/money\.test\.js.*1 more did not pass and was left out \(format 0\)/,
    );
    const written = await stage.text('test/money.test.js');
    expect(written).toContain(right.trim());
    expect(written).not.toContain('format 0');
  }, 60_000);

  test('are asked for again where none passes, and never kept then', async () => {
    const stage = await stageOf('Write tests for format', [`${head}${wrong}`, 'no code', `${head}${wrong}`]);
    expect(await write.run(stage.context)).toMatchObject({ type: 'gave-up' });
    expect(stage.questions.map(({ temperature }) => temperature)).toEqual([0, 0.7, 0.9]);
    await expect(stage.text('test/money.test.js')).rejects.toThrow(/ENOENT/);
  }, 60_000);
});
