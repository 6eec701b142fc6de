import { describe, expect, test } from 'vitest';
import { selfShadows } from '../../../../../src/main/agent/recipes/code/self-shadow.ts';
import { loadSyntax } from '../../../../../src/main/agent/recipes/code/syntax.ts';

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
  ] as const)('is not found where it has one: %s %j', (language, text) => {
    expect(selfShadows(syntax, language, text)).toEqual([]);
  });
});
