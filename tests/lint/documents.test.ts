import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/main/hosts/cli/program/program.ts';
import { en } from '../../src/renderer/texts/en.ts';

/**
 * Catches: a README that grows into a manual, a sentence that is too long to follow, and a link or path that leads
 * nowhere.
 */
const root = resolve(import.meta.dirname, '../..');
const mostLines = 110;
const mostWords = 30;

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/**
 * The Markdown files below a folder, by their path from the root. Packages and the projects of bench tasks are left
 * out.
 */
function documentsIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'project' ? [] : documentsIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['bench', 'docs', 'examples', 'src', 'tests'].flatMap(documentsIn),
];

/** The text without code blocks and comments. Inline code counts as one word, a link as its text. */
function proseOf(markdown: string): string {
  return markdown
    .replaceAll(/^```[\s\S]*?^```/gmu, '\n')
    .replaceAll(/<!--[\s\S]*?-->/gu, '')
    .replaceAll(/`[^`\n]+`/gu, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1');
}

/** Splits a text. A heading, a list item and a table cell each begin a new text. Other lines continue the last one. */
function textsIn(prose: string): readonly string[] {
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\.)\s)/u)
    .flatMap((block) => (block.trimStart().startsWith('|') ? block.split('|') : [block]));
}

/** The sentences with too many words. */
function longSentences(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?…][)"”*]*)\s+/u)
    .map((sentence) => sentence.replaceAll(/\s+/gu, ' ').trim())
    .filter((sentence) => sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length > mostWords);
}

const longIn = (markdown: string): readonly string[] => textsIn(proseOf(markdown)).flatMap(longSentences);

/** Links to files of this repository, without the part after `#`. */
function linksIn(markdown: string): readonly string[] {
  const text = markdown.replaceAll(/^```[\s\S]*?^```/gmu, '').replaceAll(/`[^`\n]+`/gu, '');
  return [...text.matchAll(/\]\(([^)\s]+)[^)]*\)/gu)]
    .map(([, target = '']) => target.split('#')[0] ?? '')
    .filter((target) => target !== '' && !/^[a-z]+:/u.test(target));
}

/** Paths of Dewpoint's sources and tests, also in code. A path ends before a placeholder (`NAME`, `*`). */
function pathsIn(markdown: string): readonly string[] {
  return [...markdown.matchAll(/(?<![\w./-])(?:src\/(?:main|preload|renderer|shared)|tests\/[a-z]+)\/[\w./-]*/gu)].map(
    ([path]) => path.replace(/[.]+$/u, '').replace(/(?<=\/)[^/]*NAME.*$/u, ''),
  );
}

/** Whether a path exists. A test file may be named without the end of its name, as the test runner accepts it. */
function isThere(path: string): boolean {
  const place = join(root, path);
  if (existsSync(place)) return true;
  if (!existsSync(dirname(place))) return false;
  return readdirSync(dirname(place)).some((name) => name.startsWith(`${basename(place)}.test.`));
}

describe('the documents', () => {
  it(`have a README of at most ${mostLines} lines`, () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(mostLines);
  });

  it(`have no sentence of more than ${mostWords} words in README and guide`, () => {
    const pages = ['README.md', ...documents.filter((path) => path.startsWith(join('docs', 'guide')))];
    expect(pages.length).toBeGreaterThan(8);
    expect(pages.flatMap((path) => longIn(read(path)).map((sentence) => `${path}: ${sentence}`))).toEqual([]);
  });

  it('link to files that exist', () => {
    const lost = documents.flatMap((path) =>
      linksIn(read(path))
        .filter((target) => !existsSync(resolve(root, dirname(path), decodeURIComponent(target))))
        .map((target) => `${path}: ${target}`),
    );
    expect(lost).toEqual([]);
  });

  it('name only sources and tests that exist', () => {
    const lost = documents.flatMap((path) =>
      pathsIn(read(path))
        .filter((named) => !isThere(named))
        .map((named) => `${path}: ${named}`),
    );
    expect(lost).toEqual([]);
  });

  it('are split into sentences as a person reads them', () => {
    const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');
    expect(longIn(`${words(30)}. ${words(30)}.`)).toEqual([]);
    expect(longIn(`# Title\n\n${words(20)}\n${words(11)}.`)).toHaveLength(1);
    expect(longIn(`- ${words(20)}\n- ${words(20)}\n\n| ${words(20)} | ${words(20)} |`)).toEqual([]);
    expect(longIn(`| ${words(31)} | a |`)).toHaveLength(1);
    expect(longIn(`\`\`\`\n${words(40)}\n\`\`\`\nUse \`${words(40)}\`.`)).toEqual([]);
    expect(
      pathsIn('`src/main/a/b.ts`. tests/lint/c, src/main/*/d.md, src/main/tools/NAME.tool.ts, src/app.py'),
    ).toEqual(['src/main/a/b.ts', 'tests/lint/c', 'src/main/', 'src/main/tools/']);
    expect(linksIn('[a](b/c.md#d) ![e](f.webp) [g](https://h.example) `[i](j)`')).toEqual(['b/c.md', 'f.webp']);
  });
});

describe('the texts of the page', () => {
  it(`have no sentence of more than ${mostWords} words`, () => {
    const long = Object.entries(en).flatMap(([key, text]) =>
      longSentences(text).map((sentence) => `${key}: ${sentence}`),
    );
    expect(long).toEqual([]);
  });
});

/** The help texts of a command, its options and arguments, and of all its subcommands. */
function helpTexts(command: Command): readonly string[] {
  const parts = [command, ...command.options, ...command.registeredArguments];
  const name = `${command.parent?.name() ?? ''} ${command.name()}`;
  const own = parts.map((part) => (typeof part.description === 'string' ? part.description : command.description()));
  return [...own.map((text) => `${name}: ${text}`), ...command.commands.flatMap(helpTexts)];
}

describe('the page of figures', () => {
  /** Catches: a sum that praises, because nobody counted again. */
  it('says at its top how many figures are in each state', () => {
    const page = read('docs/figures.md');
    const states = page
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| Figure'))
      .map((line) => line.split(' | ')[3]?.trim() ?? '');
    const count = (is: (state: string) => boolean): number => states.filter(is).length;
    const missed = count((state) => state.includes('missed'));
    const reached = count((state) => state.startsWith('reached') && !state.includes('missed'));
    const open = count((state) => state.includes('not measured'));
    const published = count((state) => state.startsWith('published'));
    expect(page).toContain(
      `${reached} reached, ${missed} missed in whole or in part, ${open} not measured, ${published} published without a target.`,
    );
  });
});

describe('the help of the terminal', () => {
  const quiet = { out: () => undefined, err: () => undefined };

  /** Catches: a help text that is missing or longer than a sentence may be. */
  it(`has no sentence of more than ${mostWords} words, and a text for each command, option and argument`, () => {
    const texts = helpTexts(buildProgram({} as never, '1.2.3', quiet));
    expect(texts.length).toBeGreaterThan(150);
    expect(texts.flatMap((text) => longSentences(text.replace(/^[^:]*: /u, '')))).toEqual([]);
    expect(texts.filter((text) => /: *$/u.test(text))).toEqual([]);
  });
});
