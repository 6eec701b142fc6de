import { describe, expect, it } from 'vitest';
import { faultyPackages } from '../../../bench/lib/project/faulty-packages.ts';
import { rankOfFault } from '../../../bench/lib/project/rank-of-fault.ts';
import { findSpans } from '../../../src/main/recipes/code/code-spans.ts';
import { loadSyntax } from '../../../src/main/recipes/code/code-syntax.ts';

const texts = {
  'shop/cart.py': 'from shop.tax import add_tax\n\n\ndef total(items):\n    return add_tax(sum(items))\n',
  'shop/tax.py':
    'def add_tax(amount):\n    return amount + rate(amount)\n\n\ndef rate(amount):\n    return amount / 10\n',
  'shop/mail.py': 'def send(text):\n    return text\n',
  'tests/test_cart.py': 'from shop.cart import total\n\n\ndef test_total():\n    assert total([10]) == 11\n',
};

describe('the rank of a planted fault', () => {
  // Catches: a measurement that ranks the file without the fault, or a place beside it.
  it('counts from 1 in each order, and is null where the function is not found', async () => {
    const syntax = await loadSyntax();
    const files = new Map(
      Object.entries(texts).map(([path, text]) => {
        const spans = findSpans(syntax, { path, language: 'python', text });
        return [path, { path, language: 'python', text, spans } as const];
      }),
    );
    const rank = (file: keyof typeof texts, written: string) => {
      const start = texts[file].indexOf(written);
      const line = texts[file].slice(0, start).split('\n').length;
      const fault = {
        file,
        line,
        start,
        end: start + written.length,
        text: 'None',
        test: 'tests/test_cart.py::test_total',
      };
      return rankOfFault({ syntax, files }, fault);
    };
    expect(await rank('shop/cart.py', 'sum(items)')).toMatchObject({ tests: 1, names: 1, map: 1 });
    const deep = await rank('shop/tax.py', 'amount / 10');
    expect(deep.names).toBe(3);
    expect((await rank('shop/mail.py', 'return text')).tests).toBeNull();
  });
});

describe('the packages with planted faults', () => {
  it('come in two halves that share no package, and change what they say they change', () => {
    const names = faultyPackages.map(({ source }) => source.package);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(faultyPackages.map(({ split }) => split))).toEqual(new Set(['dev', 'held']));
    for (const { faults } of faultyPackages) for (const { start, end } of faults) expect(end).toBeGreaterThan(start);
  });
});
