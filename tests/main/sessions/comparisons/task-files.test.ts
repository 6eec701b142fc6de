import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resetTestSetup } from '../../../../src/main/sessions/comparisons/tasks/task-files.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-task-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

const textOf = (path: string): Promise<string | null> =>
  stat(join(folder, path)).then(
    () => readFile(join(folder, path), 'utf8'),
    () => null,
  );

describe('the test setup of a run', () => {
  it('is as it was for the check, but for what the task is about, and then as the agent left it', async () => {
    await put('from/pytest.ini', 'strict');
    await put('from/setup.cfg', 'old');
    await put('work/pytest.ini', 'lax');
    await put('work/sub/conftest.py', 'new');
    await put('work/jest.config.js', 'asked for');
    const seen = (): Promise<readonly (string | null)[]> =>
      Promise.all(
        ['pytest.ini', 'sub/conftest.py', 'setup.cfg', 'jest.config.js'].map((name) => textOf(`work/${name}`)),
      );
    const isAsked = (path: string): boolean => path === 'jest.config.js';
    const putBack = await resetTestSetup(join(folder, 'from'), join(folder, 'work'), isAsked);
    expect(await seen()).toEqual(['strict', null, 'old', 'asked for']);
    await putBack();
    expect(await seen()).toEqual(['lax', 'new', null, 'asked for']);
  });
});
