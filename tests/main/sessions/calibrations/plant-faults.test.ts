import { describe, expect, it } from 'vitest';
import { faultsIn, withFault } from '../../../../src/main/sessions/calibrations/plant-faults.ts';
import type { GrammarName } from '../../../../src/main/lib/syntax/grammars.ts';

const all = { line: 1, endLine: 1_000 };

const texts: readonly (readonly [GrammarName, string])[] = [
  ['python', 'def f(a, b):\n    if a < 3:\n        return g(a, b)\n    return not a and b\n'],
  ['javascript', 'function f(a, b) {\n  if (a < 3) return g(a, b);\n  return !a && b;\n}\n'],
  [
    'typescript',
    'function f(a: number, b: number): boolean {\n  if (a < 3) return g(a, b);\n  return !a && b > 1;\n}\n',
  ],
  [
    'go',
    'package p\n\nfunc f(a int, b int) bool {\n\tif a < 3 {\n\t\treturn g(a, b)\n\t}\n\treturn !h(a) && b > 1\n}\n',
  ],
  ['rust', 'fn f(a: i32, b: i32) -> bool {\n    if a < 3 {\n        return g(a, b);\n    }\n    !h(a) && b > 1\n}\n'],
  [
    'java',
    'class A {\n  boolean f(int a, int b) {\n    if (a < 3) return g(a, b);\n    return !h(a) && b > 1;\n  }\n}\n',
  ],
  ['cpp', 'bool f(int a, int b) {\n  if (a < 3) return g(a, b);\n  return !h(a) && b > 1;\n}\n'],
  [
    'c-sharp',
    'class A {\n  bool F(int a, int b) {\n    if (a < 3) return G(a, b);\n    return !H(a) && b > 1;\n  }\n}\n',
  ],
  ['ruby', 'def f(a, b)\n  return g(a, b) if a < 3\n  !h(a) && b > 1\nend\n'],
  ['php', '<?php\nfunction f($a, $b) {\n  if ($a < 3) return g($a, $b);\n  return !h($a) && $b > 1;\n}\n'],
];

/** Catches: operators that know one language, and a fault that is a slip of spelling instead. */
describe('a planted fault', () => {
  it.each(texts)('is found by several operators in %s, and the file still parses with each', async (grammar, text) => {
    const faults = (await faultsIn(grammar, text, all)) ?? [];
    const operators = new Set(faults.map(({ operator }) => operator));
    for (const operator of ['comparison', 'logic', 'number']) expect(operators).toContain(operator);
    for (const fault of faults) {
      expect(withFault(text, fault)).not.toBe(text);
      expect(await faultsIn(grammar, withFault(text, fault), all)).not.toBeNull();
    }
  });

  it('removes a guard with its whole lines, and swaps two arguments', async () => {
    const [, text = ''] = texts[0] ?? [];
    const made = ((await faultsIn('python', text, all)) ?? []).map((fault) => [fault.operator, withFault(text, fault)]);
    expect(made).toContainEqual(['guard', 'def f(a, b):\n    return not a and b\n']);
    expect(made).toContainEqual(['arguments', text.replace('g(a, b)', 'g(b, a)')]);
  });

  it('leaves strings, comments, imports and lines outside of the range alone', async () => {
    const text = 'import a\n# 1 < 2\nx = "1 < 2"\n\ndef f(a):\n    return a == 1\n';
    const faults = (await faultsIn('python', text, all)) ?? [];
    expect(faults.map(({ line }) => line)).toEqual([6, 6]);
    expect(await faultsIn('python', text, { line: 1, endLine: 4 })).toEqual([]);
  });

  it('has no faults for a file that does not parse', async () => {
    expect(await faultsIn('python', 'def f(:\n', all)).toBeNull();
  });
});
