import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isKept,
  layHidden,
  listPlantedTasks,
  materialise,
  plantedTaskSchema,
  plantFaults,
  readPlantedTask,
  type PlantedTask,
} from '../../bench/lib/planted.ts';

const tasks = await listPlantedTasks(resolve('bench/tasks'));

let folder = '';
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'dewpoint-planted-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const textOf = (...path: readonly string[]): Promise<string> => readFile(join(...path), 'utf8');

describe('the planted tasks', () => {
  it('are thirteen in Python and seven in JavaScript', () => {
    const count = (language: string): number => tasks.filter((task) => task.language === language).length;
    expect({ python: count('python'), javascript: count('javascript') }).toEqual({ python: 13, javascript: 7 });
  });

  it('use a package at most twice, from one archive', () => {
    const archives = new Map<string, Set<string>>();
    const uses = new Map<string, number>();
    for (const { source } of tasks) {
      uses.set(source.package, (uses.get(source.package) ?? 0) + 1);
      const known = archives.get(source.package) ?? new Set();
      archives.set(source.package, known.add(`${source.version} ${source.sha256}`));
    }
    expect(Math.max(...uses.values())).toBe(2);
    expect([...archives.values()].every((known) => known.size === 1)).toBe(true);
  });
});

describe.each(tasks)('task $id', (task) => {
  it('does not name the faulty file in its prompt', () => {
    const words = task.prompt.split(/[^\w./-]+/);
    const named = task.faults.filter(({ file }) => words.some((word) => word === file || word === basename(file)));
    expect(named).toEqual([]);
  });

  it('has its fault in code, not in tests', () => {
    expect(task.faults.filter(({ file }) => /(^|\/)tests?\//.test(file))).toEqual([]);
    expect(task.faults.every(({ file }) => isKept(file, task.keep, task.remove))).toBe(true);
    expect(task.faults.every(({ find, replace }) => find !== replace)).toBe(true);
  });

  it('is judged by tests that the project does not show', async () => {
    const entries = await readdir(join(task.folder, 'hidden'), { recursive: true, withFileTypes: true });
    const hidden = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(task.folder, 'hidden').length + 1));
    const judged = task.checkCommand.split(' ');
    expect(hidden).toHaveLength(1);
    expect(hidden.every((path) => judged.includes(path) || judged.includes(dirname(path)))).toBe(true);
    expect(hidden.some((path) => task.testCommand.includes(path))).toBe(false);
  });
});

describe('the planting of a fault', () => {
  const fault = { file: 'a.py', find: 'x < y', replace: 'x <= y' };

  it('replaces the text that occurs once, exactly as written', async () => {
    const project = join(folder, 'once');
    await write(join(project, 'a.py'), 'if x < y:\n    pass\n');
    await plantFaults({ id: 'planted-a', faults: [{ ...fault, replace: "x $& '$1'" }] }, project);
    expect(await textOf(project, 'a.py')).toBe("if x $& '$1':\n    pass\n");
  });

  it.each([
    ['x > y\n', 0],
    ['x < y\nx < y\n', 2],
  ])('is refused in %j, where the text occurs %i times', async (text, count) => {
    const project = join(folder, `times-${count}`);
    await write(join(project, 'a.py'), text);
    const planting = plantFaults({ id: 'planted-a', faults: [fault] }, project);
    await expect(planting).rejects.toThrow(`occurs ${count} times in a.py`);
    expect(await textOf(project, 'a.py')).toBe(text);
  });

  it('keeps the listed files, or all files without a list, except those to be removed', () => {
    const keep = ['src/**', 'LICENSE'];
    expect(isKept('src/a/b.py', keep)).toBe(true);
    expect(isKept('LICENSE', keep)).toBe(true);
    expect(isKept('LICENSE.old', keep)).toBe(false);
    expect(isKept('srcs/a.py', keep)).toBe(false);
    expect(isKept('docs/a.md', undefined, ['docs'])).toBe(false);
    expect(isKept('docs.md', undefined, ['docs'])).toBe(true);
    expect(isKept('src/a.py', keep, ['src/a.py'])).toBe(false);
  });

  it('refuses a task that would write outside the project', () => {
    const task = { ...tasks[0], folder: undefined, faults: [{ ...fault, file: '../a.py' }] };
    expect(plantedTaskSchema.safeParse(task).error?.message).toContain('must stay inside the project');
  });

  it('refuses a task file with an unknown field', async () => {
    const home = join(folder, 'planted-odd');
    const known = JSON.parse(await textOf('bench/tasks/planted-ramda-clone', 'task.json'));
    await write(join(home, 'task.json'), JSON.stringify({ ...known, fault: [] }));
    await expect(readPlantedTask(home)).rejects.toThrow('fault');
  });
});

describe('a task whose archive lies in the cache', () => {
  const cacheFolder = (): string => join(folder, 'cache');
  const materials = () => ({ cacheFolder: cacheFolder(), signal: AbortSignal.timeout(8_000) });

  /** The archive goes where fetching it would have put it, so that no network is needed. */
  async function makeTask(): Promise<PlantedTask> {
    const source = join(folder, 'source', 'demo-1.0.0');
    await write(join(source, 'demo', 'core.py'), 'LIMIT = 10\n');
    await write(join(source, 'demo', 'extra.py'), 'MORE = 1\n');
    await write(join(source, 'tests', 'test_core.py'), 'assert True\n');
    await write(join(source, 'docs', 'index.md'), 'text\n');
    const archive = join(folder, 'demo.tgz');
    await promisify(execFile)('tar', ['-czf', archive, '-C', join(folder, 'source'), 'demo-1.0.0']);
    const bytes = await readFile(archive);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await mkdir(join(cacheFolder(), 'archives'), { recursive: true });
    await writeFile(join(cacheFolder(), 'archives', `demo-1.0.0-${sha256.slice(0, 16)}.tgz`), bytes);

    const home = join(folder, 'planted-demo');
    await write(join(home, 'project', 'pytest.ini'), '[pytest]\n');
    await write(join(home, 'hidden', 'tests', 'test_hidden_check.py'), 'assert 1\n');
    return {
      id: 'planted-demo',
      kind: 'planted',
      shape: 'bug',
      language: 'python',
      prompt: 'A test fails.',
      testCommand: 'python3 -m pytest -q tests/test_core.py',
      checkCommand: 'python3 -m pytest -q tests',
      split: 'dev',
      source: { ecosystem: 'pypi', package: 'demo', version: '1.0.0', sha256 },
      keep: ['demo/**', 'tests/**'],
      remove: ['demo/extra.py'],
      faults: [{ file: 'demo/core.py', find: '10', replace: '11' }],
      folder: home,
    };
  }

  it('becomes a project with or without its fault, and is judged by its original tests', async () => {
    const task = await makeTask();
    const [sound, faulty] = [join(folder, 'sound'), join(folder, 'faulty')];
    await Promise.all([
      materialise(task, sound, { ...materials(), isPlanted: false }),
      materialise(task, faulty, { ...materials(), isPlanted: true }),
    ]);
    expect(await textOf(sound, 'demo', 'core.py')).toBe('LIMIT = 10\n');
    expect(await textOf(faulty, 'demo', 'core.py')).toBe('LIMIT = 11\n');
    expect((await readdir(faulty)).sort()).toEqual(['demo', 'pytest.ini', 'tests']);
    expect(await readdir(join(faulty, 'demo'))).toEqual(['core.py']);
    expect(await readdir(join(faulty, 'tests'))).toEqual(['test_core.py']);

    await writeFile(join(faulty, 'tests', 'test_core.py'), 'weakened\n');
    await rm(join(faulty, 'pytest.ini'));
    await layHidden(task, faulty, materials());
    expect(await textOf(faulty, 'tests', 'test_core.py')).toBe('assert True\n');
    expect(await textOf(faulty, 'tests', 'test_hidden_check.py')).toBe('assert 1\n');
    expect(await textOf(faulty, 'pytest.ini')).toBe('[pytest]\n');
    expect(await textOf(faulty, 'demo', 'core.py')).toBe('LIMIT = 11\n');
    expect((await readdir(cacheFolder())).sort()).toEqual(['archives', 'packages']);
  });

  it('is not fetched after the work was stopped', async () => {
    const task = await makeTask();
    const stopped = { ...task, source: { ...task.source, version: '9.9.9' } };
    const target = join(folder, 'stopped');
    const work = materialise(stopped, target, {
      cacheFolder: cacheFolder(),
      signal: AbortSignal.abort(),
      isPlanted: true,
    });
    await expect(work).rejects.toMatchObject({ name: 'AbortError' });
    expect(await readdir(target)).toEqual([]);
    await expect(stat(join(cacheFolder(), 'packages', 'demo-9.9.9'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
