import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findParts } from '../../../../src/main/sandbox/packages/find-parts.ts';
import { preparedServers, serverNotes } from '../../../../src/main/sandbox/packages/prepared-servers.ts';
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

it('the language servers that an installation brings are named with their sizes, and packages are not', () => {
  const own = { 'go.mod': 'module a\n\nrequire b v1.0.0\n', 'requirements.txt': 'six==1.16.0\n' };
  const top = { texts: new Map(Object.entries(own)), names: new Set(Object.keys(own)) };
  expect(serverNotes(findParts(top, { languageServers: true }))).toEqual([
    'Language servers are installed, too: ty 0.0.108 (about 40 MB), gopls 0.18.1 (about 35 MB).',
  ]);
  expect(serverNotes(findParts(top, {}))).toEqual([]);
});
