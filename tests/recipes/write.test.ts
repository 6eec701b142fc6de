import { afterEach, describe, expect, test } from 'vitest';
import write from '../../src/main/recipes/write.recipe.ts';
import { makeHarness, type RecipeHarness } from '../main/recipes/fakes/recipe-context.ts';

const harnesses: RecipeHarness[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.dispose();
});

const files = {
  'package.json': '{ "type": "module" }\n',
  'money.js': 'export function format(cents) {\n  return (cents / 100).toFixed(2);\n}\n',
};

async function harnessOf(task: string, answers: readonly string[]): Promise<RecipeHarness> {
  let asked = 0;
  const answer = (): string | null => answers[(asked += 1) - 1] ?? null;
  const harness = await makeHarness({ files, task, command: null, answer });
  harnesses.push(harness);
  return harness;
}

const head =
  "```javascript\nimport assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { format } from '../money.js';\n\n\n";
const right = "test('format 1234', () => {\n  assert.equal(format(1234), '12.34');\n});\n";
const wrong = "test('format 0', () => {\n  assert.equal(format(0), '0');\n});\n";

describe('tests that are asked for', () => {
  test('are run, and failing ones are left out and reported', async () => {
    const harness = await harnessOf('Write tests for format', [`${head}${right}\n${wrong}`]);
    const outcome = await write.run(harness.context);
    expect(outcome).toMatchObject({ type: 'done', confidence: 'unchecked' });
    expect(outcome.type === 'done' ? outcome.text : '').toMatch(
      /Wrote 1 test of format in test\/money\.test\.js.*1 more did not pass and was left out \(format 0\)/,
    );
    const written = await harness.text('test/money.test.js');
    expect(written).toContain(right.trim());
    expect(written).not.toContain('format 0');
  }, 60_000);

  test('are asked for again when none passes, and kept only if one does', async () => {
    const harness = await harnessOf('Write tests for format', [`${head}${wrong}`, 'no code', `${head}${wrong}`]);
    expect(await write.run(harness.context)).toMatchObject({ type: 'gave-up' });
    expect(harness.questions.map(({ temperature }) => temperature)).toEqual([0, 0.7, 0.9]);
    await expect(harness.text('test/money.test.js')).rejects.toThrow(/ENOENT/);
  }, 60_000);
});
