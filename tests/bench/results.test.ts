import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyOf, openResults } from '../../bench/lib/results.ts';
import { parseTaskOptions } from '../../bench/lib/task-options.ts';
import { aRecord } from './bench-kit.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-results-'));
  path = join(folder, 'deep', 'results.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the results file', () => {
  it('gives back what was appended in this run and in an earlier one', async () => {
    const first = await openResults(path);
    expect(first.done.size).toBe(0);
    await first.append(aRecord({ key: 'a' }));
    await first.append(aRecord({ key: 'b', solved: false }));
    const again = await openResults(path);
    expect([...again.done.values()]).toEqual([aRecord({ key: 'a' }), aRecord({ key: 'b', solved: false })]);
    expect([...first.done.keys()]).toEqual(['a', 'b']);
  });

  it('loses only the record that a kill tore, and appends behind the whole ones', async () => {
    await (await openResults(path)).append(aRecord({ key: 'a' }));
    await appendFile(path, JSON.stringify(aRecord({ key: 'b' })).slice(0, 50));
    const again = await openResults(path);
    expect([...again.done.keys()]).toEqual(['a']);
    await again.append(aRecord({ key: 'c' }));
    expect([...(await openResults(path)).done.keys()]).toEqual(['a', 'c']);
  });

  it('does not count a task that could not be tried as done', async () => {
    const results = await openResults(path);
    await results.append(aRecord({ key: 'a', fault: 'no sandbox' }));
    expect((await openResults(path)).done.size).toBe(0);
    await results.append(aRecord({ key: 'a' }));
    expect((await openResults(path)).done.size).toBe(1);
  });

  it('refuses a file of another kind and leaves it unchanged', async () => {
    const other = join(folder, 'other.json');
    await writeFile(other, '{"name": "x"}\n');
    await expect(openResults(other)).rejects.toThrow(/other\.json:1 is no result/);
    expect(await readFile(other, 'utf8')).toBe('{"name": "x"}\n');
  });
});

describe('the key of a run', () => {
  const side = { task: 'py-sum', model: 'a/b', strategy: 'recipe' } as const;
  const key = (args: string): string => keyOf(side, parseTaskOptions(args.split(' ').filter((word) => word !== '')));

  it('is the same for the same work, however the tasks were chosen', () => {
    expect(key('--only py-* --limit 3 --report x.md --total-minutes 5')).toBe(key(''));
  });

  it.each(['--seed 2', '--no-mechanical', '--no-agreement', '--no-coverage', '--no-check', '--max-minutes 9'])(
    'changes with %s',
    (args) => {
      expect(key(args)).not.toBe(key(''));
    },
  );

  it('differs between tasks, models and strategies', () => {
    const options = parseTaskOptions([]);
    const keys = [side, { ...side, task: 'x' }, { ...side, model: 'x' }, { ...side, strategy: 'loop' } as const];
    expect(new Set(keys.map((one) => keyOf(one, options))).size).toBe(4);
  });
});
