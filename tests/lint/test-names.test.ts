import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ESTree } from 'vite';
import { Visitor, parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

/** Catches: a red line in CI that does not say what broke, because its test has no subject or is a single word. */
const root = resolve(import.meta.dirname, '../..');

/** Verbs that begin the names of tests, after the subject that a describe gives. */
const verbs = new Set(
  `
  accepts adds agrees aligns allows answers approves are arrives asks attaches becomes begins believes belongs blocks
  breaks brings builds can cancels cannot carries chooses closes collects comes compares compiles completes connects
  contains continues costs counts covers creates cuts decides deletes delivers describes differs does draws drops ends
  estimates evaluates exists expects explains fails falls fetches fills finds fits follows forbids frees gains gathers
  gets gives goes grants grows handles hands has have hides holds ignores includes indexes is joins judges keeps kills
  knows lasts leads leaves lets lies limits lists loads looks loses makes marks matches may measures mentions merges
  misses mounts moves multiplies must names narrows needs notices objects offers opens pairs parses passes pauses pays
  permits plants plays polls prefers prepares prints probes protects puts quotes raises ranks reaches reads rebuilds
  recognizes records redoes refers refuses rejects releases remembers removes renames repairs repeats replaces replays
  reports requires resolves respects restores resumes returns reuses rewrites routes runs says scans searches sees sends
  separates serves sets shares shortens shows skips sorts stands starts stays stops stores streams suggests summarizes
  sums survives takes tells thinks tolerates treats tries turns understands unsets uses waits warns works writes
  `
    .trim()
    .split(/\s+/u),
);

interface Title {
  /** The file and the line. */
  readonly at: string;
  readonly text: string;
  /** Whether no describe gives the subject. */
  readonly isAlone: boolean;
}

/** The function behind `it`, `it.each(rows)`, `describe.skipIf(condition).each(rows)` and the like. */
function runnerOf(node: ESTree.Node): string | null {
  switch (node.type) {
    case 'Identifier':
      return node.name;
    case 'CallExpression':
      return runnerOf(node.callee);
    case 'MemberExpression':
      return runnerOf(node.object);
    case 'TaggedTemplateExpression':
      return runnerOf(node.tag);
    default:
      return null;
  }
}

function titleOf([title]: readonly ESTree.Node[]): string | null {
  if (title?.type === 'Literal') return typeof title.value === 'string' ? title.value : null;
  return title?.type === 'TemplateLiteral' ? title.quasis.map(({ value }) => value.raw).join('${}') : null;
}

const hasBody = ({ arguments: given }: ESTree.CallExpression): boolean =>
  given.some(({ type }) => type === 'ArrowFunctionExpression' || type === 'FunctionExpression');

/** The titles of describes and tests in a file. Titles that are variables are left out. */
function titlesIn(path: string, source: string): readonly Title[] {
  const found: Title[] = [];
  let describes = 0;
  const isDescribe = (call: ESTree.CallExpression): boolean => hasBody(call) && runnerOf(call) === 'describe';
  new Visitor({
    CallExpression: (call) => {
      const text = titleOf(call.arguments);
      const isTest = hasBody(call) && ['it', 'test'].includes(runnerOf(call) ?? '');
      const at = `${path}:${source.slice(0, call.start).split('\n').length}`;
      if (text !== null && (isTest || isDescribe(call))) found.push({ at, text, isAlone: isTest && describes === 0 });
      if (isDescribe(call)) describes += 1;
    },
    'CallExpression:exit': (call) => {
      if (isDescribe(call)) describes -= 1;
    },
  }).visit(parseSync(path, source).program);
  return found;
}

/** A row of a table gives the rest of a title with a placeholder. */
const isShort = ({ text }: Title): boolean => !/[%$]/u.test(text) && !/\S\s+\S/u.test(text);

function hasNoSubject({ text, isAlone }: Title): boolean {
  const [first = '', second] = text.split(/\s+/u);
  return isAlone && verbs.has(first) && second !== 'of';
}

const show = ({ at, text }: Title): string => `${at} ${text}`;

describe('the names of tests', () => {
  const titles = globSync('tests/**/*.test.{ts,tsx,mjs}', { cwd: root }).flatMap((found) => {
    const path = found.replaceAll('\\', '/');
    return titlesIn(path, readFileSync(join(root, path), 'utf8'));
  });

  it('begin with a subject outside a describe', () => {
    expect(titles.length).toBeGreaterThan(3000);
    expect(titles.filter(hasNoSubject).map(show)).toEqual([]);
  });

  it('have two words at least, and so have those of describes', () => {
    expect(titles.filter(isShort).map(show)).toEqual([]);
  });

  it('are found without a subject or with one word', () => {
    const source = `
      it('keeps a key', () => {});
      it.each(rows)('says %s', { timeout: 1 }, async () => {});
      it('answers of a person are kept', () => {});
      describe.skipIf(isWithout).each(rows)('redact', () => {
        it('keeps a key', () => {});
        it.for(rows)('%s', () => {});
        it(\`ends \${count} times\`, function () {});
      });
      it('the log keeps a key', () => {});
      test('count', {});`;
    const found = titlesIn('a.test.ts', source);
    expect(found).toHaveLength(8);
    expect(found.filter(hasNoSubject).map(show)).toEqual(['a.test.ts:2 keeps a key', 'a.test.ts:3 says %s']);
    expect(found.filter(isShort).map(show)).toEqual(['a.test.ts:5 redact']);
  });
});
