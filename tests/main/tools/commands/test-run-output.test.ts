import { describe, expect, it } from 'vitest';
import { summarizeTests, withSelector } from '../../../../src/main/tools/commands/test-run-output.ts';

describe('the summary of a test run', () => {
  it("reads pytest's last line and the names of failed tests", () => {
    const output =
      'FAILED tests/test_a.py::test_x - assert 1 == 2\nERROR tests/test_b.py\n=== 1 failed, 3 passed, 2 skipped, 1 error in 0.12s ===\n';
    expect(summarizeTests(output)).toEqual({
      passed: 3,
      failed: 1,
      errors: 1,
      skipped: 2,
      failures: ['tests/test_a.py::test_x', 'tests/test_b.py'],
    });
  });

  it('reads quiet pytest, and a run without tests', () => {
    expect(summarizeTests('..F\n1 failed, 2 passed in 0.02s\n')).toMatchObject({ passed: 2, failed: 1 });
    expect(summarizeTests('\n2 skipped in 0.02s\n')).toMatchObject({ passed: 0, failed: 0, skipped: 2 });
    expect(summarizeTests('\nno tests ran in 0.01s\n')).toMatchObject({ passed: 0, failed: 0 });
  });

  it('reads unittest', () => {
    const output = `${'='.repeat(70)}\nFAIL: test_x (t.T)\n${'-'.repeat(70)}\nAssertionError: 1 != 2\n\n${'-'.repeat(70)}\nRan 4 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n`;
    expect(summarizeTests(output)).toEqual({ passed: 2, failed: 1, errors: 0, skipped: 1, failures: ['t.T.test_x'] });
  });

  it('reads both forms of node:test', () => {
    const tap = 'TAP version 13\nok 1 - a\nnot ok 2 - b\n# tests 2\n# pass 1\n# fail 1\n# skipped 0\n';
    const failing = '✖ failing tests:\n\ntest at a.test.js:1:1\n✖ b (2.5ms)\n  AssertionError: no\n';
    const spec = `✔ a (1ms)\n✖ b (2.5ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ skipped 0\n\n${failing}`;
    const summary = { passed: 1, failed: 1, errors: 0, skipped: 0, failures: ['b'] };
    expect(summarizeTests(tap)).toEqual(summary);
    expect(summarizeTests(spec)).toEqual(summary);
  });

  it('counts a run that crashed as no pass', () => {
    expect(summarizeTests('Segmentation fault\n')).toBeNull();
  });
});

describe('the selector of tests in a command', () => {
  it('is quoted, so that a model cannot add a shell command', () => {
    expect(withSelector('python3 -m pytest -q', 'pytest', "a'; rm -rf /")).toBe(
      `python3 -m pytest -q 'a'\\''; rm -rf /'`,
    );
  });

  it('is recognized as a test name or a file', () => {
    expect(withSelector('pytest', 'pytest', 'test_add')).toBe("pytest -k 'test_add'");
    expect(withSelector('pytest', 'pytest', 'tests/test_a.py::test_add')).toBe("pytest 'tests/test_a.py::test_add'");
  });
});
