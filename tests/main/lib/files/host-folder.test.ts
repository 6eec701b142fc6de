import { execFile } from 'node:child_process';
import {
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isGitName,
  grantOwnerAccess,
  nameProblem,
  openFolderBelow,
  openHostFolder,
  readRegularFile,
} from '../../../../src/main/lib/files/host-folder.ts';
import { createReadOnlySandbox } from '../../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { createSafeFolder } from '../../../../src/main/sessions/changes/safe-folder.ts';
import type { Sandbox } from '../../../../src/main/sandbox/sandbox.ts';
import { valueOf } from '../../../contracts/sandbox-contract.ts';

const none = new AbortController().signal;

describe('the name of a file', () => {
  it('is refused when it is empty or impossible', () => {
    const wrong = ['', '.', '..', 'a/b', 'a\0b', 'x'.repeat(256), '\ud800'];
    expect(wrong.filter((name) => nameProblem(name, 'linux') === null)).toEqual([]);
  });

  it('is judged by the rules of its platform', () => {
    const onWindows = [
      'CON',
      'con.txt',
      'nul',
      'AUX.tar.gz',
      'COM1',
      'lpt²',
      'CONIN$',
      'a:stream',
      'C:x',
      '\\\\?\\x',
      'a.',
      'a ',
      'PROGRA~1',
      'x<y',
      'x|y',
      'ab',
    ];
    expect(onWindows.filter((name) => nameProblem(name, 'win32') === null)).toEqual([]);
    expect(onWindows.filter((name) => nameProblem(name, 'linux') !== null)).toEqual([]);
    const everywhere = ['console.txt', 'nullable.ts', 'common', '日本.txt', ' x', 'a b', '~', 'com10', '.gitignore'];
    expect(everywhere.filter((name) => nameProblem(name, 'win32') !== null)).toEqual([]);
  });

  it('inside .git is found in every spelling of some file system', () => {
    const git = [
      '.git',
      '.GIT',
      '.Git',
      'git~1',
      'GIT~2',
      '.git.',
      '.git ',
      '.g\u200cit',
      '.gi\u2064t',
      '.git::$INDEX_ALLOCATION',
    ];
    expect(git.filter((name) => !isGitName(name))).toEqual([]);
    const other = ['.gitignore', '.github', 'git', 'x.git', '.gitmodules', 'legit~1', '.git-blame-ignore-revs'];
    expect(other.filter(isGitName)).toEqual([]);
  });
});

/** Files with which a program in a container can trap a host. */
describe.skipIf(process.platform === 'win32')('a folder of hostile files', () => {
  const odd = [
    'CON',
    'nul',
    'x:y',
    'trailing ',
    'trailing.',
    'a\nb',
    '\u001b]52;c;AAAA\u0007',
    '\u202egnp.exe',
    '-rf',
    '$(id)',
  ];
  let folder: string;
  let work: string;
  let sandbox: Sandbox;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-corpus-')));
    work = join(folder, 'work');
    await mkdir(join(work, 'd'), { recursive: true });
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside/secret'), 'secret');
    await writeFile(join(work, 'd/plain'), 'plain');
    await Promise.all(odd.map((name) => writeFile(join(work, name), `odd ${name}`)));
    await promisify(execFile)('mkfifo', [join(work, 'pipe')]);
    await writeFile(join(work, 'sparse'), '');
    await truncate(join(work, 'sparse'), 10 * 1024 ** 4);
    await symlink('loop-b', join(work, 'loop-a'));
    await symlink('loop-a', join(work, 'loop-b'));
    await symlink('/proc/self/environ', join(work, 'environ'));
    await symlink('/proc/self/root/etc/passwd', join(work, 'through-proc'));
    await symlink('/dev/zero', join(work, 'zero'));
    await symlink('../outside', join(work, 'out'));
    await symlink('..', join(work, 'd/up'));
    await symlink(join(work, 'd'), join(work, 'absolute'));
    await copyFile('/bin/sh', join(work, 'setuid'));
    await chmod(join(work, 'setuid'), 0o4755);
    await promisify(execFile)('sh', ['-c', 'touch "$1/$(printf "bad\\377name")"', 'sh', work]);
    await mkdir(join(work, ...Array.from({ length: 100 }, () => 'deep')), { recursive: true });
    await mkdir(join(work, 'many'));
    await Promise.all(Array.from({ length: 2000 }, (_, at) => writeFile(join(work, 'many', `f${at}`), '')));
    sandbox = createReadOnlySandbox({ workspacePath: work, because: null });
  });
  afterAll(() => rm(folder, { recursive: true }));

  const read = async (path: string): Promise<string> => {
    const reply = await sandbox.files.read(path, {}, none);
    return reply.ok ? Buffer.from(reply.value.bytes).toString() : reply.error.code;
  };

  it('has each plain file read by its name, whatever the name is', async () => {
    expect(await Promise.all(odd.map(read))).toEqual(odd.map((name) => `odd ${name}`));
  });

  it('never blocks its reader, fills the memory or leads outside', async () => {
    const answers = await Promise.all(
      [
        'pipe',
        'sparse',
        'loop-a',
        'environ',
        'through-proc',
        'zero',
        'out/secret',
        'd/up/out/secret',
        'absolute/plain',
      ].map(read),
    );
    expect(answers).toEqual([
      'bad-input',
      'too-large',
      'bad-input',
      'refused',
      'refused',
      'refused',
      'refused',
      'refused',
      'refused',
    ]);
    expect(await read('d/up/d/plain')).toBe('plain');
    for (const path of ['/etc/passwd', '../outside/secret', 'd/../../outside/secret', 'a\0b', `${'x/'.repeat(3000)}y`])
      expect(await read(path)).toMatch(/^(refused|bad-input)$/);
  });

  it('is listed, scanned and searched to its end', async () => {
    const { entries } = valueOf(await sandbox.files.list('.', { all: true, limit: 10_000 }, none));
    const paths = entries.map((entry) => entry.path);
    expect(odd.filter((name) => !paths.includes(name))).toEqual([]);
    expect(paths.filter((path) => path.startsWith('out/') || path.includes('\uFFFD'))).toEqual([]);
    expect(paths.filter((path) => path.startsWith('many/'))).toHaveLength(2000);
    const scanned = valueOf(await sandbox.files.scan(none));
    expect(['pipe', 'environ', 'out/secret'].filter((path) => scanned.files.has(path))).toEqual([]);
    expect(valueOf(await sandbox.files.search({ pattern: 'secret' }, none)).matches).toEqual([]);
    expect(await sandbox.files.search({ pattern: 'x', path: 'pipe' }, none)).toMatchObject({
      error: { code: 'bad-input' },
    });
  });

  it('is written without following a link, and never inside .git', async () => {
    const safe = createSafeFolder(work);
    const file = { bytes: Buffer.from('written'), mode: 0o4755 };
    for (const path of [
      'out/new',
      'd/up/new',
      '.git/config',
      '.GIT/hooks/x',
      '../outside/new',
      'd/../../outside/new',
      '/etc/x',
    ])
      await expect(
        safe.write(path, file, () => true),
        path,
      ).rejects.toMatchObject({ code: 'refused' });
    await expect(safe.write('loop-a/new', file, () => true)).rejects.toMatchObject({ code: 'refused' });
    // The link itself is replaced, never its target, and no set-user-id bit returns.
    expect(await safe.look('environ')).toEqual({ type: 'other', what: 'a link' });
    expect(await safe.look('pipe')).toEqual({ type: 'other', what: 'no file' });
    expect(await safe.look('sparse')).toMatchObject({ type: 'file', sha256: null });
    expect(await safe.write('fresh/new', file, () => true)).toBe(true);
    expect(await safe.look('fresh/new')).toMatchObject({ type: 'file', mode: 0o755 });
  });

  it('keeps an outside file unchanged when its hard link inside is replaced', async () => {
    await link(join(folder, 'outside/secret'), join(work, 'hard'));
    await createSafeFolder(work).write('hard', { bytes: Buffer.from('mine'), mode: 0o644 }, () => true);
    expect(await readFile(join(folder, 'outside/secret'), 'utf8')).toBe('secret');
    expect(await read('hard')).toBe('mine');
  });

  it('returns only regular files of the wanted size', async () => {
    const place = await openFolderBelow(work, ['d']);
    expect((await readRegularFile(place ?? never(), 'plain', 5))?.toString()).toBe('plain');
    expect(await readRegularFile(place ?? never(), 'plain', 4)).toBeNull();
    expect(await readRegularFile(place ?? never(), 'up', 100)).toBeNull();
    await place?.close();
    expect(await openFolderBelow(work, ['d', 'up'])).toBeNull();
  });
});

function never(): never {
  throw new Error('there is no folder');
}

describe.skipIf(process.platform === 'win32')('a folder without permissions', () => {
  it('is opened to its owner, and the target of a link is not', async () => {
    const top = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-closed-')));
    const closed = join(top, 'closed');
    await mkdir(closed);
    await chmod(closed, 0o311);
    await symlink(closed, join(top, 'link'));
    const folder = await openHostFolder(top);
    await grantOwnerAccess(folder, 'link').catch(() => undefined);
    expect((await stat(closed)).mode & 0o777).toBe(0o311);
    await grantOwnerAccess(folder, 'closed');
    expect((await stat(closed)).mode & 0o777).toBe(0o711);
    await folder.close();
    await rm(top, { recursive: true });
  });
});
