import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectOrigin } from '../../../src/main/projects/project-origin.ts';

const entry = (what: string): string =>
  `${'0'.repeat(40)} ${'a'.repeat(40)} A B <a@example.org> 1700000000 +0000\t${what}\n`;
let base: string;
let folder: string;
let home: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'dewpoint-came-'));
  folder = join(base, 'project');
  home = join(base, 'home');
  await mkdir(folder);
});
afterEach(() => rm(base, { recursive: true }));
const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
};
const cloned = entry('clone: from https://example.org/x.git');

it.each([
  [entry('commit (initial): clone: from nowhere') + entry('commit: pull it'), null],
  [entry('clone: from https://name:token@example.org/x.git'), 'https://example.org/x.git'],
  [entry('clone: from git@example.org:x.git') + entry('commit: mine'), 'git@example.org:x.git'],
  [entry('commit (initial): mine') + entry('pull origin main: Fast-forward'), 'another repository'],
])('the origin of a project is what git noted on this machine', async (log, from) => {
  await mkdir(join(folder, '.git/logs'), { recursive: true });
  await writeFile(join(folder, '.git/logs/HEAD'), log);
  expect(await projectOrigin(folder, home)).toBe(from);
});

it('the origin of a project is unknown without a log of git', async () => {
  expect(await projectOrigin(folder, home)).toBeNull();
  await put('.git/HEAD', '');
  expect(await projectOrigin(folder, home)).toBeNull();
});

it('the origin of a project with an unreadable log is an unknown place', async () => {
  await put('log', entry('commit (initial): mine'));
  await mkdir(join(folder, '.git/logs'), { recursive: true });
  await symlink('../../log', join(folder, '.git/logs/HEAD'));
  expect(await projectOrigin(folder, home)).toBe('an unknown place');
  await rm(join(folder, '.git/logs/HEAD'));
  await put('.git/logs/HEAD', entry('commit: x').padEnd(16 * 1024 * 1024 + 1));
  expect(await projectOrigin(folder, home)).toBe('an unknown place');
});

it('the origin of a project is remembered, whatever commands do to the log', async () => {
  await put('.git/logs/HEAD', cloned);
  await projectOrigin(folder, home);
  await put('.git/logs/HEAD', entry('commit (initial): mine'));
  await symlink(folder, join(base, 'other-name'));
  expect([await projectOrigin(folder, home), await projectOrigin(join(base, 'other-name'), home)]).toEqual([
    'https://example.org/x.git',
    'https://example.org/x.git',
  ]);
  await rm(join(folder, '.git'), { recursive: true });
  expect(await projectOrigin(folder, home)).toBe('https://example.org/x.git');
});

it('the origin of a project is found from a folder inside it and from a worktree', async () => {
  await put('.git/logs/HEAD', cloned);
  await put('.git/worktrees/w/commondir', '../..\n');
  await put('sub/deep/a.txt', '');
  await put('w/.git', `gitdir: ${join(folder, '.git/worktrees/w')}\n`);
  expect([await projectOrigin(join(folder, 'sub/deep'), home), await projectOrigin(join(folder, 'w'), home)]).toEqual([
    'https://example.org/x.git',
    'https://example.org/x.git',
  ]);
});
