import { describe, expect, it } from 'vitest';
import { isAboutFailures } from '../../../src/main/agent/about-failures.ts';

const summary = 'FAILED tests/test_dates.py::test_parse_month - AssertionError: assert 3 == 4\n1 failed, 2 passed';

describe('isAboutFailures', () => {
  it.each([
    'A test fails. Find the bug and fix it.',
    'Make the tests green',
    'Rename parseMonth to readMonth',
    'Add leap years to the dates',
    'Add a check: total must not be negative',
    'Totals are wrong for empty lists.',
    '修复测试。',
    'Add a function parse_month(text) to dates.py',
    'A test fails. Add a function called median to dates.py.',
  ])('takes %j for a task about them', (task) => {
    expect(isAboutFailures(task, summary)).toBe(true);
  });

  it.each([
    'Rename total to sum in cart.py',
    'Add a --verbose flag',
    'Move the helper into util.js',
    'Write a test for parse_month',
    'Add a function median(values) to dates.py that returns the median of a list of numbers.',
    'Create a helper function named `clamp` in dates.py; it must not change its argument',
    'Please add another class Week to dates.py',
  ])('takes %j for another one', (task) => {
    expect(isAboutFailures(task, summary)).toBe(false);
  });
});
