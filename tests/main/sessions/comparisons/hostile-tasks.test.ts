import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evalMarkdown, evalPage, type EvalRun } from '../../../../src/main/hosts/cli/reports/eval-report.ts';
import { neverAborts } from '../../../../src/main/lib/async/abort.ts';
import { capsuleForm } from '../../../../src/main/sessions/library/capsule/capsule-file.ts';
import { openPackedLog } from '../../../../src/main/sessions/library/packed-log.ts';
import { readTasks } from '../../../../src/main/sessions/comparisons/tasks/read-tasks.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-hostile-tasks-'));
  await put('private/key.txt', 'the private text\n');
  await put('private/task.json', JSON.stringify({ id: 'own', prompt: 'the private text', testCommand: 'true' }));
  await put('private/.meta/config.json', JSON.stringify({ files: { solution: ['a.py'], test: ['a_test.py'] } }));
  await put('private/.docs/instructions.md', 'the private text\n');
  await put('tasks/plain.md', 'A task of its own.\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

const read = (path: string, repos: string | null = null) =>
  readTasks(join(folder, path), {
    home: join(folder, 'home'),
    repos,
    experiments: true,
    unpack: () => Promise.reject(new Error('No capsule is unpacked here.')),
    projectOf: async () => null,
    signal: neverAborts,
  });

/** What a task set of somebody else may not bring to a model. */
async function expectNothingPrivate(tasks: Awaited<ReturnType<typeof read>>): Promise<void> {
  expect(JSON.stringify(tasks)).not.toContain('the private text');
  for (const { projectPath } of tasks.tasks)
    if (projectPath !== null) await expect(readFile(join(projectPath, 'key.txt'))).rejects.toThrow(/ENOENT/u);
}

describe.skipIf(process.platform === 'win32')('a folder of tasks that somebody else made', () => {
  // Catches: a text or a capsule that is a link to any file of this machine, which then is the prompt of a cloud model.
  it('brings no file that its links lead to', async () => {
    await symlink(join(folder, 'private/key.txt'), join(folder, 'tasks/link.md'));
    await symlink(join(folder, 'private/key.txt'), join(folder, 'tasks/link.capsule'));
    const found = await read('tasks');
    expect(found.tasks.map(({ id }) => id)).toEqual(['plain']);
    expect(found.skipped.map(({ id }) => id)).toEqual(['link.capsule', 'link.md']);
    await expectNothingPrivate(found);
  });

  it('is read where the caller names it by a link', async () => {
    await symlink(join(folder, 'tasks'), join(folder, 'here'));
    await symlink(join(folder, 'tasks/plain.md'), join(folder, 'one.md'));
    expect((await read('here')).tasks.map(({ id }) => id)).toEqual(['plain']);
    expect((await read('one.md')).tasks.map(({ prompt }) => prompt)).toEqual(['A task of its own.']);
  });

  // Catches: a pipe that waits for its other end for ever, and a text that does not fit into memory.
  it('is read to its end with a pipe or a huge text in it', async () => {
    execFileSync('mkfifo', ['pipe.md', 'pipe.capsule'], { cwd: join(folder, 'tasks') });
    await put('tasks/huge.md', '');
    await truncate(join(folder, 'tasks/huge.md'), 5 * 1024 ** 3);
    const found = await read('tasks');
    expect(found.tasks.map(({ id }) => id)).toEqual(['plain']);
    expect(found.skipped.map(({ id }) => id)).toEqual(['huge.md', 'pipe.capsule', 'pipe.md']);
    await expect(openPackedLog(capsuleForm, join(folder, 'tasks/pipe.capsule'), neverAborts)).rejects.toThrow(
      'it is no file',
    );
  });

  it('has no task whose description or project is a link', async () => {
    const task = JSON.stringify({ id: 'one', prompt: 'Do it.', testCommand: 'true' });
    await put('own/good/task.json', task);
    await put('own/good/project/a.txt', '');
    await put('own/linked/task.json', task);
    await symlink(join(folder, 'private'), join(folder, 'own/linked/project'));
    await put('own/told/project/a.txt', '');
    await symlink(join(folder, 'private/task.json'), join(folder, 'own/told/task.json'));
    await put('own/judged/task.json', task);
    await put('own/judged/project/a.txt', '');
    await symlink(join(folder, 'private'), join(folder, 'own/judged/hidden'));
    const found = await read('own');
    expect(found.skipped.map(({ id }) => id).sort()).toEqual(['linked', 'told']);
    expect(found.tasks.map(({ hidden }) => hidden)).toEqual([{ command: 'true' }, { command: 'true' }]);
    await expectNothingPrivate(found);
  });

  it('has no exercise with instructions that are a link', async () => {
    await put(
      'set/one/.meta/config.json',
      JSON.stringify({ files: { solution: ['a.py'], test: ['a_test.py'], example: [] } }),
    );
    await put('set/one/a_test.py', '');
    await symlink(join(folder, 'private/.docs'), join(folder, 'set/one/.docs'));
    await symlink(join(folder, 'private'), join(folder, 'set/one/more'));
    await symlink(join(folder, 'private/key.txt'), join(folder, 'set/one/key.txt'));
    const found = await read('set');
    expect(found.tasks.map(({ id }) => id)).toEqual(['one']);
    await expectNothingPrivate(found);
  });

  // Catches: a file that cannot be read as a whole, for which no other task is done.
  it('has one task less if the files of one cannot be hashed', async () => {
    for (const name of ['bad', 'good']) {
      await put(`own/${name}/task.json`, JSON.stringify({ id: name, prompt: 'Do it.', testCommand: 'true' }));
      await put(`own/${name}/project/a.txt`, '');
    }
    await truncate(join(folder, 'own/bad/project/a.txt'), 5 * 1024 ** 3);
    const found = await read('own');
    expect(found.tasks.map(({ id }) => id)).toEqual(['good']);
    expect(found.skipped.map(({ id }) => id)).toEqual(['bad']);
  });
});

describe('a record that somebody else made', () => {
  // Catches: an instance that is named `..`, whose project is then the folder above all repositories.
  it.each(['..', '.', '.git', '-rf'])('cannot name its project %j', async (name) => {
    await put('repos/fine/a.txt', '');
    await put('repos/.git/config', '');
    const record = (instance: string): string =>
      JSON.stringify({
        instance_id: instance,
        repo: 'acme/calc',
        base_commit: 'a'.repeat(40),
        problem_statement: 'Mend it.',
        test_patch: '',
        FAIL_TO_PASS: ['a'],
        PASS_TO_PASS: [],
      });
    await put('records.jsonl', `${record(name)}\n${record('fine')}\n`);
    const found = await read('records.jsonl', join(folder, 'repos'));
    expect(found.tasks.map(({ id }) => id)).toEqual(['fine']);
    expect(found.skipped).toEqual([{ id: 'line 1', why: 'it is no record' }]);
  });
});

describe('the report of an evaluation of foreign tasks', () => {
  const run: EvalRun = {
    task: 'a\n# b ![c](https://example.org/d)',
    kind: '<img src=x>|\u202Egnp',
    way: 'local',
    repeat: 1,
    state: 'ended',
    solved: null,
    why: '[link](https://example.org)\u001B[31m',
    figures: null,
    isFirstTry: null,
    failedCalls: 0,
    recovered: 0,
    named: null,
  };

  // Catches: a picture or a link in the name of a task, which is loaded when somebody looks at the report.
  it('has no markup, no control characters and no turned text of theirs', () => {
    const skipped = [{ id: '![e](https://example.org/f)', why: '<script>' }];
    const text = evalMarkdown({ title: 'Evaluation', runs: [run], skipped });
    expect(text).toContain(String.raw`a \# b !\[c\](https://example.org/d)`);
    expect(text).not.toMatch(/(?<!\\)[[<]/u);
    const page = evalPage({ title: 'Evaluation', runs: [run], skipped });
    // eslint-disable-next-line no-control-regex -- these must not be in it
    for (const one of [text, page]) expect(one).not.toMatch(/[\u001B\u202E]/u);
  });
});
