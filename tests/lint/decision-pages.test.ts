import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Catches: a decision page without a status or a title, one that is missing in the index, a reference to a decision
 * that does not exist, and one that no longer holds among those in force.
 */
const folder = resolve(import.meta.dirname, '../../docs/decisions');
const archive = join(folder, 'archive');
const files = readdirSync(folder).filter((name) => /^\d/u.test(name));
const archived = readdirSync(archive);
const mostPages = 120;
const subjects = [
  'log',
  'replay',
  'agent',
  'recipes',
  'routing',
  'models',
  'engine',
  'memory',
  'providers',
  'sandbox',
  'network',
  'packages',
  'safety',
  'money',
  'sessions',
  'server',
  'window',
  'cli',
  'docs',
  'tests',
];
const headings = ['## Context', '## Decision', '## Consequences'];

type Page = { readonly number: string; readonly title: string; readonly status: string; readonly subject: string };

/** The three lines that begin every page. Null: they have another form. */
function readPage(text: string): Page | null {
  const [first = '', second = '', third = ''] = text.split('\n');
  const [, number, title] = /^# (\d{4}): (\S.*)$/u.exec(first) ?? [];
  const dates = /^Date: \d{4}-\d\d-\d\d(?:, changed \d{4}-\d\d-\d\d)? · Status: ((?:accepted|superseded by \d{4}).*)$/u;
  const [, status] = dates.exec(second) ?? [];
  const [, subject] = /^Subject: (\S+)$/u.exec(third) ?? [];
  if (number === undefined || title === undefined || status === undefined || subject === undefined) return null;
  return { number, title, status, subject };
}

/** The numbers of decisions that a page took in, as its status says: "holds 0184 and 0197". */
function heldBy(status: string): readonly string[] {
  const [, list = ''] = /; holds ((?:\d{4}(?:, | and )?)+)$/u.exec(status) ?? [];
  return list.match(/\d{4}/gu) ?? [];
}

const known = new Set([
  ...[...files, ...archived].map((name) => name.slice(0, 4)),
  ...files.flatMap((name) => heldBy(readPage(readFileSync(join(folder, name), 'utf8'))?.status ?? '')),
]);

function lines(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}

describe.each(files)('decision page %s', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  const page = readPage(text);

  it('has its number, a title, a date, a status and a subject of the list', () => {
    expect(page).not.toBeNull();
    expect(file).toMatch(new RegExp(`^${page?.number ?? ''}-[a-z0-9-]+\\.md$`, 'u'));
    expect(subjects).toContain(page?.subject);
  });

  it('has context, decision and consequences, in this order, on at most 60 lines', () => {
    expect(lines(text).filter((line) => line.startsWith('## '))).toEqual(headings);
    expect(lines(text).length).toBeLessThanOrEqual(60);
  });

  it('refers only to pages that exist', () => {
    const named = [...text.matchAll(/(?<![\w.,/-])0[0-2]\d\d(?![\w.,-]*\d)/gu)].map(([number]) => number);
    expect(named.filter((number) => !known.has(number))).toEqual([]);
  });

  it('is in force', () => {
    expect(page?.status).toMatch(/^accepted/u);
  });
});

describe.each(archived)('archived decision %s', (file) => {
  it('names the page that took its place', () => {
    const [, by = ''] =
      /^superseded by (\d{4})/u.exec(readPage(readFileSync(join(archive, file), 'utf8'))?.status ?? '') ?? [];
    expect(known).toContain(by);
  });
});

it(`at most ${mostPages} decision pages are in force, and none share a number`, () => {
  expect(files.length).toBeLessThanOrEqual(mostPages);
  const numbers = [
    ...[...files, ...archived].map((name) => name.slice(0, 4)),
    ...files.flatMap((name) => heldBy(readPage(readFileSync(join(folder, name), 'utf8'))?.status ?? '')),
  ];
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

it('the index of decisions lists each page once, under its subject, with its title and status', () => {
  const index = lines(readFileSync(join(folder, 'README.md'), 'utf8'));
  const rows = index.filter((line) => /^(?:## (?!Known deviations)|\| \[)/u.test(line));
  const pages = files.toSorted().flatMap((file) => {
    const page = readPage(readFileSync(join(folder, file), 'utf8'));
    return page === null ? [] : [{ ...page, file }];
  });
  const expected = subjects.flatMap((subject) => {
    const own = pages.filter((page) => page.subject === subject);
    const list = own.map((page) => `| [${page.number}](${page.file}) | ${page.title} | ${page.status} |`);
    return own.length === 0 ? [] : [`## ${subject}`, ...list];
  });
  expect(rows).toEqual(expected);
});
