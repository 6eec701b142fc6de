import { describe, expect, test } from 'vitest';
import { selfShadows, withoutSelfShadows } from '../../../../src/main/recipes/code/self-shadow.ts';
import { loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';

const syntax = await loadSyntax();

describe('a name that is read before it has a value', () => {
  test.each([
    ['python', 'def f(items):\n    total = total(items)\n    return total\n'],
    ['python', 'def f(items):\n    for i in items:\n        print(i)\n    total = 1 + total\n'],
    ['javascript', 'function f(items) {\n  const total = total(items);\n  return total;\n}\n'],
  ] as const)('is found: %s %j', (language, text) => {
    expect(selfShadows(syntax, language, text)).toEqual(['total']);
  });

  test.each([
    ['python', 'total = total(1)\n'],
    ['python', 'def f(total):\n    total = total + 1\n'],
    ['python', 'def f(items, *, total=None):\n    total = total or 3\n'],
    ['python', 'def f(items):\n    total = 0\n    total = total + 1\n'],
    ['python', 'def f(items):\n    global total\n    total = total + 1\n'],
    ['python', 'def f(items):\n    for total in items:\n        total = total + 1\n'],
    ['python', 'def f(items):\n    from cart import total\n    total = total(items)\n'],
    ['python', 'def f(items):\n    with open(items) as total:\n        total = total.read()\n'],
    ['python', 'def f(cart):\n    total = cart.total(total=3)\n'],
    ['python', 'def f(items):\n    total = lambda: total\n'],
    ['javascript', 'function f(cart) {\n  const total = cart.total;\n  const next = () => next();\n}\n'],
    ['javascript', 'function f(cart) {\n  var total = total || 3;\n}\n'],
  ] as const)('is not found when it has one: %s %j', (language, text) => {
    expect(selfShadows(syntax, language, text)).toEqual([]);
  });
});

test.each([
  [
    'python',
    'def pay(order):\n    total = total(order, total=1)\n    total -= total * order.total\n    return total\n',
    'def pay(order):\n    total_value = total(order, total=1)\n    total_value -= total_value * order.total\n    return total_value\n',
  ],
  [
    'javascript',
    'function pay(order) {\n  const total = total(order);\n  return total - order.total;\n}\n',
    'function pay(order) {\n  const totalValue = total(order);\n  return totalValue - order.total;\n}\n',
  ],
  // Nothing is called here, so it is unknown which value is meant.
  ['python', 'def pay():\n    total = total + 1\n    return total\n', null],
] as const)('a value is renamed when %s calls the function that it hides', (language, text, repaired) => {
  expect(withoutSelfShadows(syntax, language, text)).toBe(repaired ?? text);
});
