import { describe, expect, it } from 'vitest';
import { lostTests, passedTests } from '../../bench/lib/passed-tests.ts';

const pytest = `.F.                                                                      [100%]
==================================== PASSES ====================================
=========================== short test summary info ============================
PASSED tests/test_a.py::test_one
PASSED tests/test_a.py::test_two[a b]
FAILED tests/test_a.py::test_three - assert 1 == 2
1 failed, 2 passed in 0.02s
`;

const tap = `TAP version 13
# Subtest: adds
ok 1 - adds
  ---
  duration_ms: 1
  ...
# Subtest: a group
    # Subtest: adds
    ok 1 - adds
    not ok 2 - fails
    1..2
not ok 2 - a group
ok 3 - adds
ok 4 - is skipped # SKIP
ok 5 - has a # in it
1..5
`;

describe('the names of passed tests', () => {
  it('are read from pytest', () => {
    expect([...passedTests(pytest)]).toEqual(['tests/test_a.py::test_one', 'tests/test_a.py::test_two[a b]']);
  });

  it('are read from TAP, with groups and equal names told apart', () => {
    expect([...passedTests(tap)]).toEqual(['adds', '>adds', 'adds (2)', 'has a # in it']);
  });

  it('are empty when the output is no test report', () => {
    expect(passedTests('Segmentation fault\nok then').size).toBe(0);
  });

  it('show which tests no longer pass', () => {
    const before = new Set(['a', 'b']);
    expect(lostTests(before, new Set(['b', 'c']))).toEqual(['a']);
    expect(lostTests(new Set(), new Set())).toEqual([]);
  });
});
