import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { capsuleLimits } from '../../../../src/main/sessions/library/capsule/capsule-file.ts';
import { clockNow } from '../../../../src/main/lib/async/clock.ts';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/shared/errors.ts';
import type { CapsulePlan } from '../../../../src/shared/contract/capsules-contract.ts';
import type { ClientCore } from '../../../fakes/core-client.ts';
import { filesBelow, makeCapsuleWorld, type CapsuleWorld } from '../../../fakes/made-capsules.ts';

const project = { 'calc.py': 'def add(a, b):\n    return a - b\n', 'tests/test_calc.py': 'from calc import add\n' };
const task = 'Fix the bug in add().';
let world: CapsuleWorld;
let here: ClientCore;

beforeEach(async () => {
  world = await makeCapsuleWorld();
  here = await world.home('here');
});
afterEach(() => world.end());

async function make(sessionId: string, name = 'a.capsule', without: string[] = []): Promise<string> {
  const { filesHash } = await here.client.capsules.plan({ sessionId, without });
  const path = join(world.folder, name);
  await here.client.capsules.make({ sessionId, without, path, filesHash });
  return path;
}

async function planOf(files: Record<string, string>, without: string[] = []): Promise<CapsulePlan> {
  const path = await world.project('planned', { ...project, ...files });
  const sessionId = await world.work(here, path, task);
  return here.client.capsules.plan({ sessionId, without });
}

const pathsOf = ({ files }: CapsulePlan): readonly string[] => files.map(({ path }) => path);
const problem = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no problem',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

describe('a capsule', () => {
  it('gives the same files and the same replay hash on another home and in another folder, 20 times of 20', async () => {
    const there = await world.home('there');
    const same: boolean[] = [];
    for (let number = 0; number < 20; number += 1) {
      const path = await world.project(`project-${number}`, { ...project, ...oddFiles(number) });
      if (number % 3 === 0) await chmod(join(path, 'calc.py'), 0o755);
      const texts = number % 4 === 0 ? [task, 'And once more.'] : [task];
      const sessionId = await world.work(here, path, ...texts);
      const capsule = await make(sessionId, `${number}.capsule`);
      const [first, second] = [
        await here.client.capsules.check({ path: capsule }),
        await there.client.capsules.check({ path: capsule }),
      ];
      same.push(
        second.sameFiles &&
          second.sameReplay === true &&
          second.filesHash === first.filesHash &&
          second.replayHash === first.replayHash,
      );
    }
    expect(same).toEqual(Array.from({ length: 20 }, () => true));
    expect(await readdir(join(world.folder, 'there', 'workspaces'))).toEqual([]);
  }, 120_000);

  it('holds the files as they were before the first message', async () => {
    const path = await world.project('first', project);
    const sessionId = await world.work(here, path, task);
    expect(await readFile(join(path, 'calc.py'), 'utf8')).toContain('a + b');
    const capsule = await make(sessionId);
    const folder = join(world.folder, 'again');
    const unpacked = await here.client.capsules.unpack({ path: capsule, folder });
    const files = await filesBelow(folder);
    expect(Object.keys(files).sort()).toEqual(Object.keys(project).sort());
    expect(Buffer.from(files['calc.py'] ?? []).toString()).toContain('a - b');
    expect(unpacked.messages).toEqual([task]);
    expect(unpacked.options).toMatchObject({ local: 'script/script', strategy: 'loop' });
  });

  it('is the same bytes when it is made twice', async () => {
    const sessionId = await world.work(here, await world.project('twice', project), task);
    const [first, second] = [await make(sessionId, '1.capsule'), await make(sessionId, '2.capsule')];
    expect(await readFile(first)).toEqual(await readFile(second));
  });

  it('leaves out secrets, links, packages, the history of git and what the person names, and lists each', async () => {
    const path = await world.project('left', {
      ...project,
      '.env': 'API_KEY=abcdefghijklmnop\n',
      'notes/key.txt': `token ${'ghp_'}${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5'}\n`,
      'node_modules/x/index.js': 'x',
      '.git/HEAD': 'ref: refs/heads/main\n',
      'data/big.csv': '1,2\n',
    });
    await symlink('calc.py', join(path, 'link.py'));
    const sessionId = await world.work(here, path, task);
    const plan = await here.client.capsules.plan({ sessionId, without: ['data/**'] });
    expect(pathsOf(plan)).toEqual(['calc.py', 'tests/test_calc.py']);
    const left = plan.left.map(({ path: name }) => name).sort();
    expect(left).toEqual(['.env', '.git', 'data/big.csv', 'link.py', 'node_modules', 'notes/key.txt']);
    const bytes = gunzipSync(await readFile(await make(sessionId, 'left.capsule', ['data/**'])));
    expect(bytes.includes('abcdefghijklmnop')).toBe(false);
    expect(bytes.includes('aB3dE5gH7jK9')).toBe(false);
  });

  it('never holds a file that a fence keeps here, nor a log in which a model read it', async () => {
    await here.client.settings.set({ key: 'fences.rules', value: [{ paths: ['private/**'], verdict: 'local-only' }] });
    const secret = 'the recipe of the old family cake, which nobody else may know of';
    expect(pathsOf(await planOf({ 'other.md': 'x' }))).toContain('other.md');
    const path = await world.project('fenced', { ...project, 'private/cake.md': secret, 'copy.md': secret });
    const sessionId = await world.work(here, path, task);
    // Its commands could read all of the folder.
    expect(await problem(here.client.capsules.plan({ sessionId, without: [] }))).toContain('private');
  });

  it('names the files that something else changed after the session began', async () => {
    const path = await world.project('later', project);
    const sessionId = await world.work(here, path, task);
    await writeFile(join(path, 'tests/test_calc.py'), 'changed by hand\n');
    // The clock of this process may be ahead of the files: other tests moved the time.
    const later = new Date(clockNow() + 1_000);
    await utimes(join(path, 'tests/test_calc.py'), later, later);
    const { changedSince } = await here.client.capsules.plan({ sessionId, without: [] });
    expect(changedSince).toEqual(['tests/test_calc.py']);
  });

  it('is not written when the files are no longer those that were shown', async () => {
    const path = await world.project('moved', project);
    const sessionId = await world.work(here, path, task);
    const { filesHash } = await here.client.capsules.plan({ sessionId, without: [] });
    await writeFile(join(path, 'new.txt'), 'new');
    const target = join(world.folder, 'moved.capsule');
    expect(await problem(here.client.capsules.make({ sessionId, without: [], path: target, filesHash }))).toMatch(
      /changed/u,
    );
    await expect(stat(target)).rejects.toThrow();
  });
});

/** Names in several scripts, bytes that are no text, and files that are nearly the same. */
function oddFiles(number: number): Record<string, string | Uint8Array> {
  const names = [
    'README',
    'readme',
    'données/été.txt',
    '资料/说明.md',
    'данные.txt',
    'عربي.txt',
    'a b/c d.txt',
    '😀.txt',
  ];
  const some = names.slice(0, (number % names.length) + 1);
  return Object.fromEntries(
    some.map((name, at) => [name, at % 2 === 0 ? `text ${number}\n` : Buffer.from([0, 255, number, at])]),
  );
}

describe('a hostile capsule', () => {
  let good: string;
  beforeEach(async () => {
    good = await make(await world.work(here, await world.project('good', project), task));
  });

  async function changed(
    change: (header: Record<string, unknown>) => object,
    first = 'dewpoint-capsule 1',
  ): Promise<string> {
    const bytes = gunzipSync(await readFile(good));
    const begin = bytes.indexOf(0x0a) + 1;
    const end = bytes.indexOf(0x0a, begin);
    const header: unknown = JSON.parse(bytes.subarray(begin, end).toString());
    const made = JSON.stringify(change(Object.assign({}, header)));
    const path = join(world.folder, 'bad.capsule');
    await writeFile(path, gzipSync(Buffer.concat([Buffer.from(`${first}\n${made}`), bytes.subarray(end)])));
    return path;
  }

  const named = (...names: readonly string[]) =>
    changed((header) => {
      const [file] = Array.isArray(header['files']) ? header['files'] : [];
      return { ...header, files: names.map((path) => ({ ...Object.assign({}, file), path })) };
    });

  it.each([
    [['../out.txt']],
    [['/etc/out.txt']],
    [['a/../../out.txt']],
    [['a//b']],
    [['.git/hooks/post-checkout']],
    [['.GIT/config']],
    [['.g\u200cit/config']],
    [['a\0b']],
    [['a', 'a/b']],
    [['a', 'a']],
    [['']],
    [['x'.repeat(300)]],
    [[Array.from({ length: 100 }, () => 'a').join('/')]],
  ])('that names %j writes nothing', async (names) => {
    const path = await named(...names);
    const before = await readdir(world.folder);
    const folder = join(world.folder, 'inner', 'unpacked');
    expect(await problem(here.client.capsules.unpack({ path, folder }))).toMatch(/not a capsule/u);
    expect(await readdir(world.folder)).toEqual(before);
    expect(await readdir(join(world.folder, 'here', 'workspaces'))).toEqual([]);
  });

  it('of a newer version is refused in a plain sentence', async () => {
    const path = await changed((header) => header, 'dewpoint-capsule 2');
    expect(await problem(here.client.capsules.check({ path }))).toMatch(
      /^A newer version of Dewpoint wrote this file/u,
    );
  });

  it('with more files, more bytes or more text than a task has is refused before any of it is kept', async () => {
    const many = await changed((header) => ({
      ...header,
      files: Array.from({ length: 20_001 }, (_, at) => ({
        path: `f${at}`,
        sha256: '0'.repeat(64),
        bytes: 0,
        canRun: false,
      })),
    }));
    expect(await problem(here.client.capsules.check({ path: many }))).toMatch(/its header is wrong/u);
    const large = await changed((header) => ({ ...header, blobs: [{ sha256: '0'.repeat(64), bytes: 2 ** 40 }] }));
    expect(await problem(here.client.capsules.check({ path: large }))).toMatch(/unpacks to far more/u);
    const bomb = join(world.folder, 'bomb.capsule');
    await writeFile(
      bomb,
      gzipSync(Buffer.concat([Buffer.from('dewpoint-capsule 1\n'), Buffer.alloc(100_000_000, 0x61)])),
    );
    expect(await problem(here.client.capsules.check({ path: bomb }))).toMatch(/not a capsule/u);
  });

  it('with a log that does not fit into memory is refused', async () => {
    const [head = '', header = '', record = ''] = gunzipSync(await readFile(good))
      .toString('latin1')
      .split('\n');
    const records = Buffer.alloc(capsuleLimits.logBytes + 2 * record.length, `${record}\n`, 'latin1');
    const path = join(world.folder, 'long.capsule');
    // Not packed at all, so that only the length of the log is wrong.
    await writeFile(path, gzipSync(Buffer.concat([Buffer.from(`${head}\n${header}\n`), records]), { level: 0 }));
    expect(await problem(here.client.capsules.check({ path }))).toMatch(/unpacks to far more/u);
  });

  it('whose files are not what it says is refused', async () => {
    const path = await changed((header) => ({
      ...header,
      files: [{ path: 'x', sha256: 'f'.repeat(64), bytes: 1, canRun: true }],
    }));
    expect(await problem(here.client.capsules.check({ path }))).toMatch(/its list of files is wrong/u);
  });

  it.each([
    [{ check: 'true', tests: ['../out.txt'], answer: null }, /its list of files is wrong/u],
    [{ check: null, tests: [], answer: null }, /nothing that judges it/u],
    [{ check: null, tests: [], answer: { type: 'names', names: [''], others: [] } }, /its header is wrong/u],
  ])('whose task says %j is refused before any of it is kept', async (task, why) => {
    const path = await changed((header) => ({ ...header, task: { kind: 'fault', request: 'Fix it.', ...task } }));
    const folder = join(world.folder, 'made');
    expect(await problem(here.client.capsules.unpack({ path, folder }))).toMatch(why);
    await expect(stat(folder)).rejects.toThrow();
  });

  it('is not unpacked over anything that exists', async () => {
    const folder = join(world.folder, 'mine');
    await mkdir(folder);
    expect(await problem(here.client.capsules.unpack({ path: good, folder }))).toMatch(/already exists/u);
  });

  it('whose log was changed is told from the one that was made', async () => {
    const other = await changed((header) => ({ ...header, replay: { hash: '0'.repeat(64), difference: null } }));
    expect(await here.client.capsules.check({ path: other })).toMatchObject({ sameFiles: true, sameReplay: false });
  });

  it('that is another file is called so', async () => {
    await writeFile(join(world.folder, 'x.capsule'), 'hello');
    const error: unknown = await here.client.capsules
      .check({ path: join(world.folder, 'x.capsule') })
      .catch((found: unknown) => found);
    expect(error instanceof AppError ? error.code : String(error)).toMatch(/bad-input|not a capsule/u);
  });
});
