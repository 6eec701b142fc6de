import { mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  findProtectedMounts,
  maxProtectedMounts,
  type Protection,
} from '../../../../../src/main/sandbox/docker/protection/protected-mounts.ts';
import { changedBetween, readProtected } from '../../../../../src/main/sandbox/docker/protection/protected-watch.ts';
import { RepositoryGuard } from '../../../../../src/main/sandbox/workspace/repositories/repository-guard.ts';

const none = new AbortController().signal;

/** The protection that a session sets up for a folder at its start. */
async function pinsOf(workspacePath: string): Promise<Protection> {
  const homePath = await mkdtemp(join(tmpdir(), 'dewpoint-pins-home-'));
  const options = { workspacePath, homePath, sessionId: 's1', onUntracked: () => undefined };
  const guard = await RepositoryGuard.start(options, none);
  try {
    return await findProtectedMounts(workspacePath, guard.own);
  } finally {
    await guard.dispose();
    await rm(homePath, { recursive: true });
  }
}

/** Creates what makes a folder a repository's data, except its configuration. */
async function makeData(folder: string): Promise<void> {
  await mkdir(join(folder, 'objects'), { recursive: true });
  await mkdir(join(folder, 'refs'));
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
}

describe('the protected mounts', () => {
  let base: string;
  let folder: string;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-pins-')));
    folder = join(base, 'work');
    await mkdir(folder);
  });
  afterEach(() => rm(base, { recursive: true }));

  const find = (): Promise<Protection> => pinsOf(folder);
  const put = async (path: string, text = ''): Promise<void> => {
    await mkdir(dirname(join(base, path)), { recursive: true });
    await writeFile(join(base, path), text);
  };
  const inWords = ({ mounts }: Protection): string[] =>
    mounts.map(({ path, readOnly }) => `${path} ${readOnly ? 'ro' : 'rw'}`);

  it('are empty where there is no repository', async () => {
    const nothing = { mounts: [], outside: [], warnings: [] };
    expect(await find()).toEqual(nothing);
    await mkdir(join(folder, '.git'));
    expect(await find()).toEqual(nothing);
  });

  it('put .git itself before its read-only parts, and create a missing hooks folder', async () => {
    await put('work/.git/config');
    await makeData(join(folder, '.git'));
    expect(inWords(await find())).toEqual(['.git rw', '.git/config ro', '.git/hooks ro']);
    expect((await stat(join(folder, '.git/hooks'))).isDirectory()).toBe(true);
  });

  it('include the data of submodules and every folder on the way to it', async () => {
    await put('work/.git/config');
    await put('work/.git/modules/lib/sub/config');
    await makeData(join(folder, '.git'));
    await makeData(join(folder, '.git/modules/lib/sub'));
    await mkdir(join(folder, '.git/hooks'));
    await put('work/lib/sub/.git', 'gitdir: ../../.git/modules/lib/sub');
    expect(inWords(await find())).toEqual([
      '.git rw',
      'lib rw',
      '.git/config ro',
      '.git/hooks ro',
      '.git/modules rw',
      'lib/sub rw',
      '.git/modules/lib rw',
      'lib/sub/.git ro',
      '.git/modules/lib/sub rw',
      '.git/modules/lib/sub/config ro',
      '.git/modules/lib/sub/hooks ro',
    ]);
  });

  it('include repositories inside the project, bare ones, and configured hook folders', async () => {
    await put('work/.git/config', '[core]\n\thooksPath = ./tools/hooks/\n');
    await makeData(join(folder, '.git'));
    await put('work/tools/hooks/pre-commit');
    await put('work/vendor/.git/config');
    await makeData(join(folder, 'vendor/.git'));
    for (const name of ['HEAD', 'config', 'objects/x', 'refs/x']) await put(`work/bare/${name}`);
    const words = inWords(await find());
    for (const wanted of [
      'tools rw',
      'tools/hooks ro',
      'vendor rw',
      'vendor/.git rw',
      'vendor/.git/config ro',
      'bare rw',
      'bare/config ro',
    ])
      expect(words).toContain(wanted);
  });

  it('include the files that the git configuration names, but not those of an alias', async () => {
    await makeData(join(folder, '.git'));
    await put('work/.git/config', '[include] path = ../.gitconfig\n[alias]\n\tt = !sh ./tools/t.sh\n');
    await put('work/.gitconfig', '[filter "x"]\n\tclean = ./tools/clean.sh %f\n[core]\n\tpager = less\n');
    for (const name of ['clean.sh', 't.sh', 'other.sh']) await put(`work/tools/${name}`);
    await put('work/less');
    const words = inWords(await find());
    expect(words).toEqual(expect.arrayContaining(['.gitconfig ro', 'tools rw', 'tools/clean.sh ro', 'less ro']));
    expect(words.filter((word) => /t\.sh|other/.test(word))).toEqual([]);
  });

  it('include files that redirect git, and the data of worktrees', async () => {
    await makeData(join(folder, '.git'));
    await put('work/.git/config');
    await put('work/.git/info/attributes');
    await put('work/.git/worktrees/w/HEAD');
    await put('work/.git/worktrees/w/commondir', '../..\n');
    await put('work/.git/branches/origin');
    const words = inWords(await find());
    for (const wanted of [
      '.git/info rw',
      '.git/info/attributes ro',
      '.git/worktrees/w rw',
      '.git/worktrees/w/commondir ro',
      '.git/branches ro',
    ])
      expect(words).toContain(wanted);
  });

  it('never leave out one of the project itself: with too many, nothing runs', async () => {
    await makeData(join(folder, '.git'));
    await put('work/.git/config');
    for (let at = 0; at < maxProtectedMounts; at += 1) {
      await makeData(join(folder, `a${at}`));
      await put(`work/a${at}/config`);
    }
    await expect(find()).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining(`The limit is ${maxProtectedMounts}`),
    });
  });

  it('include what editors, shells and other agents run by themselves', async () => {
    await put('work/.vscode/tasks.json');
    await put('work/.envrc');
    await put('work/.mcp.json');
    await put('work/sub/.envrc');
    await symlink('/elsewhere', join(folder, '.husky'));
    const found = await find();
    expect(inWords(found)).toEqual(['.envrc ro', '.mcp.json ro', '.vscode ro']);
    expect(found.warnings).toEqual([expect.stringMatching(/^.husky is a link/)]);
  });

  it('make the data of a worktree readable when both point at each other', async () => {
    await put('main/.git/HEAD', 'ref: refs/heads/main');
    await put('main/.git/config');
    await mkdir(join(base, 'main/.git/objects'));
    await mkdir(join(base, 'main/.git/refs'));
    await put('main/.git/worktrees/w/commondir', '../..\n');
    await put('main/.git/worktrees/w/gitdir', `${join(folder, '.git')}\n`);
    await put('work/.git', `gitdir: ${join(base, 'main/.git/worktrees/w')}\n`);
    expect(await find()).toEqual({
      mounts: [{ path: '.git', readOnly: true }],
      outside: [join(base, 'main/.git')],
      warnings: [expect.stringMatching(/can read in the sandbox, but not commit/)],
    });
    await put('main/.git/worktrees/w/gitdir', `${join(base, 'other/.git')}\n`);
    expect((await find()).outside).toEqual([]);
  });

  it('make the data of a submodule readable that is opened by itself', async () => {
    await put('super/.git/modules/work/HEAD', 'ref');
    await put('super/.git/modules/work/config', `[core]\n\tworktree = ${folder}\n`);
    await mkdir(join(base, 'super/.git/modules/work/objects'));
    await mkdir(join(base, 'super/.git/modules/work/refs'));
    await put('work/.git', `gitdir: ${join(base, 'super/.git/modules/work')}`);
    expect((await find()).outside).toEqual([join(base, 'super/.git/modules/work')]);
  });

  it('make no folder readable that a forged .git file names', async () => {
    await put('keys/id_rsa', 'secret');
    await put('work/.git', `gitdir: ${join(base, 'keys')}`);
    const found = await find();
    expect([found.outside, found.warnings]).toEqual([[], [expect.stringMatching(/does not point back/)]]);
    await put('work/.git', 'gitdir: ./inner');
    await put('work/inner/config', `[core]\n\tworktree = ${folder}\n`);
    expect((await find()).outside).toEqual([]);
    await rm(join(folder, '.git'));
    await symlink(join(base, 'keys'), join(folder, '.git'));
    expect(await find()).toEqual({ mounts: [], outside: [], warnings: [expect.stringMatching(/not protected/)] });
  });
});

describe.each(['waiting', 'at-once'] as const)('the watch over what is protected, %s', (asking) => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-watch-')));
    await mkdir(join(folder, '.git/hooks'), { recursive: true });
    await makeData(join(folder, '.git'));
    await writeFile(join(folder, '.git/config'), '');
    await writeFile(join(folder, '.git/hooks/pre-commit'), '');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const read = async () => {
    const { mounts: pins } = await pinsOf(folder);
    return { pins, state: await readProtected({ workspacePath: folder, pins, asking }) };
  };

  it('sees a file that is changed, new or gone, and nothing else', async () => {
    const { pins, state } = await read();
    await writeFile(join(folder, 'other'), 'x');
    await writeFile(join(folder, '.git/index'), 'x');
    expect(changedBetween(state, await readProtected({ workspacePath: folder, pins, asking }))).toEqual([]);
    await writeFile(join(folder, '.git/config'), '');
    await writeFile(join(folder, '.git/hooks/post-merge'), '');
    await rm(join(folder, '.git/hooks/pre-commit'));
    expect(changedBetween(state, await readProtected({ workspacePath: folder, pins, asking }))).toEqual([
      '.git/config',
      '.git/hooks',
      '.git/hooks/post-merge',
      '.git/hooks/pre-commit',
    ]);
  });
});
