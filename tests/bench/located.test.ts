import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedPlaces, locatedRows, rankOf } from '../../bench/lib/located.ts';
import { aRecord, progressed } from './bench-kit.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-located-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function placesOf(before: string, after: string) {
  const [project, solution] = [join(folder, 'project'), join(folder, 'solution')];
  await mkdir(join(project, 'src'), { recursive: true });
  await mkdir(join(solution, 'src'), { recursive: true });
  await writeFile(join(project, 'src/a.py'), before);
  await writeFile(join(solution, 'src/a.py'), after);
  await writeFile(join(solution, 'new.py'), 'x = 1\n');
  return changedPlaces(project, solution);
}

describe('the places that a solution changes', () => {
  it('are the old lines that it replaced, and the line before each addition', async () => {
    expect(await placesOf('a\nb\nc\nd\n', 'a\nB\nc\nd\n')).toEqual([{ path: 'src/a.py', line: 2 }]);
    expect(await placesOf('a\nb\nc\nd\n', 'a\nc\nd\nnew\n')).toEqual([
      { path: 'src/a.py', line: 2 },
      { path: 'src/a.py', line: 4 },
    ]);
  });

  it('are empty when the task has no solution', async () => {
    expect(await changedPlaces(folder, join(folder, 'nowhere'))).toEqual([]);
  });
});

const suspect = (line: number, endLine: number, kind = 'function', path = 'a.py') => ({ path, line, endLine, kind });
const located = (suspects: readonly unknown[], missing: readonly string[] = []) => [
  progressed('facts', {}),
  progressed('locate', { suspects, missing }),
  progressed('locate', { suspects: [], missing: [] }),
];
const place = { path: 'a.py', line: 12 };

describe('the rank of the faulty place', () => {
  it('is the position of the first suspect that contains the place, in the first list', () => {
    expect(rankOf(located([suspect(1, 5), suspect(12, 12, 'function', 'b.py'), suspect(10, 14)]), [place])).toBe(3);
  });

  it('prefers the method to the class around it, unless no method contains the place', () => {
    expect(rankOf(located([suspect(1, 40, 'class'), suspect(10, 14, 'method')]), [place])).toBe(2);
    expect(rankOf(located([suspect(1, 40, 'class'), suspect(20, 24, 'method')]), [place])).toBe(1);
  });

  it('is null when no suspect contains the place, and undefined when nothing was looked for', () => {
    expect(rankOf(located([suspect(1, 5)]), [place])).toBeNull();
    expect(rankOf(located([suspect(10, 14)], ['parse']), [place])).toBeUndefined();
    expect(rankOf(located([suspect(10, 14)]), [])).toBeUndefined();
    expect(rankOf([progressed('facts', {})], [place])).toBeUndefined();
  });
});

it('the table of located faults counts only the tasks that were looked at', () => {
  const ranks = [1, 2, 4, null, undefined];
  const records = ranks.map((rank, index) => aRecord({ task: `t-${index}`, ...(rank === undefined ? {} : { rank }) }));
  expect(locatedRows(records)).toEqual([
    expect.objectContaining({ value: 50, unit: '%', note: 'first 1, three 2, five 3, twelve 3 of 4' }),
  ]);
});
