import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Catches: too many loose files, two files with one name, and a file of a few lines that only one other file uses. */
const root = resolve(import.meta.dirname, '../..');
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => /\.tsx?$/u.test(path));

/** File names that every subject may have once. */
const roles = /^(?:commands|registry|define|index|main)\.ts$/u;
/** Files that are found by their name. */
const discovered = /\.(?:tool|provider|rule|recipe|command)\.ts$/u;

const perFolder = (): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const path of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return counts;
};

/** The number of files that import each one. A file's own test counts, because it says what the file promises. */
function importersOf(): ReadonlyMap<string, number> {
  const counts = new Map<string, Set<string>>();
  const tests = readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((path) => `tests/${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.(?:tsx?|mjs)$/u.test(path));
  for (const path of [...files, ...tests]) {
    const text = readFileSync(join(root, path), 'utf8');
    for (const [, name = ''] of text.matchAll(/(?:from|import\() ?'((?:\.{1,2}\/|@shared\/)[^']+)'/gu)) {
      const target = name.startsWith('@shared/')
        ? `src/shared/${name.slice('@shared/'.length)}`
        : posix.normalize(posix.join(dirname(path), name));
      counts.set(target, (counts.get(target) ?? new Set()).add(path));
    }
  }
  return new Map([...counts].map(([target, from]) => [target, from.size]));
}

describe('the folders of src', () => {
  it('hold at most 24 files each, and half of them at most 10', () => {
    const counts = [...perFolder()].sort(([, left], [, right]) => left - right);
    expect(counts.filter(([, count]) => count > 24)).toEqual([]);
    expect(counts[Math.floor(counts.length / 2)]?.[1]).toBeLessThanOrEqual(10);
  });

  it('hold no two files of one name in main and shared, except for roles', () => {
    const named = files.filter((path) => !path.startsWith('src/renderer') && !path.startsWith('src/preload'));
    const seen = new Map<string, string[]>();
    for (const path of named) {
      const name = basename(path);
      if (!roles.test(name) && !discovered.test(name)) seen.set(name, [...(seen.get(name) ?? []), path]);
    }
    expect([...seen].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });

  it('hold no file of under 40 lines that only one other imports', () => {
    const importers = importersOf();
    const small = files.filter(
      (path) =>
        !roles.test(basename(path)) &&
        !discovered.test(path) &&
        importers.get(path) === 1 &&
        readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length < 40,
    );
    expect(small).toEqual([]);
  });
});
