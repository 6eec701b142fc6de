import { describe, expect, it } from 'vitest';
import { onlyAddsTests } from '../../../src/main/safety/only-adds-tests.ts';

const python = 'import calc\n\n\ndef test_add():\n    assert calc.add(1, 2) == 3\n';
const script = "import { add } from './calc.js';\n\ntest('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n";

describe('a test file that only gains tests', () => {
  it.each([
    ['a function', python, `${python}\n\ndef test_sub():\n    assert calc.sub(2, 1) == 1\n`],
    ['an import above', python, `import pytest\n${python}\n\ndef test_sub():\n    assert calc.sub(2, 1) == 1\n`],
    // With single edits the import comes before its test.
    ['an import alone', python, `import pytest\n${python}`],
    ['a class', python, `${python}\n\nclass TestSub:\n    def test_one(self):\n        assert calc.sub(2, 1) == 1\n`],
    ['a block', script, `${script}\ntest('subtracts', () => {\n  expect(add(1, -1)).toBe(0);\n});\n`],
  ])('may gain %s', (_what, before, after) => {
    expect(onlyAddsTests(before, after)).toBe(true);
  });

  // Each row is a way to make an existing test pass wrongly.
  it.each([
    ['an assertion changed', python, python.replace('== 3', '== 4')],
    ['a test removed', python, 'import calc\n'],
    ['a line put into a test', python, python.replace('    assert', '    return\n    assert')],
    ['a mark above a test', python, python.replace('def test_add', '@pytest.mark.skip\ndef test_add')],
    ['a test of the same name', python, `${python}\n\ndef test_add():\n    pass\n`],
    [
      'a method of the same name',
      `${python}\nclass T:\n    def test_x(self):\n        assert 0\n`,
      `${python}\nclass T:\n    def test_x(self):\n        assert 0\n\n    def test_x(self):\n        pass\n`,
    ],
    ['all of them skipped', python, `${python}\npytestmark = 1\n`],
    ['what they test replaced', python, `${python}\ncalc.add = lambda a, b: 3\n`],
    ['a block that is the only one', script, `${script}\ntest.only('x', () => {});\n`],
    ['a fixture for all', python, `${python}\n@pytest.fixture(autouse=True)\ndef f():\n    pass\n`],
    ['a second statement behind an import', python, `import os; os.x = 1\n${python}\ndef test_b():\n    pass\n`],
    ['nothing', python, `${python}\n\n`],
  ])('may not have %s', (_what, before, after) => {
    expect(onlyAddsTests(before, after)).toBe(false);
  });
});
