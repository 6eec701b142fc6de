import { beforeAll, describe, expect, test } from 'vitest';
import { findSpans } from '../../../../src/main/recipes/code/code-spans.ts';
import { languageOf, loadSyntax, type Syntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { walkNames } from '../../../../src/main/recipes/facts/name-walk.ts';

let syntax: Syntax;
beforeAll(async () => {
  syntax = await loadSyntax();
});

/** The names of what is visited, most often first. */
function visited(texts: Readonly<Record<string, string>>, names: readonly string[], path = 'tests/test_a.py') {
  const files = Object.entries(texts).map(([file, text]) => {
    const language = languageOf(file) ?? 'python';
    return { path: file, language, text, spans: findSpans(syntax, { path: file, language, text }) };
  });
  const shares = walkNames(files, { path, names: new Set(names) });
  const spans = files.flatMap((file) => file.spans).filter(({ id }) => shares.has(id));
  const sorted = spans.toSorted((left, right) => (shares.get(right.id) ?? 0) - (shares.get(left.id) ?? 0));
  return sorted.map(({ path: file, name }) => `${file}:${name}`);
}

describe('the walk along names', () => {
  test('reaches what is used behind what a test names, and ends where functions use each other', () => {
    const text = 'def a(x):\n    return b(x)\n\n\ndef b(x):\n    return a(x)\n\n\ndef c(x):\n    return x\n';
    expect(visited({ 'm.py': text }, ['a'])).toEqual(['m.py:a', 'm.py:b']);
    expect(visited({ 'm.py': text }, ['unknown'])).toEqual([]);
  });

  test('prefers the definition in a file that the test imports', () => {
    const define = 'def load(x):\n    return x\n';
    const texts = { 'pkg/a.py': define, 'pkg/b.py': define, 'tests/test_a.py': 'from pkg.b import load\n' };
    expect(visited(texts, ['load'])).toEqual(['pkg/b.py:load', 'pkg/a.py:load']);
  });

  test('goes from a class to what makes its objects before its other methods', () => {
    const text =
      'class Cart:\n    def total(self):\n        return 1\n\n    def __init__(self):\n        self.items = []\n';
    expect(visited({ 'm.py': text }, ['Cart'])).toEqual(['m.py:Cart', 'm.py:Cart.__init__', 'm.py:Cart.total']);
  });

  test('knows a function that a file of JavaScript exports without a name by the name of the file', () => {
    const texts = { 'lib/read-rows.js': 'module.exports = function (text) {\n  return text;\n};\n' };
    expect(visited(texts, ['readRows'], 'test/rows.js')).toEqual(['lib/read-rows.js:module.exports']);
  });
});
