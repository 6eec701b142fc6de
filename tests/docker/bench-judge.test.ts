import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTaskBed, type TaskBed } from '../../bench/lib/judge.ts';
import { lostTests } from '../../bench/lib/passed-tests.ts';
import { createSandboxCommands } from '../../bench/lib/sandbox-commands.ts';
import { readTask } from '../../bench/lib/tasks.ts';
import { isWithoutEngine, none } from './docker-kit.ts';

// One task of each language, both from the development half.
const ids = ['py-slug-accents', 'js-query-equals'];

describe.skipIf(isWithoutEngine)('the judge of the bench, in a container', () => {
  let root = '';
  let bed: TaskBed;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'dewpoint-bench-judge-'));
    const runCommands = createSandboxCommands({ homePath: join(root, 'home'), root: resolve('.') });
    bed = createTaskBed({ runCommands, cacheFolder: join(root, 'cache'), scratchFolder: join(root, 'scratch') });
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it.each(ids)('refuses %s as it is, takes its solution, and misses no test that passed before', async (id) => {
    const task = await readTask(resolve('bench/tasks', id));
    const folder = join(root, id);
    const before = await bed.passedBefore(task, none);
    expect(before.size).toBeGreaterThan(0);

    await bed.prepare(task, folder, none);
    const untouched = await bed.judge(task, folder, none);
    expect(untouched).toMatchObject({ visible: false, hidden: false });
    expect(lostTests(before, untouched.passed)).toEqual([]);

    await bed.prepare(task, folder, none);
    await cp(join(task.folder, 'solution'), folder, { recursive: true });
    const solved = await bed.judge(task, folder, none);
    expect(solved).toMatchObject({ visible: true, hidden: true });
    expect(solved.passed.size).toBeGreaterThan(untouched.passed.size);
    expect(lostTests(before, solved.passed)).toEqual([]);
  });

  it('sees that a broken change loses tests that passed before', async () => {
    const task = await readTask(resolve('bench/tasks', 'py-slug-accents'));
    const folder = join(root, 'broken');
    await bed.prepare(task, folder, none);
    const source = join(folder, 'slugs.py');
    await writeFile(source, `${await readFile(source, 'utf8')}\nraise SystemExit(3)\n`);
    const { passed, hidden } = await bed.judge(task, folder, none);
    expect(hidden).toBe(false);
    expect(lostTests(await bed.passedBefore(task, none), passed)).not.toEqual([]);
  });
});
