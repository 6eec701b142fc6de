import { execFile } from 'node:child_process';
import { statfsSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planCopy } from '../../../../src/main/sandbox/workspace/workspace-copy-plan.ts';
import { checkWorkspace, prepareWorkspace } from '../../../../src/main/sandbox/workspace/prepare-workspace.ts';

const none = new AbortController().signal;
const sharesBlocks = [0x9123683e, 0x58465342].includes(statfsSync(tmpdir()).type);

describe('a workspace', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-workspace-')));
    await mkdir(join(folder, 'home'));
    await mkdir(join(folder, 'project/src'), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const request = (mode: 'in-place' | 'copy' | 'scratch') => ({
    mode,
    projectPath: mode === 'scratch' ? null : join(folder, 'project'),
    targetPath: join(folder, 'copies/one'),
    homePath: join(folder, 'home'),
    needsWrite: true,
  });
  const check = async (path: string): Promise<string> => {
    const reply = await checkWorkspace(path, { homePath: join(folder, 'home'), needsWrite: false });
    return reply.ok ? reply.value : `${reply.error.code}: ${reply.error.message}`;
  };

  it('is the real folder behind a link', async () => {
    await symlink(join(folder, 'project'), join(folder, 'link'));
    expect(await check(join(folder, 'link'))).toBe(join(folder, 'project'));
  });

  it('is refused with the reason when it is missing, a file, or a loop', async () => {
    await writeFile(join(folder, 'file'), '');
    await symlink('loop', join(folder, 'loop'));
    expect(await check(join(folder, 'nothing'))).toMatch(/^not-found: The folder/);
    expect(await check(join(folder, 'file'))).toMatch(/^bad-input: .* is a file, not a folder/);
    expect(await check(join(folder, 'file/below'))).toMatch(/^bad-input:/);
    expect(await check(join(folder, 'loop'))).toMatch(/^bad-input: .* leads back to itself/);
  });

  it("is refused when it is a root, a home folder or the app's own folder", async () => {
    for (const path of ['/', homedir(), dirname(homedir()), join(folder, 'home'), folder])
      expect(await check(path)).toMatch(/^refused: /);
    await mkdir(join(folder, 'home/workspaces/copy'), { recursive: true });
    await mkdir(join(folder, 'home/sessions'));
    expect(await check(join(folder, 'home/sessions'))).toMatch(/^refused: /);
    expect(await check(join(folder, 'home/workspaces/copy'))).toBe(join(folder, 'home/workspaces/copy'));
  });

  it.skipIf(process.platform === 'win32')(
    "is refused when it is a system folder or holds the app's cache",
    async () => {
      for (const path of ['/etc', '/proc/self', '/dev', '/usr', '/tmp', '/var'])
        expect(await check(path)).toMatch(/^refused: /);
      const before = process.env['DEWPOINT_CACHE'];
      process.env['DEWPOINT_CACHE'] = join(folder, 'project/cache');
      try {
        await mkdir(join(folder, 'project/cache/models'), { recursive: true });
        for (const path of ['project', 'project/cache', 'project/cache/models'])
          expect(await check(join(folder, path))).toMatch(/^refused: .*cache/);
        expect(await check(join(folder, 'project/src'))).toBe(join(folder, 'project/src'));
      } finally {
        if (before === undefined) delete process.env['DEWPOINT_CACHE'];
        else process.env['DEWPOINT_CACHE'] = before;
      }
    },
  );

  it('may be one that can only be read, but only for reading', async () => {
    const project = join(folder, 'project');
    // File modes do not stop root. A file system mounted as read-only does.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', project]);
    else await chmod(project, 0o555);
    try {
      const options = { homePath: join(folder, 'home') };
      expect((await checkWorkspace(project, { ...options, needsWrite: true })).ok).toBe(false);
      expect((await checkWorkspace(project, { ...options, needsWrite: false })).ok).toBe(true);
    } finally {
      if (isRoot) await promisify(execFile)('umount', [project]);
      else await chmod(project, 0o755);
    }
  });

  it('in place is the project itself, and a scratch one is empty', async () => {
    expect(await prepareWorkspace(request('in-place'), none)).toEqual({
      ok: true,
      value: { path: join(folder, 'project'), mode: 'in-place', files: 0, bytes: 0 },
    });
    const scratch = await prepareWorkspace(request('scratch'), none);
    expect(scratch).toMatchObject({ ok: true, value: { path: join(folder, 'copies/one') } });
    expect(await readdir(join(folder, 'copies/one'))).toEqual([]);
    expect(await prepareWorkspace({ ...request('copy'), projectPath: null }, none)).toMatchObject({
      ok: false,
      error: { code: 'usage' },
    });
  });

  it('as a copy can be changed even if the project is read-only', async () => {
    const source = join(folder, 'project', 'src');
    await chmod(source, 0o555);
    try {
      expect(await prepareWorkspace(request('copy'), none)).toMatchObject({ ok: true });
      expect((await stat(join(folder, 'copies/one/src'))).mode & 0o777).toBe(0o755);
    } finally {
      await chmod(source, 0o755);
    }
  });

  it('as a copy keeps contents, modes, times, links and hidden folders', async () => {
    const project = join(folder, 'project');
    await writeFile(join(project, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    await writeFile(join(project, 'src/日本 "x".txt'), 'text');
    await mkdir(join(project, '.git'));
    await writeFile(join(project, '.git/HEAD'), 'ref');
    await symlink('../nowhere', join(project, 'src/broken'));
    await symlink('/etc/hostname', join(project, 'absolute'));
    await utimes(join(project, 'run.sh'), 1_000_000, 1_000_000);
    const copied = await prepareWorkspace(request('copy'), none);
    const target = join(folder, 'copies/one');
    expect(copied).toEqual({ ok: true, value: { path: target, mode: 'copy', files: 3, bytes: 17 } });
    expect((await stat(join(target, 'run.sh'))).mode & 0o777).toBe(0o755);
    expect((await stat(join(target, 'run.sh'))).mtimeMs).toBe(1_000_000_000);
    expect([await readlink(join(target, 'src/broken')), await readlink(join(target, 'absolute'))]).toEqual([
      '../nowhere',
      '/etc/hostname',
    ]);
    expect(await readFile(join(target, 'src/日本 "x".txt'), 'utf8')).toBe('text');
    expect(await readFile(join(target, '.git/HEAD'), 'utf8')).toBe('ref');
    await writeFile(join(target, 'run.sh'), 'changed');
    expect(await readFile(join(project, 'run.sh'), 'utf8')).toBe('#!/bin/sh\n');
  });

  it('as a copy leaves out ignored files, except packages and small files', async () => {
    const project = join(folder, 'project');
    const large = Buffer.alloc(1024 * 1024);
    await writeFile(join(project, '.gitignore'), 'dist/\nnode_modules/\n*.bin\n.env\n!keep.bin\n');
    for (const path of ['dist/deep', 'node_modules/p', 'src/dist'])
      await mkdir(join(project, path), { recursive: true });
    for (const path of ['dist/deep/a.js', 'node_modules/p/big.bin', 'src/data.bin', 'src/keep.bin', 'src/dist/b.js'])
      await writeFile(join(project, path), large);
    for (const path of ['.env', 'src/small.bin', 'dist/c.txt']) await writeFile(join(project, path), 'x');
    const { files, bytes, leftOut } = await planCopy(project, none);
    expect({ files, bytes, leftOut: { ...leftOut, paths: leftOut.paths.toSorted() } }).toEqual({
      files: 5,
      bytes: 2 * large.length + 43,
      leftOut: { files: 4, bytes: 3 * large.length + 1, paths: ['dist', 'src/data.bin', 'src/dist'] },
    });
    expect(await prepareWorkspace(request('copy'), none)).toMatchObject({ ok: true, value: { files, bytes } });
    const { stdout } = await promisify(execFile)('find', ['.', '-type', 'f'], { cwd: join(folder, 'copies/one') });
    expect(stdout.trim().split('\n').toSorted()).toEqual(
      ['./.env', './.gitignore', './node_modules/p/big.bin', './src/keep.bin', './src/small.bin'].toSorted(),
    );
  });

  it.skipIf(process.platform !== 'linux')('as a copy keeps names that are no valid text', async () => {
    const names = [Buffer.from([0x66, 0xff, 0x6f]), 'C:\\x', 'a\\b', 'dot.', 'blank ', 'CON', 'nul.txt', 'a\nb'].map(
      (name) => Buffer.from(name),
    );
    const at = (root: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${root}/`), name]);
    for (const name of names) await writeFile(at(join(folder, 'project'), name), name);
    await mkdir(at(join(folder, 'project'), Buffer.from([0xfe])));
    await writeFile(at(join(folder, 'project'), Buffer.from([0xfe, 0x2f, 0xfd])), 'inner');
    expect(await prepareWorkspace(request('copy'), none)).toMatchObject({
      ok: true,
      value: { files: names.length + 1 },
    });
    for (const name of names) expect(await readFile(at(join(folder, 'copies/one'), name))).toEqual(name);
    expect(await readFile(at(join(folder, 'copies/one'), Buffer.from([0xfe, 0x2f, 0xfd])), 'utf8')).toBe('inner');
  });

  // On btrfs and xfs a copy takes no space.
  it.skipIf(sharesBlocks)('as a copy is not begun when there is no room for it', async () => {
    await writeFile(join(folder, 'project/sparse'), '');
    await truncate(join(folder, 'project/sparse'), 10 * 1024 ** 4);
    expect(await prepareWorkspace(request('copy'), none)).toMatchObject({
      ok: false,
      error: { code: 'disk-full', message: expect.stringContaining('needs 10995.1 GB') },
    });
    expect(await readdir(join(folder, 'copies'))).toEqual([]);
  });

  it('as a copy is complete or does not exist', async () => {
    await promisify(execFile)('mkfifo', [join(folder, 'project/src/pipe')]);
    expect(await prepareWorkspace(request('copy'), none)).toMatchObject({
      ok: false,
      error: { code: 'bad-input', message: expect.stringMatching(/pipe/) },
    });
    await rm(join(folder, 'project/src/pipe'));
    expect(await prepareWorkspace(request('copy'), AbortSignal.abort())).toMatchObject({
      ok: false,
      error: { code: 'cancelled' },
    });
    expect(await stat(join(folder, 'copies/one')).catch(() => null)).toBeNull();
    expect((await prepareWorkspace(request('copy'), none)).ok).toBe(true);
    expect(await prepareWorkspace(request('copy'), none)).toMatchObject({ ok: false, error: { code: 'conflict' } });
    expect(
      await prepareWorkspace({ ...request('copy'), targetPath: join(folder, 'project/copy') }, none),
    ).toMatchObject({ ok: false, error: { code: 'bad-input' } });
  });
});
