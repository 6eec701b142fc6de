import { beforeAll, expect, test } from 'vitest';
import { findSpans } from '../../../../../src/main/recipes/code/code-spans.ts';
import { languageOf, loadSyntax, type Syntax } from '../../../../../src/main/recipes/code/code-syntax.ts';
import { emptyReport } from '../../../../../src/main/lib/test-output/test-report.ts';
import { withMissingImport } from '../../../../../src/main/recipes/fix/search/missing-import.ts';

let syntax: Syntax;
beforeAll(async () => {
  syntax = await loadSyntax();
});

function source(path: string, text: string) {
  const language = languageOf(path);
  if (language === null) throw new Error('no language');
  return { path, language, text, spans: findSpans(syntax, { path, language, text }) };
}

const failing = (message: string) => ({
  ...emptyReport,
  failures: [{ id: 'a', path: null, line: null, errorName: null, message, frames: [] }],
});
const docstring = '"""Dues."""\n';

test.each([
  ["NameError: name 'timedelta' is not defined", 'shop/a.py', docstring, 'from datetime import timedelta'],
  ["NameError: name 're' is not defined", 'shop/a.py', docstring, 'import re'],
  ["NameError: name 'price' is not defined", 'shop/a.py', 'import re\n', 'from shop.prices import price'],
  ["NameError: name 'price' is not defined", 'shop/a.py', 'from .b import c\n', 'from .prices import price'],
  [
    'ReferenceError: cost is not defined',
    'src/a.js',
    'export const a = 1;\n',
    "import { cost } from '../lib/cost.js';",
  ],
  ['ReferenceError: cost is not defined', 'src/a.tsx', '/* Dues. */\n', "import { cost } from '../lib/cost.js';"],
  ['cost is not defined', 'lib/a.js', 'exports.a = 1;\n', "const { cost } = require('./cost');"],
])('the error %s in %s adds the missing import', (message, path, text, line) => {
  const files = [
    source('shop/prices.py', 'def price():\n    return 1\n'),
    source('lib/cost.js', 'function cost() {}\n'),
  ];
  const after = withMissingImport(source(path, text), failing(message), files);
  expect(after?.split('\n')).toContain(line);
  if (text === docstring) expect(after?.startsWith(docstring)).toBe(true);
});

test.each(["NameError: name 'unheard' is not defined", "TypeError: 're' is no number", 'cost is not defined'])(
  'the error %s adds no import',
  (message) => {
    expect(withMissingImport(source('a.py', 'x = 1\n'), failing(message), [])).toBeNull();
  },
);
