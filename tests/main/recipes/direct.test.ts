import { afterEach, describe, expect, test } from 'vitest';
import direct from '../../../src/main/recipes/direct.recipe.ts';
import type { RecipeOutcome } from '../../../src/main/recipes/define.ts';
import { makeHarness, type RecipeHarness } from './fakes/recipe-context.ts';

const harnesses: RecipeHarness[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.dispose();
});

const files = {
  'hello.sh': 'echo hello\n',
  'notes.md': 'Notes.\n',
  'check.sh': 'echo "1 passed, 1 failed in 0.1s"; exit 1\n',
};

async function done(
  task: string,
  command: string | null = null,
): Promise<{ harness: RecipeHarness; said: string; type: RecipeOutcome['type'] }> {
  const harness = await makeHarness({ files, task, command });
  harnesses.push(harness);
  expect(direct.fits(harness.context)?.score).toBe(0.98);
  const outcome = await direct.run(harness.context);
  expect(harness.questions).toEqual([]);
  return { harness, type: outcome.type, said: outcome.type === 'gave-up' ? outcome.reason : outcome.text };
}

describe('the recipe that needs no model', () => {
  test('runs a file, and shows its output', async () => {
    expect((await done('Run hello.sh')).said).toBe("`bash 'hello.sh'` ended with exit code 0:\n\n```\nhello\n```");
    expect(await done('run gone.py')).toMatchObject({ type: 'gave-up', said: expect.stringContaining('gone.py') });
  });

  test('runs the tests, and shows failures or that there are none', async () => {
    const { type, said } = await done('Run the tests', 'bash check.sh');
    expect([type, said]).toEqual(['answered', expect.stringContaining('ended with exit code 1')]);
    expect((await done('run the tests', 'bash hello.sh')).said).toContain('ended with exit code 0');
    expect((await done('run the tests')).said).toContain('No tests were found');
  });

  test('deletes one file, and nothing else', async () => {
    const { harness, type } = await done('Please delete the file notes.md');
    expect(type).toBe('done');
    await expect(harness.text('notes.md')).rejects.toThrow(/ENOENT/);
    expect(await harness.text('hello.sh')).toBe(files['hello.sh']);
    expect((await done('Delete gone.md')).said).toContain('nothing was deleted');
  });

  test('points to the undo of the person', async () => {
    expect((await done('Undo that')).said).toContain('/undo');
  });

  test.each(['Delete the second line of notes.md', 'Remove dead code', 'Undo the rename but keep the tests', 'Fix it'])(
    'does not take %j',
    async (task) => {
      const harness = await makeHarness({ files, task, command: null });
      harnesses.push(harness);
      expect(direct.fits(harness.context)).toBeNull();
    },
  );
});
