import { beforeAll, expect, test } from 'vitest';
import { findSpans } from '../../../../../src/main/recipes/code/code-spans.ts';
import { languageOf, loadSyntax, type Syntax } from '../../../../../src/main/recipes/code/code-syntax.ts';
import {
  applyMutation,
  mechanicalCandidates,
  mutantsOf,
} from '../../../../../src/main/recipes/fix/mechanical/mechanical-changes.ts';

let syntax: Syntax;
beforeAll(async () => {
  syntax = await loadSyntax();
});

function texts(path: string, text: string, limit = 400): readonly string[] {
  const language = languageOf(path);
  if (language === null) throw new Error('no language');
  const spans = findSpans(syntax, { path, language, text });
  return mechanicalCandidates(syntax, { path, text }, spans, { weigh: () => 1, limit }).map(
    (one) => one.files[0]?.text ?? '',
  );
}

const cases: readonly (readonly [string, string, string, string])[] = [
  ['a comparison at its edge', 'a.py', 'def f(a, b):\n    return a < b\n', 'def f(a, b):\n    return a <= b\n'],
  ['an operator', 'a.js', 'function f(a, b) {\n  return a - b;\n}\n', 'function f(a, b) {\n  return a + b;\n}\n'],
  [
    'one too few in a range',
    'a.py',
    'def f(n):\n    return list(range(n))\n',
    'def f(n):\n    return list(range(n + 1))\n',
  ],
  ['and for or', 'a.py', 'def f(a, b):\n    return a and b\n', 'def f(a, b):\n    return a or b\n'],
  [
    'min for max',
    'a.js',
    'const f = (a) => {\n  return Math.min(a, 1);\n};\n',
    'const f = (a) => {\n  return Math.max(a, 1);\n};\n',
  ],
  [
    'a missing await',
    'a.js',
    'async function f() {\n  const x = g();\n  return x;\n}\n',
    'async function f() {\n  const x = await g();\n  return x;\n}\n',
  ],
  ['a missing return', 'a.js', 'function f(a) {\n  g(a);\n}\n', 'function f(a) {\n  return g(a);\n}\n'],
  ['arguments exchanged', 'a.py', 'def f(a, b):\n    return g(a, b)\n', 'def f(a, b):\n    return g(b, a)\n'],
  [
    'a sort of numbers',
    'a.js',
    'function f(a) {\n  return a.sort();\n}\n',
    'function f(a) {\n  return a.sort((a, b) => a - b);\n}\n',
  ],
  [
    'a default',
    'a.py',
    'def f(a, quote=False):\n    return g(a, quote)\n',
    'def f(a, quote=True):\n    return g(a, quote)\n',
  ],
];

test.each(cases)('a mechanical change repairs %s', (_, path, broken, fixed) => {
  expect(texts(path, broken)).toContain(fixed);
});

test('a mechanical change parses and differs from the file', () => {
  const text =
    'def f(items, limit=3):\n    """Doc < with - signs."""\n    total = 0\n    for item in items:\n        if item > limit and not item == 7:\n            total += item - 1\n    return total\n';
  const found = texts('a.py', text);
  expect(found.length).toBeGreaterThan(20);
  expect(found.filter((one) => one === text || syntax.errorLine('python', one) !== null)).toEqual([]);
  expect(found.filter((one) => !one.includes('"""Doc < with - signs."""'))).toEqual([]);
});

test.each([
  ['an operator and each operand', 'a + b', ['a - b', 'a * b', 'a', 'b']],
  ['an emptied text', "trim('x')", ["trim('')"]],
  ['an emptied list', 'join([a, b])', ['join([])']],
])('a mutant of code is %s', (_, value, mutants) => {
  const text = `function f(a, b) {\n  return ${value};\n}\n`;
  const place = { language: 'javascript', startLine: 2, endLine: 2 } as const;
  const found = mutantsOf(syntax, text, place).map((one) => applyMutation(text, one));
  expect(found).toEqual(expect.arrayContaining(mutants.map((one) => text.replace(value, one))));
});
