import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { preparedServers } from '../../../../src/main/sandbox/packages/prepared-servers.ts';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';

it('the language servers that were installed are named for each project that has some, from its files alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-servers-'));
  await writeFile(join(folder, 'requirements.txt'), 'six\n');
  await writeFile(join(folder, 'fast.c'), '');
  await writeFile(join(folder, 'go.mod'), 'module a\n');
  const setup = { languageServers: true };
  const { projects } = settingsSchema.parse({
    sandbox: { projects: { [folder]: { setup }, '/not/there': { setup }, '/other': { setup: {} } } },
  }).sandbox;
  expect(await preparedServers(projects, new AbortController().signal)).toEqual([
    { projectPath: folder, servers: ['ty 0.0.108', 'clangd 22.1.1', 'gopls 0.18.1'] },
    { projectPath: '/not/there', servers: null },
  ]);
  await rm(folder, { recursive: true });
});
