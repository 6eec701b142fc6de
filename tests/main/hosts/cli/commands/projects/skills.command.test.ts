import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { skills } from '../../../../../../src/main/hosts/cli/commands/projects/skills.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createPageCore } from '../../../../../fakes/page-core.ts';

/** Catches: a skill that replaces another without a word, and a relative path that the core reads from its own folder. */
it('the skills are added by their folder and removed by their name, with a sentence for each', async () => {
  const core = createPageCore();
  const run = async (...given: readonly [Parameters<typeof skills>[1], string, Parameters<typeof skills>[3]]) => {
    const { context, said } = commandContext(core);
    expect(await skills(context, ...given)).toBe(0);
    return said.err;
  };
  expect(await run('add', 'shelf/reader', {})).toBe('reader is added.\n');
  expect(core.asked.findLast(({ name }) => name === 'add-skill')?.args).toEqual([resolve('shelf/reader'), false]);
  await expect(run('add', 'shelf/reader', {})).rejects.toMatchObject({ data: { code: 'conflict' } });
  expect(await run('add', 'shelf/reader', { replace: true })).toBe('reader replaces the skill that was there.\n');
  expect(await run('remove', 'reader', {})).toContain('Removed the copy of reader. The original folder stays.');
});
