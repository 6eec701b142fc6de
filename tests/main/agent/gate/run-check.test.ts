import { describe, expect, it, test } from 'vitest';
import { summaryOf } from '../../../../src/main/agent/gate/run-check.ts';
import { summarizeTests } from '../../../../src/main/tools/commands/test-run-output.ts';
import { passedTests, testsText } from '../../../../src/shared/text/passed-tests.ts';

const detail = '  at a line of a stack that says much and counts nothing\n'.repeat(60);

describe('the summary of a check', () => {
  test('keeps the counts of node --test that stand before the failures', () => {
    const output = `✖ adds (2ms)\nℹ tests 3\nℹ suites 0\nℹ pass 1\nℹ fail 2\n\n✖ failing tests:\n${detail}}`;
    const summary = summaryOf(output, '');
    expect(summary).toMatch(/^ℹ tests 3\nℹ pass 1\nℹ fail 2\n…\n  at a line/);
    expect(summary.length).toBeLessThan(1_800);
    expect(passedTests(summary)).toBe(1);
  });

  // Bug: "…ℹ pass 2" counted for nothing, so a check that grew worse was not seen, and the person read the last line.
  test.each([0, 1])('keeps the counts where the cut is before line %d of them', (cut) => {
    const lines = ['ℹ tests 4\n', 'ℹ pass 2\n', 'ℹ fail 2\n'];
    const kept = lines.slice(cut).join('');
    const rest = `\n✖ failing tests:\n${'x'.repeat(1_560 - kept.length)}\n`;
    const summary = summaryOf(`${'✔ adds\n'.repeat(300)}${lines.slice(0, cut).join('')}${kept}${rest}`, '');
    expect(passedTests(summary)).toBe(2);
    expect(summarizeTests(summary)).toMatchObject({ passed: 2, failed: 2 });
  });

  test('shortens long output without a line end, too', () => {
    expect(summaryOf('', 'e'.repeat(90_000)).length).toBeLessThan(600);
  });

  test.each([
    ['Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1)', 3],
    ['  3 passing (12ms)\n  1 failing', 3],
    ['2 failed, 7 passed in 0.10s', 7],
    ['Segmentation fault', null],
  ])('counts the passed tests in %j', (output, count) => {
    expect(passedTests(output)).toBe(count);
  });
});

describe('the words for passing tests', () => {
  it.each([
    ['461 passed in 1s', '474 passed in 1s', '474 tests pass, 13 of them new'],
    ['474 passed', '474 passed', '474 tests pass'],
    [null, '1 passed', '1 test passes'],
    ['# pass 0', '# pass 2', '2 tests pass, new'],
    ['4 passed', '3 passed', '3 tests pass'],
    // Bug: a test that was there and failed was called new once it passed.
    ['# pass 0\n# fail 1', '# pass 1\n# fail 0', '1 test passes'],
    ['1 failed, 6 passed in 0.2s', '7 passed in 0.2s', '7 tests pass'],
    ['1 failed, 6 passed in 0.2s', '9 passed in 0.2s', '9 tests pass, 2 of them new'],
    ['1 failed in 0.2s', '1 passed in 0.2s', '1 test passes'],
    ['Ran 3 tests in 0.1s\n\nFAILED (failures=1)', 'Ran 4 tests in 0.1s\n\nOK', '4 tests pass, 1 of them new'],
    ['ok', 'ok', 'the tests pass'],
    [null, null, 'the tests pass'],
  ])('are right after %s and %s: %s', (before, after, said) => {
    expect(testsText(before, after)).toBe(said);
  });
});
