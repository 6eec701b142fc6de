import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedPaths, guardViolations, takeSnapshot } from '../../bench/lib/snapshot.ts';

let folder = '';
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'dewpoint-snapshot-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

describe('the comparison of two snapshots of a workspace', () => {
  it('finds exactly what was added, changed and removed', async () => {
    await put('src/a.py', '1');
    await put('src/b.py', '1');
    await put('src/c.py', '1');
    const before = await takeSnapshot(folder);
    await put('src/a.py', '2');
    await rm(join(folder, 'src/b.py'));
    await put('src/d.py', '1');
    expect(changedPaths(before, await takeSnapshot(folder))).toEqual(['src/a.py', 'src/b.py', 'src/d.py']);
  });

  it('ignores what running tests leaves behind', async () => {
    await put('a.py', '1');
    const before = await takeSnapshot(folder);
    await put('__pycache__/a.cpython-311.pyc', 'x');
    await put('tests/.pytest_cache/v/x', 'x');
    await put('.coverage', 'x');
    expect(changedPaths(before, await takeSnapshot(folder))).toEqual([]);
  });

  it('sees that a file became executable or stopped being so', async () => {
    await put('tests/run.sh', '1');
    await put('tests/test_a.py', '1');
    await chmod(join(folder, 'tests/run.sh'), 0o755);
    const before = await takeSnapshot(folder);
    await chmod(join(folder, 'tests/run.sh'), 0o644);
    await chmod(join(folder, 'tests/test_a.py'), 0o755);
    expect(guardViolations(before, await takeSnapshot(folder))).toEqual(['tests/run.sh', 'tests/test_a.py']);
  });

  it('sees that a file became a link to the same text', async () => {
    await put('a.py', '1');
    await put('b.py', '1');
    const before = await takeSnapshot(folder);
    await rm(join(folder, 'a.py'));
    await symlink('b.py', join(folder, 'a.py'));
    expect(changedPaths(before, await takeSnapshot(folder))).toEqual(['a.py']);
  });
});

describe('the list of guarded files that changed', () => {
  const before = new Map([
    ['src/a.py', '1'],
    ['tests/test_a.py', '1'],
    ['package-lock.json', '1'],
    ['.github/workflows/ci.yml', '1'],
  ]);
  const after = (changes: Readonly<Record<string, string | null>>): Map<string, string> => {
    const map = new Map(before);
    for (const [path, hash] of Object.entries(changes)) {
      if (hash === null) map.delete(path);
      else map.set(path, hash);
    }
    return map;
  };

  it.each([
    ['a changed source file', { 'src/a.py': '2' }, []],
    ['a changed test', { 'tests/test_a.py': '2' }, ['tests/test_a.py']],
    ['a removed test', { 'tests/test_a.py': null }, ['tests/test_a.py']],
    ['a changed lock file', { 'package-lock.json': '2' }, ['package-lock.json']],
    ['a changed CI file', { '.github/workflows/ci.yml': '2' }, ['.github/workflows/ci.yml']],
    ['a new test', { 'tests/test_b.py': '1' }, []],
    ['a new set-up of the tests', { 'conftest.py': '1' }, ['conftest.py']],
  ])('is right for %s', (_name, changes, violations) => {
    expect(guardViolations(before, after(changes))).toEqual(violations);
  });
});
