import { childrenOf, namesIn } from '../../code/code-spans.ts';
import { languageOf, walk, type CodeLanguage, type Syntax, type SyntaxNode } from '../../code/code-syntax.ts';
import type { TestFailure } from '../../../lib/test-output/test-report.ts';
import { roughTokens } from '../../code/show-code.ts';

/** The code of the failing tests of one file, and the names it uses. */
export interface FailingTests {
  readonly path: string;
  readonly language: CodeLanguage | null;
  readonly text: string;
  readonly names: ReadonlySet<string>;
  /** The first failing test alone; empty if it was not found, or is too long to repeat. */
  readonly first: string;
}

const maxTests = 3;
const maxFirstTokens = 180;

/** What to show of a test file: all of it if it is short, otherwise its failing tests and what they use. */
export function showFailingTests(
  syntax: Syntax,
  file: { readonly path: string; readonly text: string },
  failures: readonly TestFailure[],
  maxTokens: number,
): FailingTests {
  const { path, text } = file;
  const language = languageOf(path);
  if (language === null) return { path, language, text: text.slice(0, maxTokens * 3), names: new Set(), first: '' };
  return syntax.withTree(language, text, (root) => {
    const tests = failures.map((failure) => findTest(root, failure)).filter((node) => node !== null);
    const unique = tests.filter((node, index) => tests.findIndex((one) => one.id === node.id) === index);
    const names = new Set(unique.flatMap((node) => [...namesIn(node)]));
    const wholeNames = unique.length > 0 ? names : namesIn(root);
    const alone = unique[0]?.text ?? '';
    const first = roughTokens(alone) <= maxFirstTokens ? alone : '';
    if (roughTokens(text) <= maxTokens) return { path, language, text: withoutNoise(text), names: wholeNames, first };
    const shown = excerpt(root, text, unique.slice(0, maxTests), maxTokens);
    return { path, language, text: shown, names: wholeNames, first };
  });
}

/** Drops imports of the test framework, which say nothing to the model. */
function withoutNoise(text: string): string {
  return text
    .split('\n')
    .filter(
      (line) =>
        !/^(import (assert|pytest|unittest)\b|import .* from ['"]node:(assert|test)|const .* = require\(['"]node:(assert|test)|from __future__)/.test(
          line,
        ),
    )
    .join('\n')
    .trim();
}

/** The smallest test that contains the failure's line, or that has its name. */
function findTest(root: SyntaxNode, failure: TestFailure): SyntaxNode | null {
  const id = failure.id.replace(/^([^[]*)\[.*\]$/, '$1');
  let byLine: SyntaxNode | null = null;
  let byName: SyntaxNode | null = null;
  let longest = 0;
  for (const node of walk(root)) {
    if (!isTest(node)) continue;
    const { line } = failure;
    if (line !== null && node.startPosition.row < line && node.endPosition.row + 1 >= line) byLine = node;
    const name = testName(node);
    if (name === null || name.length <= longest || !endsWithName(id, name)) continue;
    byName = node;
    longest = name.length;
  }
  return byName ?? byLine;
}

/** Whether an id like `a.py::Group::test_sum` or `b.js > group > sums` is that of a test with this name. */
function endsWithName(id: string, name: string): boolean {
  return id.endsWith(name) && (id.length === name.length || /[\s.:>]/.test(id[id.length - name.length - 1] ?? ''));
}

function isTest(node: SyntaxNode): boolean {
  if (node.type === 'function_definition') return (node.childForFieldName('name')?.text ?? '').startsWith('test');
  return node.type === 'expression_statement' && scriptTest.test(node.text);
}

function testName(node: SyntaxNode): string | null {
  if (node.type === 'function_definition') return node.childForFieldName('name')?.text ?? null;
  return scriptTest.exec(node.text)?.[2] ?? null;
}

/** `test('sums', …)`, `it.only('sums', …)`, and `t.test('sums', …)` inside another test. */
const scriptTest = /^(?:await )?(?:[a-z]\w*\.)?(?:test|it)(?:\.\w+)?\s*\((?:\s*(['"`])(.*?)\1)?/;

/** The tests, after the top-level helpers and fixtures that they name, within `maxTokens`. */
function excerpt(root: SyntaxNode, text: string, tests: readonly SyntaxNode[], maxTokens: number): string {
  const lines = text.split('\n');
  const used = new Set(tests.flatMap((node) => [...namesIn(node)]));
  const parts: { readonly row: number; readonly text: string }[] = [];
  let left = maxTokens;
  const add = (node: SyntaxNode) => {
    const code = lines.slice(startRow(node), node.endPosition.row + 1).join('\n');
    const cost = roughTokens(code);
    if (cost > left && parts.length > 0) return;
    parts.push({ row: startRow(node), text: cost > left ? code.slice(0, left * 3) : code });
    left -= cost;
  };
  for (const test of tests) add(test);
  for (const node of childrenOf(root)) {
    const names = definedNames(node);
    const wraps = tests.some((test) => test.startIndex >= node.startIndex && test.endIndex <= node.endIndex);
    if (!wraps && names.some((name) => used.has(name))) add(node);
  }
  parts.sort((one, other) => one.row - other.row);
  return withoutNoise(parts.map((part) => part.text).join('\n\n'));
}

/** A decorated test starts at its decorator. */
function startRow(node: SyntaxNode): number {
  return node.parent?.type === 'decorated_definition' ? node.parent.startPosition.row : node.startPosition.row;
}

function definedNames(node: SyntaxNode): string[] {
  if (/import/.test(node.type)) return [];
  const names: string[] = [];
  for (const child of [node, ...childrenOf(node)]) {
    const name = child.childForFieldName('name')?.text ?? child.childForFieldName('left')?.text;
    if (name !== undefined) names.push(name);
    const inner =
      child.type === 'expression_statement' ? child.namedChild(0)?.childForFieldName('left')?.text : undefined;
    if (inner !== undefined) names.push(inner);
  }
  return names;
}
