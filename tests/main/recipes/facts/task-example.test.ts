import { beforeAll, expect, test } from 'vitest';
import { loadSyntax, type Syntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { examplesIn } from '../../../../src/main/recipes/facts/task-example.ts';
import { chunksOf } from '../../../../src/main/recipes/context/rank-project-chunks.ts';

let syntax: Syntax;
beforeAll(async () => {
  syntax = await loadSyntax();
});

const found = (task: string, path = 'total.py') => {
  const text = path.endsWith('.py')
    ? 'def total(items):\n    return 2\n'
    : 'export function total(items) {\n  return 2;\n}\n';
  return examplesIn(task, syntax, chunksOf(syntax, path, text)).map(({ call, values }) => [call, ...values]);
};

test.each([
  ['total([1, 2]) gives 2, but it must be 3.', 'total([1, 2])', '3'],
  ['total([1]) returns 2 instead of 1', 'total([1])', '1'],
  ['It crashes: total("") ends with an IndexError instead of "", for years.', 'total("")', '""'],
  ['total([]) should give None', 'total([])', 'None'],
])('the task %j has an example of a call', (task, ...example) => {
  expect(found(task)).toEqual([example]);
});

test.each([
  'total([1, 2]) is 2 since version 3.',
  'total(items) must be 3',
  'total(open("/etc/passwd")) must be 3',
  'total() should be faster, 3 seconds are too long',
  'sum([1, 2]) must be 3',
])('the task %j has no example of a call', (task) => {
  expect(found(task)).toEqual([]);
});

test('the values of an example are those of the language', () => {
  expect(found("total('a') must be null", 'total.js')).toEqual([["total('a')", 'null']]);
});
