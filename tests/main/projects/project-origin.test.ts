import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectOrigin } from '../../../src/main/projects/project-origin.ts';

const entry = (what: string): string =>
  `${'0'.repeat(40)} ${'a'.repeat(40)} A B <a@example.org> 1700000000 +0000\t${what}\n`;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-came-'));
});
afterEach(() => rm(folder, { recursive: true }));

it.each([
  [entry('commit (initial): clone: from nowhere') + entry('commit: pull it'), null],
  [entry('clone: from https://name:token@example.org/x.git'), 'https://example.org/x.git'],
  [entry('clone: from git@example.org:x.git') + entry('commit: mine'), 'git@example.org:x.git'],
  [entry('commit (initial): mine') + entry('pull origin main: Fast-forward'), 'another repository'],
])('says from where a project came by what git noted on this machine', async (log, from) => {
  await mkdir(join(folder, '.git/logs'), { recursive: true });
  await writeFile(join(folder, '.git/logs/HEAD'), log);
  expect(await projectOrigin(folder)).toBe(from);
});

it('says nothing of a folder without such a log, or with one that is a link', async () => {
  expect(await projectOrigin(folder)).toBeNull();
  await writeFile(join(folder, 'log'), entry('clone: from https://example.org/x.git'));
  await mkdir(join(folder, '.git/logs'), { recursive: true });
  await symlink('../../log', join(folder, '.git/logs/HEAD'));
  expect(await projectOrigin(folder)).toBeNull();
});
