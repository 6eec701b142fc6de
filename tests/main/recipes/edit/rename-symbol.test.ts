import { describe, expect, test } from 'vitest';
import { languageOf, loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { parseRenameRequest, renameEverywhere } from '../../../../src/main/recipes/edit/rename-symbol.ts';

const syntax = await loadSyntax();

function renamed(
  files: Readonly<Record<string, string>>,
  from = 'total',
  to = 'sum_up',
): Record<string, string> | null {
  const given = Object.entries(files).flatMap(([path, text]) => {
    const language = languageOf(path);
    return language === null ? [] : [{ path, language, text }];
  });
  const changed = renameEverywhere(syntax, given, { from, to }, given[0]?.path ?? '');
  return changed === null ? null : Object.fromEntries(changed.map(({ path, text }) => [path, text]));
}

describe('a rename request', () => {
  const defined = new Set(['total', 'with_tax']);

  test.each([
    ['Rename total to sum_up', '', 'total'],
    ['please rename the function `with_tax` in cart.py to `gross`', '', 'with_tax'],
    ["Rename cart.py's total to sum_up everywhere.", '', 'total'],
    ['Rename the total function of cart.py to sum_up', '', 'total'],
    ['Now rename it to sum_up', 'What does total do?\nIt adds.', 'total'],
  ])('is read from %j', (task, topic, from) => {
    expect(parseRenameRequest(task, topic, defined)?.from).toBe(from);
  });

  test.each([
    ['Rename it to sum_up', 'total calls with_tax'],
    ['Rename the file to cart2', ''],
    ['Change total to return 3', ''],
    ['Rename total to total', ''],
  ])('is not read from %j', (task, topic) => {
    expect(parseRenameRequest(task, topic, defined)).toBeNull();
  });
});

describe('a renamed symbol', () => {
  test('is followed through imports, and not in keys, texts or comments', () => {
    const cart =
      '# total of a cart\ndef total(items):\n    return sum(i["total"] for i in items)\n\n__all__ = ["total"]\n';
    const shop =
      'from cart import total\nimport cart\n\ndef pay(order):\n    return total(order.total) + cart.total([]) + f(total=1)\n';
    const other = 'def report(total):\n    return total\n';
    expect(renamed({ 'cart.py': cart, 'shop.py': shop, 'other.py': other })).toEqual({
      'cart.py':
        '# total of a cart\ndef sum_up(items):\n    return sum(i["total"] for i in items)\n\n__all__ = ["sum_up"]\n',
      'shop.py':
        'from cart import sum_up\nimport cart\n\ndef pay(order):\n    return sum_up(order.total) + cart.sum_up([]) + f(total=1)\n',
    });
  });

  test('is followed through exports, require and short forms', () => {
    const cart =
      'function total(items) { return items.length; }\nconst api = { total };\nmodule.exports = { total, api };\n';
    const shop =
      "const { total } = require('./cart');\nconst pay = (order) => total(order) + order.total;\nexports.pay = pay;\n";
    const esm = "import { total as sum } from './cart.js';\nexport { total } from './cart.js';\nsum();\n";
    expect(renamed({ 'cart.js': cart, 'shop.js': shop, 'esm.mjs': esm })).toEqual({
      'cart.js':
        'function sum_up(items) { return items.length; }\nconst api = { total: sum_up };\nmodule.exports = { sum_up, api };\n',
      'shop.js':
        "const { sum_up } = require('./cart');\nconst pay = (order) => sum_up(order) + order.total;\nexports.pay = pay;\n",
      'esm.mjs': "import { sum_up as sum } from './cart.js';\nexport { sum_up } from './cart.js';\nsum();\n",
    });
  });

  test('can be a constant or a class of either language', () => {
    expect(renamed({ 'a.ts': 'export const total = 3;\nexport const twice = total * 2;\n' })).toEqual({
      'a.ts': 'export const sum_up = 3;\nexport const twice = sum_up * 2;\n',
    });
    expect(renamed({ 'a.py': 'class Cart:\n    pass\n\ndef new():\n    return Cart()\n' }, 'Cart', 'Basket')).toEqual({
      'a.py': 'class Basket:\n    pass\n\ndef new():\n    return Basket()\n',
    });
  });

  test.each([
    ['a parameter', { 'a.py': 'def total():\n    pass\n\ndef f(total):\n    return total\n' }],
    ['a local name', { 'a.py': 'def total():\n    pass\n\ndef f():\n    total = 3\n    return total\n' }],
    ['a part taken out of something', { 'a.js': 'function total() {}\nconst { total } = order;\n' }],
    ['the new name', { 'a.py': 'def total():\n    pass\n\nsum_up = 3\n' }],
    [
      'an import by that name',
      { 'a.py': 'def total():\n    pass\n', 'b.py': 'from a import total\nfrom c import x as total\n' },
    ],
  ])('stays when %s makes it unclear', (_what, files) => {
    expect(renamed(files)).toBeNull();
  });
});
