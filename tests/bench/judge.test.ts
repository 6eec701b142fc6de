import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandRunner, createTaskBed, type TaskBed } from '../../bench/lib/judge.ts';
import { aTask } from './bench-kit.ts';

const none = new AbortController().signal;
let root = '';
let calls: string[][] = [];

/** Passes `shown` when app.txt says fixed, and `hidden` when it says so and the hidden file is there. */
const fakeCommands: CommandRunner = async (folder, commands) => {
  calls.push(commands.map(({ command }) => command));
  const results = [];
  for (const { command, before, env } of commands) {
    await before?.();
    const app = await readFile(join(folder, 'app.txt'), 'utf8');
    const test = await readFile(join(folder, 'tests/shown.txt'), 'utf8');
    const secret = await readFile(join(folder, 'tests/secret.txt'), 'utf8').catch(() => '');
    const isFixed = test === 'strict' ? app.includes('fixed') : true;
    const passes = command === 'run hidden' ? isFixed && app.includes(secret) && secret !== '' : isFixed;
    const named = env === undefined ? '' : `PASSED always\n${isFixed ? 'PASSED fixed\n' : ''}`;
    results.push({ exitCode: passes ? 0 : 1, output: named });
  }
  return results;
};

let bed: TaskBed;
const task = () =>
  aTask({
    folder: join(root, 'task'),
    projectFolder: join(root, 'task/project'),
    hiddenFolder: join(root, 'task/hidden'),
  });
const work = (): string => join(root, 'work');

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dewpoint-judge-'));
  calls = [];
  const files = {
    'task/project/app.txt': 'broken',
    'task/project/tests/shown.txt': 'strict',
    'task/hidden/tests/shown.txt': 'strict',
    'task/hidden/tests/secret.txt': 'well',
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  }
  bed = createTaskBed({
    runCommands: fakeCommands,
    cacheFolder: join(root, 'cache'),
    scratchFolder: join(root, 'scratch'),
  });
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('a task bed', () => {
  it('prepares a fresh project without the hidden files, whatever was in the folder before', async () => {
    await mkdir(work(), { recursive: true });
    await writeFile(join(work(), 'old.txt'), 'x');
    await bed.prepare(task(), work(), none);
    expect(await readFile(join(work(), 'app.txt'), 'utf8')).toBe('broken');
    await expect(readFile(join(work(), 'old.txt'))).rejects.toThrow('ENOENT');
    await expect(readFile(join(work(), 'tests/secret.txt'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['nothing done', 'broken', { visible: false, hidden: false, passed: new Set(['always']) }],
    ['only the shown tests satisfied', 'fixed', { visible: true, hidden: false, passed: new Set(['always', 'fixed']) }],
    ['a right solution', 'fixed well', { visible: true, hidden: true, passed: new Set(['always', 'fixed']) }],
  ])('judges a project with %s', async (_name, app, verdict) => {
    await bed.prepare(task(), work(), none);
    await writeFile(join(work(), 'app.txt'), app);
    expect(await bed.judge(task(), work(), none)).toEqual(verdict);
  });

  it('ignores tests that were weakened', async () => {
    await bed.prepare(task(), work(), none);
    await writeFile(join(work(), 'tests/shown.txt'), 'weak');
    expect(await bed.judge(task(), work(), none)).toEqual({
      visible: true,
      hidden: false,
      passed: new Set(['always']),
    });
  });

  it('runs only the hidden tests when the project shows none', async () => {
    const silent = { ...task(), testCommand: null };
    await bed.prepare(silent, work(), none);
    await writeFile(join(work(), 'app.txt'), 'fixed well');
    expect(await bed.judge(silent, work(), none)).toEqual({ visible: null, hidden: true, passed: new Set() });
    expect(await bed.passedBefore(silent, none)).toEqual(new Set());
    expect(calls).toEqual([['run hidden']]);
  });

  it('runs the tests once to learn which passed before, and leaves nothing behind', async () => {
    expect(await bed.passedBefore(task(), none)).toEqual(new Set(['always']));
    expect(await bed.passedBefore(task(), none)).toEqual(new Set(['always']));
    expect(calls).toEqual([['run shown']]);
    await expect(readFile(join(root, 'scratch/py-sum-before/app.txt'))).rejects.toThrow('ENOENT');
  });
});
