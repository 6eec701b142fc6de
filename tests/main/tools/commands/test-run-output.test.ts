import { describe, expect, it } from 'vitest';
import { parseTestOutput, withSelector } from '../../../../src/main/tools/commands/test-run-output.ts';

describe('parseTestOutput', () => {
  it('reads the last line of pytest and the names of what failed', () => {
    const output =
      'FAILED tests/test_a.py::test_x - assert 1 == 2\nERROR tests/test_b.py\n=== 1 failed, 3 passed, 2 skipped, 1 error in 0.12s ===\n';
    expect(parseTestOutput(output, 'pytest')).toEqual({
      passed: 3,
      failed: 1,
      errors: 1,
      skipped: 2,
      failures: ['tests/test_a.py::test_x', 'tests/test_b.py'],
    });
  });

  it('reads quiet pytest', () => {
    expect(parseTestOutput('..F\n1 failed, 2 passed in 0.02s\n', 'pytest')).toMatchObject({ passed: 2, failed: 1 });
  });

  it('reads unittest', () => {
    const output = 'FAIL: test_x (t.T)\n----\nRan 4 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n';
    expect(parseTestOutput(output, 'unittest')).toEqual({
      passed: 2,
      failed: 1,
      errors: 0,
      skipped: 1,
      failures: ['test_x (t.T)'],
    });
  });

  it('reads both forms of node:test', () => {
    expect(parseTestOutput('ok 1 - a\nnot ok 2 - b\n# pass 1\n# fail 1\n# skipped 0\n', 'node-test')).toMatchObject({
      passed: 1,
      failed: 1,
      failures: ['b'],
    });
    expect(parseTestOutput('✔ a (1ms)\n✖ b (2.5ms)\nℹ pass 1\nℹ fail 1\nℹ skipped 0\n', 'node-test')).toMatchObject({
      passed: 1,
      failed: 1,
      failures: ['b'],
    });
  });

  it('does not take a test that failed to run for a passed one', () => {
    expect(parseTestOutput('Segmentation fault\n', 'pytest')).toBeNull();
  });
});

describe('withSelector', () => {
  it('quotes what a model writes', () => {
    expect(withSelector('python3 -m pytest -q', 'pytest', "a'; rm -rf /")).toBe(
      `python3 -m pytest -q 'a'\\''; rm -rf /'`,
    );
  });

  it('tells a name from a file', () => {
    expect(withSelector('pytest', 'pytest', 'test_add')).toBe("pytest -k 'test_add'");
    expect(withSelector('pytest', 'pytest', 'tests/test_a.py::test_add')).toBe("pytest 'tests/test_a.py::test_add'");
  });
});
