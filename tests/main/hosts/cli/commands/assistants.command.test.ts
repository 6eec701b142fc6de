import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type {
  AssistantsAction,
  AssistantsArguments,
} from '../../../../../src/main/hosts/cli/commands/assistants.command.ts';
import { assistants } from '../../../../../src/main/hosts/cli/commands/assistants.command.ts';
import { createAssistantFiles } from '../../../../../src/main/settings/assistant-files.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { createPageCore } from '../../../../fakes/page-core.ts';

/**
 * Catches: a shared file that is imported unchecked or replaces another one, and an export that differs from the file.
 */
it('the assistants command imports a checked file, lists it, and exports it unchanged', async () => {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-assistants-cli-'));
  const core = createPageCore();
  core.replace({ assistants: createAssistantFiles(home).handlers });
  const run = async (action: AssistantsAction, words: readonly string[] = [], args: AssistantsArguments = {}) => {
    const { context, said } = commandContext(core);
    return { code: await assistants(context, action, words, args), ...said };
  };
  const given = join(home, 'Reviewer.md');
  const file = '---\nmode: ask\n---\nYou review texts.\n';
  await writeFile(given, file);
  expect((await run('list')).err).toContain('No assistants yet.');
  expect(await run('import', [given])).toMatchObject({
    out: expect.stringMatching(/^reviewer +ask {2}You review texts\.\n$/u),
    err: expect.stringContaining('Read its text before you use it'),
  });
  await expect(run('import', [given])).rejects.toMatchObject({ data: { code: 'conflict' } });
  await writeFile(given, '---\napprove: allow\n---\nText.');
  await expect(run('import', [given], { replace: true })).rejects.toMatchObject({ data: { code: 'bad-input' } });
  await writeFile(join(home, 'assistants', 'broken.md'), '---\nnetwork: a\n---\nText.');
  expect(await run('list')).toMatchObject({
    out: expect.stringContaining('reviewer'),
    err: expect.stringContaining('broken.md cannot be used. The line "network: a" is not known.'),
  });
  await run('export', ['reviewer', join(home, 'out.md')]);
  expect(await readFile(join(home, 'out.md'), 'utf8')).toBe(file);
  await run('remove', ['reviewer']);
  await expect(run('remove', ['reviewer'])).rejects.toMatchObject({ data: { code: 'not-found' } });
  await rm(home, { recursive: true, force: true });
});
