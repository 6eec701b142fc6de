import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { expect, it } from 'vitest';

/** Catches: a file of shared that only the core or only the page uses. It belongs to the one that uses it. */
const root = resolve(import.meta.dirname, '../..');

/** Files that one side alone uses, and why they are here. This table only shrinks. */
const oneSided: Readonly<Record<string, string>> = {
  'src/shared/errors.ts': 'the form of every expected failure, whoever sees it next',
  'src/shared/money/fitting-output.ts': 'two subjects of the core take values of it, and it counts by shared prices',
  'src/shared/routing/usual-steps.ts': 'the core alone uses it now: it moves with what it counts',
  'src/shared/safety/secret-patterns.ts': 'the core alone uses it now: it moves with the patterns that it is made of',
  'src/shared/settings/settings.ts': 'the form of the settings, of which other files of shared take their parts',
  'src/shared/tools/preset-values.ts': 'beside the form that it fills in, whose schemas are not for the page',
  'src/shared/standard-names.d.ts': 'for the compiler alone',
};

const inRoot = { cwd: root };
const sideOf = (path: string): string => path.split('/')[1] ?? '';

it('a file of shared is used by more than one side or by another file of shared', () => {
  const users = new Map<string, Set<string>>();
  for (const listed of globSync('src/**/*.{ts,tsx}', inRoot)) {
    const file = listed.replaceAll('\\', '/');
    const side = sideOf(file) === 'preload' ? 'renderer' : sideOf(file);
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\() ?'([@.][^']+)'/gu)) {
      const target = name.startsWith('@shared/') ? `src/shared/${name.slice(8)}` : posix.join(dirname(file), name);
      users.set(target, (users.get(target) ?? new Set()).add(side));
    }
  }
  const files = globSync('src/shared/**/*.ts', inRoot).map((path) => path.replaceAll('\\', '/'));
  const found = files.filter((file) => {
    const sides = users.get(file) ?? new Set();
    return sides.size < 2 && !sides.has('shared');
  });
  expect(found.filter((file) => !(file in oneSided))).toEqual([]);
  expect(Object.keys(oneSided).filter((file) => !found.includes(file))).toEqual([]);
});
