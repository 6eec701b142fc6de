import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Catches: a file of shared that only the core or only the page reaches. It belongs to the one that uses it. */
const root = resolve(import.meta.dirname, '../..');

/** Files that one side alone reaches, and why they stay. That a file will move later is no reason. */
const oneSided: Readonly<Record<string, string>> = {
  'src/shared/settings/settings.ts': 'the form of the settings, put together from parts that the page knows, too',
  'src/shared/projects/memory-proposal.ts': 'its modes are part of the settings, and its form of what a host shows',
  'src/shared/standard-names.d.ts': 'for the compiler alone',
};
const mostExceptions = 4;

type Texts = ReadonlyMap<string, string>;

const sideOf = (path: string): string => {
  const side = path.split('/')[1] ?? '';
  return side === 'preload' ? 'renderer' : side;
};

function importsOf(file: string, text: string): readonly string[] {
  return [...text.matchAll(/(?:from|import\() ?'([@.][^']+)'/gu)].map(([, name = '']) =>
    name.startsWith('@shared/') ? `src/shared/${name.slice(8)}` : posix.join(dirname(file), name),
  );
}

/** The files of shared that fewer than two sides reach: by an import of their own, or through other files of shared. */
function reachedByOneSide(texts: Texts): readonly string[] {
  const sides = new Map<string, Set<string>>();
  const reach = (file: string, side: string): void => {
    for (const target of importsOf(file, texts.get(file) ?? '')) {
      const known = sides.get(target) ?? new Set();
      if (sideOf(target) !== 'shared' || known.has(side)) continue;
      sides.set(target, known.add(side));
      reach(target, side);
    }
  };
  for (const file of texts.keys()) if (sideOf(file) !== 'shared') reach(file, sideOf(file));
  return [...texts.keys()].filter((file) => sideOf(file) === 'shared' && (sides.get(file)?.size ?? 0) < 2);
}

function textsOfSrc(): Texts {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

describe('a file of shared', () => {
  it('is reached by more than one side', () => {
    const found = reachedByOneSide(textsOfSrc());
    expect(found.filter((file) => !(file in oneSided))).toEqual([]);
    expect(Object.keys(oneSided).filter((file) => !found.includes(file))).toEqual([]);
  });

  it('is an exception only in the few cases that have a reason', () => {
    expect(Object.keys(oneSided).length).toBeLessThanOrEqual(mostExceptions);
  });

  it('is found with the files that it alone uses when only the core reaches it', () => {
    const core: Texts = new Map([
      ['src/main/a.ts', "import { b } from '@shared/b.ts';"],
      ['src/shared/b.ts', "import { c } from './c.ts';"],
      ['src/shared/c.ts', ''],
    ]);
    expect(reachedByOneSide(core)).toEqual(['src/shared/b.ts', 'src/shared/c.ts']);
    const both = new Map([...core, ['src/renderer/d.tsx', "import type { B } from '@shared/b.ts';"]]);
    expect(reachedByOneSide(both)).toEqual([]);
  });
});
