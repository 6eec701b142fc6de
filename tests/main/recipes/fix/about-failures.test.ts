import { describe, expect, it } from 'vitest';
import { isAboutFailures, needsPackage } from '../../../../src/main/recipes/fix/about-failures.ts';

const summary = 'FAILED tests/test_dates.py::test_parse_month - AssertionError: assert 3 == 4\n1 failed, 2 passed';

describe('the check whether a task is about failures', () => {
  it.each([
    'A test fails. Find the bug and fix it.',
    'Make the tests green',
    'Rename parseMonth to readMonth',
    'Add a check: total must not be negative',
    'Totals are wrong for empty lists.',
    '修复测试。',
    'Add a function parse_month(text) to dates.py',
    'A test fails. Add a function called median to dates.py.',
  ])('is true for %j', (task) => {
    expect(isAboutFailures(task, summary)).toBe(true);
  });

  it.each([
    'Rename total to sum in cart.py',
    'Add a --verbose flag',
    'Add leap years to the dates',
    'Move the helper into util.js',
    'Write a test for parse_month',
    'Add a function median(values) to dates.py that returns the median of a list of numbers.',
    'Create a helper function named `clamp` in dates.py; it must not change its argument',
    'Please add another class Week to dates.py',
  ])('is false for %j', (task) => {
    expect(isAboutFailures(task, summary)).toBe(false);
  });

  const pytest = [
    '    def test_thousands():',
    '>       assert calculate("1,000 + 1") == 1001',
    'calculator.py:28: in calculate',
    '    value = to_number(first)',
    '    operator, operand = rest',
    'E           calculator.CalculatorError: not a number: 1,000',
    'FAILED tests/test_calculator.py::test_thousands - calculator.CalculatorError: not a number: 1,000',
  ].join('\n');

  it.each([
    ['Let it read thousands with a comma, add that to the README', true],
    ['Change to_number to accept commas', true],
    ['Change calculate to accept commas', true],
    ['Add modulo with the % operator to the calculator.', false],
    ['Make the error message for an unknown operator say which ones are known.', false],
    ['Make the error go away', true],
    ['Add a history of results to calculator.py', false],
  ])('looks at what failed, not at the code around it or its file name: %j', (task, isAbout) => {
    expect(isAboutFailures(task, pytest)).toBe(isAbout);
  });

  it.each([
    ['Write README section for calculator.py: append a line Usage: calculate(text) to README.md', false],
    ['Please add a section on to_number to the docs.', false],
    ['Translate docs/guide.md to German, with the example of calculate', false],
    ['Write docstrings for calculate and to_number', false],
    ['Write a README generator that calls calculate', true],
    ['Add thousands to calculate, and to the README', true],
    ['Update the README for calculate, then add commas to to_number', true],
    ['Fix the README: calculate is wrong', true],
  ])('knows that no test reads a document: %j', (task, isAbout) => {
    expect(isAboutFailures(task, pytest)).toBe(isAbout);
  });

  it('reads the failure mark of `node --test`', () => {
    const spec =
      '✔ counts words (1ms)\n✖ counts an empty text (2ms)\n  AssertionError: 1 !== 0\n    at src/words.js:3:1';
    expect(isAboutFailures('Count 0 words in an empty text, change that', spec)).toBe(true);
    expect(isAboutFailures('Add an option that counts lines to src/words.js', spec)).toBe(true);
    expect(isAboutFailures('Add an option for lines to src/words.js', spec)).toBe(false);
  });
});

describe('a check without the packages of the project', () => {
  const files = { sourceFiles: ['src/shop/cart.py'], testFiles: ['tests/base.py'] };
  const lacks = (name: string): string =>
    `tests/base.py:8: in <module>\nE   ModuleNotFoundError: No module named '${name}'`;

  // Catches: an agent that is sent to repair a missing package, which no edit brings.
  it.each([
    ['The message says 3, and it fails for "exactly 3"', lacks('pytz'), true],
    ['Say "exactly" in the message', "Error: Cannot find package '@scope/part' imported from /workspace/x.js", true],
    ['Say "exactly" in the message', lacks('shop.prices'), false],
    ['Say "exactly" in the message', `${lacks('pytz')}\n${lacks('shop')}`, false],
    ['Take pytz out of the tests', lacks('pytz'), false],
    ['Make the failing tests pass', lacks('pytz'), false],
    ['Say "exactly" in the message', `3 passed, 1 error\n${lacks('pytz')}`, false],
    ['Say "exactly" in the message', 'E   AssertionError', false],
  ])('is not what "%s" is about, if a package is all that is missing: %j', (task, summary, isMissing) => {
    expect(needsPackage(task, summary, files)).toBe(isMissing);
  });
});
