import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createGitCommands } from '../../src/main/git/commands.ts';
import { gitHosting, hostingToken } from '../fakes/git-hosting.ts';
import { isWithoutGit } from '../fakes/git-here.ts';
import { createMemoryJournal } from '../fakes/memory-journal.ts';
import { gitEnvironment, workedSessions } from '../fakes/real-repository.ts';
import { caseBlindDisk } from './case-blind-disk.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const signal = new AbortController().signal;

const disk = await caseBlindDisk();
afterAll(() => disk?.[Symbol.asyncDispose]());

/** A host, commits made of plain lists of files, and a clone on a disk that does not tell capital letters apart. */
async function scene(files: Readonly<Record<string, string>>) {
  const host = await gitHosting();
  open.push(host);
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-C', host.folder, ...words], { encoding: 'utf8', env: gitEnvironment }).trim();
  const blob = (text: string): string =>
    execFileSync('git', ['-C', host.folder, 'hash-object', '-w', '--stdin'], {
      encoding: 'utf8',
      env: gitEnvironment,
      input: text,
    }).trim();
  let last: string | null = null;
  const commit = (all: Readonly<Record<string, string>>): string => {
    rmSync(join(host.folder, 'index'), { force: true });
    const lines = Object.entries(all).map(([path, text]) => `100644 ${blob(text)}\t${path}\n`);
    execFileSync('git', ['-C', host.folder, 'update-index', '--add', '--index-info'], {
      env: gitEnvironment,
      input: lines.join(''),
    });
    const id = git('commit-tree', git('write-tree'), '-m', 'x', ...(last === null ? [] : ['-p', last]));
    git('update-ref', 'refs/heads/main', id);
    return (last = id);
  };
  commit(files);
  const parts = workedSessions(createMemoryJournal());
  await parts.keepToken('', hostingToken);
  const commands = createGitCommands(parts);
  const folder = join(mkdtempSync(join(disk?.path ?? '', 'dewpoint-')), 'app');
  const clone = async (): Promise<void> => {
    const input = { url: `${host.origin}/ada/app.git`, folder, branch: null, depth: null };
    for await (const _ of await commands.clone({ input, signal }));
  };
  const pull = async (): Promise<string> => {
    for await (const one of await commands.pull({ input: { projectPath: folder, remote: null }, signal }))
      if (one.type === 'ended') return one.pull.to;
    throw new Error('The pull ended without a result.');
  };
  const own = (...words: readonly string[]): string =>
    execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', env: gitEnvironment }).trim();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const names = (): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('.git'))
      .toSorted();
  return { folder, commit, clone, pull, own, write, names };
}

describe.skipIf(isWithoutGit || disk === null)('on a disk that does not tell capital letters apart', () => {
  it('a clone is clean for git, and a tree with two such names is refused', async () => {
    const { clone, own, commit, pull, names } = await scene({ 'Readme.md': 'one\n', 'Dir/a.txt': 'a' });
    await clone();
    expect([own('status', '--porcelain'), own('config', 'core.ignorecase')]).toEqual(['', 'true']);
    const before = own('rev-parse', 'HEAD');
    commit({ 'Readme.md': 'one\n', 'README.md': 'two\n', 'Dir/a.txt': 'a' });
    await expect(pull()).rejects.toMatchObject({ message: expect.stringContaining('takes it for') });
    expect([own('rev-parse', 'HEAD'), own('status', '--porcelain'), names()]).toEqual([
      before,
      '',
      ['Dir', join('Dir', 'a.txt'), 'Readme.md'],
    ]);
  });

  it('a pull carries out a change of case, of files and folders', async () => {
    const { clone, own, commit, pull, names, folder } = await scene({ 'Readme.md': 'one\n', 'Dir/a.txt': 'a' });
    await clone();
    const to = commit({ 'README.md': 'two\n', 'dir/a.txt': 'b', 'new.txt': 'x' });
    expect(await pull()).toBe(to);
    expect([own('status', '--porcelain'), names()]).toEqual([
      '',
      ['README.md', 'dir', join('dir', 'a.txt'), 'new.txt'],
    ]);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('two\n');
    const again = commit({ 'readme.md': 'two\n', 'dir/A.txt': 'b', 'new.txt': 'x' });
    expect(await pull()).toBe(again);
    expect([own('status', '--porcelain'), names()]).toEqual([
      '',
      ['dir', join('dir', 'A.txt'), 'new.txt', 'readme.md'],
    ]);
  });

  it('a pull keeps a file of yours whose name differs by case from a new one', async () => {
    const { clone, own, commit, pull, write, folder } = await scene({ 'a.txt': 'one\n' });
    await clone();
    write('notes.txt', 'mine');
    const before = own('rev-parse', 'HEAD');
    commit({ 'a.txt': 'one\n', 'Notes.txt': 'theirs' });
    await expect(pull()).rejects.toMatchObject({ message: expect.stringContaining('Notes.txt') });
    expect([own('rev-parse', 'HEAD'), readFileSync(join(folder, 'notes.txt'), 'utf8')]).toEqual([before, 'mine']);
  });

  it('a pull refuses a change of case of a file that you changed', async () => {
    const { clone, commit, pull, write, folder, own } = await scene({ 'a.txt': 'one\n' });
    await clone();
    write('a.txt', 'my own');
    commit({ 'A.txt': 'one\n' });
    await expect(pull()).rejects.toMatchObject({ message: expect.stringContaining('you changed it') });
    expect([readFileSync(join(folder, 'a.txt'), 'utf8'), own('status', '--porcelain')]).toEqual(['my own', 'M a.txt']);
  });
});
