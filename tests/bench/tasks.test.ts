import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawSplits, gradeAnswer, loadTasks, readTask, type Task } from '../../bench/lib/tasks.ts';

const root = resolve('bench/tasks');
const tasks = await loadTasks(root);
// The others came later, for development only.
const drawn = tasks.filter((task) => task.added === undefined);
const projects = tasks.filter((task) => task.kind === 'small' || task.kind === 'two-file');
const questions = tasks.filter((task) => task.kind === 'question');
const textOf = (path: string): Promise<string> => readFile(path, 'utf8');
const lines = (text: string): string[] => text.split('\n').map((line) => line.trim());

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

const isTest = (path: string): boolean => /(^|\/)tests?\//.test(path) || /(^|\/)test_[^/]+\.py$|\.test\.js$/.test(path);

describe('the tasks of the bench', () => {
  it('are at least 60, a third of them of each kind of work, with eight questions', () => {
    const count = (kind: Task['kind']): number => drawn.filter((task) => task.kind === kind).length;
    expect(drawn.length).toBeGreaterThanOrEqual(60);
    expect({ small: count('small'), twoFile: count('two-file'), question: count('question') }).toEqual({
      small: 22,
      twoFile: 22,
      question: 8,
    });
  });

  it('are half in Python and half in JavaScript', () => {
    for (const kind of ['small', 'two-file', 'question'] as const) {
      const ofKind = drawn.filter((task) => task.kind === kind);
      expect(ofKind.filter((task) => task.language === 'python')).toHaveLength(ofKind.length / 2);
    }
  });

  it('have 40 more for development, half of them in each language', () => {
    const added = tasks.filter((task) => task.added !== undefined);
    const groups = added.map(({ kind, language, split, added: day }) => `${day} ${kind} ${language} ${split}`);
    const count = (group: string): number => groups.filter((each) => each === group).length;
    expect(added).toHaveLength(40);
    for (const [group, each] of [
      ['2026-11-21 small', 6],
      ['2026-11-21 two-file', 6],
      ['2026-11-23 small', 8],
    ] as const) {
      expect([count(`${group} python dev`), count(`${group} javascript dev`)]).toEqual([each, each]);
    }
  });

  it('have unique ids that are the names of their folders', () => {
    expect(new Set(tasks.map((task) => task.id)).size).toBe(tasks.length);
    expect(tasks.map((task) => task.id)).toEqual(tasks.map((task) => basename(task.folder)));
  });

  it('have unique prompts', () => {
    expect(new Set(tasks.map((task) => task.prompt)).size).toBe(tasks.length);
  });

  it('are split as the rule says, not by hand', () => {
    const written = Object.fromEntries(tasks.map((task) => [task.id, task.split]));
    expect(written).toEqual(Object.fromEntries(drawSplits(tasks)));
  });

  it('have equal halves in each kind', () => {
    for (const kind of ['small', 'two-file', 'question', 'planted'] as const) {
      const ofKind = drawn.filter((task) => task.kind === kind);
      const dev = ofKind.filter((task) => task.split === 'dev').length;
      // An odd number in a language leaves one more for development.
      expect(dev - (ofKind.length - dev)).toBeLessThanOrEqual(2);
      expect(dev - (ofKind.length - dev)).toBeGreaterThanOrEqual(0);
    }
  });
});

describe.each(projects)('task $id', (task) => {
  it('is judged by tests that the project does not show', async () => {
    const shown = await filesBelow(task.projectFolder);
    const hidden = await filesBelow(task.hiddenFolder);
    const secret = hidden.filter((path) => !shown.includes(path));
    expect(secret.length).toBeGreaterThan(0);
    expect(secret.every((path) => task.checkCommand?.includes(path))).toBe(true);
  });

  it('restores every test it shows before it is judged', async () => {
    const shown = (await filesBelow(task.projectFolder)).filter(isTest);
    expect(shown.length > 0).toBe(task.testCommand !== null);
    for (const path of shown) {
      expect(await textOf(join(task.hiddenFolder, path))).toBe(await textOf(join(task.projectFolder, path)));
    }
  });

  it('has a solution that changes only source files, as many as its kind says', async () => {
    const shown = await filesBelow(task.projectFolder);
    const changed = await filesBelow(join(task.folder, 'solution'));
    const sources = shown.filter((path) => /\.(py|js)$/.test(path) && !isTest(path));
    expect(changed.filter((path) => isTest(path) || !shown.includes(path))).toEqual([]);
    if (task.kind === 'small') expect({ changed, sources }).toEqual({ changed: sources, sources: changed });
    else expect(sources.length).toBeGreaterThanOrEqual(2);
  });

  it('has a prompt that does not give away the solution', async () => {
    const changed = await filesBelow(join(task.folder, 'solution'));
    for (const path of changed) {
      const before = new Set(lines(await textOf(join(task.projectFolder, path))));
      const after = lines(await textOf(join(task.folder, 'solution', path)));
      const added = after.filter((line) => !before.has(line) && line.length >= 12);
      expect(added.filter((line) => task.prompt.includes(line))).toEqual([]);
      if (task.kind === 'two-file' && task.shape === 'bug') expect(task.prompt).not.toContain(basename(path));
    }
  });
});

describe.each(questions)('question $id', (task) => {
  const answer = task.answer ?? { mustMatch: [], mustCite: [], mustNotMatch: [], reference: '' };

  it('is about a project of five to fifteen files and cites some of them', async () => {
    const files = await filesBelow(task.projectFolder);
    expect(files.length).toBeGreaterThanOrEqual(5);
    expect(files.length).toBeLessThanOrEqual(15);
    expect(answer.mustCite.filter((path) => !files.includes(path))).toEqual([]);
  });

  it('accepts its reference answer', () => {
    expect(gradeAnswer(answer, answer.reference)).toEqual({ isRight: true, missing: [], wrong: [], isCited: true });
  });

  it('rejects its own prompt as an answer, with or without a file', () => {
    const grade = gradeAnswer(answer, task.prompt);
    expect(grade.isRight || grade.isCited).toBe(false);
    expect(gradeAnswer(answer, `${task.prompt} ${answer.mustCite.join(' ')}`).isRight).toBe(false);
  });
});

describe('the split of the tasks', () => {
  const task = (id: string, language: Task['language'] = 'python') => ({ id, kind: 'small' as const, language });

  it('follows the hash of the id and alternates', () => {
    const ids = ['a-1', 'a-2', 'a-3', 'a-4', 'a-5'];
    const hash = (id: string): string => createHash('sha256').update(`dewpoint-split-1:${id}`).digest('hex');
    const ordered = [...ids].sort((a, b) => (hash(a) < hash(b) ? -1 : 1));
    const splits = drawSplits(ids.map((id) => task(id)));
    expect(ordered.map((id) => splits.get(id))).toEqual(['dev', 'held', 'dev', 'held', 'dev']);
  });

  it('does not depend on the order in which the tasks are given', () => {
    const some = ['a-1', 'a-2', 'a-3', 'a-4'].map((id) => task(id));
    expect(Object.fromEntries(drawSplits([...some].reverse()))).toEqual(Object.fromEntries(drawSplits(some)));
  });

  it('puts later tasks into development and leaves the others unchanged', () => {
    const some = ['a-1', 'a-2', 'a-3', 'a-4'].map((id) => task(id));
    const added = ['a-5', 'b-1', 'b-2'].map((id) => ({ ...task(id), added: '2026-11-21' }));
    const splits = Object.fromEntries(drawSplits([...added, ...some]));
    expect(splits).toEqual({ ...Object.fromEntries(drawSplits(some)), 'a-5': 'dev', 'b-1': 'dev', 'b-2': 'dev' });
  });

  it('is drawn for each language separately', () => {
    const alone = drawSplits([task('a-1'), task('a-2')]);
    const mixed = drawSplits([task('a-1'), task('b-1', 'javascript'), task('b-2', 'javascript'), task('a-2')]);
    expect([mixed.get('a-1'), mixed.get('a-2')]).toEqual([alone.get('a-1'), alone.get('a-2')]);
  });
});

describe('the grade of an answer', () => {
  const answer = {
    mustMatch: ['\\b409\\b'],
    mustCite: ['src/a.js', 'src/b.js'],
    mustNotMatch: ['\\b404\\b'],
    reference: '',
  };

  it.each([
    ['is right with the fact and a file', 'It is 409, see src/b.js:3', true],
    ['forgives the slashes of Windows', '409 in src\\a.js', true],
    ['is wrong without a file', 'It is 409', false],
    ['is wrong without the fact', 'see src/a.js', false],
    ['is wrong with a fact that must not be there', '409 or 404, src/a.js', false],
    ['does not take a longer number for the fact', '4090 in src/a.js', false],
  ])('%s', (_name, text, isRight) => {
    expect(gradeAnswer(answer, text).isRight).toBe(isRight);
  });
});

describe('the reader of task files', () => {
  let folder = '';
  const file = {
    id: 'a-task',
    kind: 'small',
    shape: 'bug',
    language: 'python',
    prompt: 'A test fails, please fix it.',
    testCommand: null,
    checkCommand: 'true',
    split: 'dev',
  };
  const write = async (content: object): Promise<string> => {
    const target = join(folder, String(Math.random()).slice(2));
    await mkdir(target);
    await writeFile(join(target, 'task.json'), JSON.stringify(content));
    return target;
  };
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'dewpoint-tasks-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('keeps the fields of planted tasks', async () => {
    const source = { ecosystem: 'npm', package: 'x', version: '1.0.0' };
    expect(await readTask(await write({ ...file, kind: 'planted', source }))).toMatchObject({ source, answer: null });
  });

  it.each([
    ['an unknown kind', { kind: 'large' }],
    ['an unknown split', { split: 'test' }],
    ['a day that is none', { added: 'later' }],
    ['no prompt', { prompt: ' ' }],
    ['a missing check', { checkCommand: undefined }],
  ])('refuses %s', async (_name, change) => {
    await expect(readTask(await write({ ...file, ...change }))).rejects.toThrow();
  });

  it('refuses a question without an answer', async () => {
    await expect(readTask(await write({ ...file, kind: 'question' }))).rejects.toThrow(/answer\.json/);
  });

  it('finds the project that two questions share', async () => {
    const shared = tasks.filter((task) => task.projectFrom !== undefined);
    expect(shared.length).toBeGreaterThan(0);
    for (const task of shared) expect((await stat(task.projectFolder)).isDirectory()).toBe(true);
  });
});
