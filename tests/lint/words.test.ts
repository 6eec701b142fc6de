import { readFileSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { fieldWords, plainWords } from './known-words.ts';

/** Catches: a word of ours that nobody explains, a glossary that grows, and a participle in place of a noun. */
const root = resolve(import.meta.dirname, '../..');

const rows = [...readFileSync(join(root, 'docs/glossary.md'), 'utf8').matchAll(/^\| ([^|]+?) \| [^|]+ \|$/gmu)]
  .map(([, word = '']) => word)
  .filter((word) => word !== 'Word' && !word.startsWith('---'));

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/u.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, 'src', path), 'utf8') }));

/** The names that one part of the code gives to another. */
const exported = sources.flatMap(({ path, text }) =>
  parseSync(path, text).module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ localName }) => (localName.name === null ? [] : [{ path, name: localName.name }])),
  ),
);

/** `runModelCalls` is three words. Short ones are too often part of an abbreviation. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/gu, ' ')
    .split(/[^A-Za-z]+/u)
    .filter((word) => word.length > 2)
    .map((word) => word.toLowerCase());
}

/** A word and what it may be a form of: `tries` of `try`, `judged` of `judge`, `unlisted` of `list`. */
function formsOf(word: string): ReadonlySet<string> {
  return new Set([...withoutEnding(word), ...(word.startsWith('un') ? withoutEnding(word.slice(2)) : [])]);
}

function withoutEnding(word: string): readonly string[] {
  const endings = ['s', 'es', 'ed', 'ing', 'er', 'or', 'able', 'ly', 'ness', 'al'];
  const stems = endings.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length));
  const forms = stems.flatMap((stem) => [
    stem,
    `${stem}e`,
    ...(stem.endsWith('i') ? [`${stem.slice(0, -1)}y`] : []),
    ...(stem.at(-1) === stem.at(-2) ? [stem.slice(0, -1)] : []),
  ]);
  return [word, ...forms].filter((form) => form.length > 2);
}

const allForms = (words: Iterable<string>): ReadonlySet<string> =>
  new Set([...words].flatMap((word) => [...formsOf(word)]));

/** The words of the platform: the names that TypeScript, Node, Electron, React and zod declare. */
function platformWords(): ReadonlySet<string> {
  const modules = join(root, 'node_modules');
  const compilers = readdirSync(join(modules, '@typescript')).map((name) => `@typescript/${name}/lib`);
  const folders = [...compilers, 'electron', '@types/node', '@types/react', '@types/react-dom', 'zod'];
  const words = folders.flatMap((folder) =>
    readdirSync(join(modules, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.d.ts'))
      .flatMap((path) => {
        const text = readFileSync(join(modules, folder, path), 'utf8');
        return [...new Set(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, '').match(/[A-Za-z]+/gu))].flatMap(wordsOf);
      }),
  );
  return allForms(new Set(words));
}

const named = [
  ...exported,
  ...sources.flatMap(({ path }) => [
    { path, name: basename(path).replace(/\.tsx?$/u, '') },
    ...path
      .split('/')
      .slice(0, -1)
      .map((name) => ({ path, name })),
  ]),
];

const participle =
  /^(?:[A-Z][a-z]*[^e\W]ed|Found|Kept|Said|Told|Shown|Given|Known|Taken|Made|Seen|Spent|Spoken|Chosen|Held|Lost|Sent|Left|Done|Met|Heard|Written|Gone|Drawn|Cut|Read)$/u;

/** `speed` and the like are no participles; `read`, `cut`, `set` and `put` are verbs, too. */
const participleFunction =
  /^(?:un)?(?:[a-z]*[^e\W]ed|found|kept|said|told|shown|given|known|taken|made|seen|spent|spoken|chosen|held|lost|sent|left|done|met|heard|written|gone|drawn|built|thought)$/u;

describe('the words of the code', () => {
  it('are names of the platform, plain English, terms of the field, or in the glossary', () => {
    const known = new Set([...platformWords(), ...allForms([...plainWords, ...fieldWords, ...rows.flatMap(wordsOf)])]);
    const unknown = named.flatMap(({ path, name }) =>
      wordsOf(name)
        .filter((word) => ![...formsOf(word)].some((form) => known.has(form)))
        .map((word) => `${word}: ${name} in src/${path}`),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('include no exported type that is only a participle', () => {
    const types = sources.flatMap(({ text }) =>
      Array.from(text.matchAll(/^export (?:interface|type) (\w+)/gmu), ([, name = '']) => name),
    );
    expect(types.length).toBeGreaterThan(500);
    expect(types.filter((name) => participle.test(name))).toEqual([]);
  });

  it('include no exported function that is only a participle', () => {
    const functions = sources.flatMap(({ path, text }) =>
      Array.from(
        text.matchAll(/^export (?:async )?(?:function\*? |const (?=\w+ = (?:async )?\())(\w+)/gmu),
        ([, name = '']) => ({ path, name }),
      ),
    );
    expect(functions.length).toBeGreaterThan(1_000);
    expect(functions.filter(({ name }) => participleFunction.test(name))).toEqual([]);
  });
});

/** Catches: one more type for what may be chosen next, beside the one of the router. */
it('at most two types of the code are named after a candidate or a stage', () => {
  const declared = sources.flatMap(({ text }) =>
    Array.from(text.matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gmu), ([, name = '']) => name),
  );
  expect(declared.filter((name) => /candidate|stage|cascade/iu.test(name)).toSorted()).toEqual(['Candidate', 'Stage']);
});

describe('the glossary', () => {
  it('has at most 75 words, each of them once', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.length).toBeLessThanOrEqual(75);
    expect(new Set(rows).size).toBe(rows.length);
  });

  it.each(rows)('has only words that the code or a text uses: %s', (word) => {
    const pattern = new RegExp(word.replaceAll(' ', '[\\s_-]?'), 'iu');
    expect(sources.some(({ text }) => pattern.test(text))).toBe(true);
  });
});
