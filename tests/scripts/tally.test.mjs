import { describe, expect, it } from 'vitest';
import { leavingOut, setAside } from '../../scripts/setup/set-aside.mjs';
import { exitCodeOf, oneOf, sum, sumLine, table, tallyOfReport, withoutSetAside } from '../../scripts/setup/tally.mjs';
import { suites } from '../../scripts/setup/test-suites.mjs';

const test = (status, fullName = `${status} one`) => ({ status, fullName });
const file = (status, ...assertionResults) => ({ name: 'a.test.ts', status, assertionResults });

describe('the tally of a test report', () => {
  it('counts passed, failed and every kind of skipped test', () => {
    const report = { testResults: [file('failed', test('passed'), test('failed'), test('pending'), test('todo'))] };
    expect(tallyOfReport(report, false)).toEqual({
      passed: 1,
      failed: 1,
      skipped: 2,
      skippedNames: ['pending one', 'todo one'],
      failures: ['a.test.ts: failed one'],
    });
  });

  it('names each failure with the beginning of its error', () => {
    const failed = {
      ...test('failed'),
      failureMessages: [`\u001b[31mexpected 1\u001b[39m\n${'at a line\n'.repeat(50)}`],
    };
    const broken = { ...file('failed'), name: '/far/b.test.ts', message: 'it does not load' };
    const { failures } = tallyOfReport({ testResults: [file('failed', failed), broken] }, false);
    expect(failures[0]).toMatch(/^a\.test\.ts: failed one\n {2}expected 1\n {2}at a line\n/u);
    expect(failures[0].split('\n')).toHaveLength(15);
    expect(failures[1]).toBe('b.test.ts\n  it does not load');
  });

  it('counts a file that broke before its tests as one failure', () => {
    const report = { testResults: [file('failed'), file('passed', test('passed'))] };
    expect(tallyOfReport(report, false)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('counts a file whose hook failed although its tests passed', () => {
    expect(tallyOfReport({ testResults: [file('failed', test('passed'))] }, false)).toMatchObject({ failed: 1 });
  });

  it('counts an error outside of tests as one failure', () => {
    expect(tallyOfReport({ testResults: [file('passed', test('passed'))] }, false)).toMatchObject({ failed: 1 });
    expect(tallyOfReport({ testResults: [file('passed', test('passed'))] }, true)).toMatchObject({ failed: 0 });
  });
});

describe('tests that are set aside', () => {
  const tally = { ...oneOf('passed'), skipped: 2, skippedNames: ['a group waits', 'other'] };

  it('are not counted as skipped, so CI does not fail for them', () => {
    const { skipped, skippedNames, failed } = withoutSetAside(tally, [{ test: 'a group waits' }]);
    expect({ skipped, skippedNames, failed }).toEqual({ skipped: 1, skippedNames: ['other'], failed: 0 });
  });

  it('fail the run when one of them does not exist', () => {
    // Catches a list that grows old: the test was mended or renamed, and nobody took it off.
    const { failed, failures } = withoutSetAside(tally, [{ test: 'gone' }]);
    expect({ failed, failures }).toEqual({ failed: 1, failures: ['set aside, but there is no such test: gone'] });
  });

  it('are left out by a pattern for exactly their names', () => {
    const [option, pattern] = leavingOut([{ test: 'ends (by itself)' }]);
    expect(option).toBe('--testNamePattern');
    const chosen = ['ends (by itself)', 'ends (by itself) twice', 'ends by itself'].filter((name) =>
      new RegExp(pattern).test(name),
    );
    expect(chosen).toEqual(['ends (by itself) twice', 'ends by itself']);
    expect(leavingOut([])).toEqual([]);
  });

  it('have a suite, a reason and a day', () => {
    const names = suites.map(({ name }) => name);
    for (const { suite, reason, since } of setAside) {
      expect(names).toContain(suite);
      expect(reason.length).toBeGreaterThan(20);
      expect(since).toMatch(/^\d{4}-\d\d-\d\d$/u);
    }
  });
});

describe('the end of a test run', () => {
  const rows = [
    { name: 'typecheck', tally: oneOf('passed'), seconds: 1.24, note: '' },
    { name: 'e2e', tally: oneOf('skipped'), seconds: 0, note: 'no Docker' },
  ];

  it('prints one line of sums', () => {
    expect(sumLine(sum([...rows.map((row) => row.tally), oneOf('failed')]))).toBe('1 passed, 1 failed, 1 skipped');
  });

  it('shows each suite with its seconds and its note in columns', () => {
    expect(table(rows)).toBe(
      [
        'suite      passed  failed  skipped  seconds',
        'typecheck       1       0        0      1.2',
        'e2e             0       0        1      0.0  no Docker',
      ].join('\n'),
    );
  });

  it('fails on a failure or without tests, and in CI on a skip', () => {
    const passedAndSkipped = sum([oneOf('passed'), oneOf('skipped')]);
    expect(exitCodeOf(passedAndSkipped, false)).toBe(0);
    expect(exitCodeOf(passedAndSkipped, true)).toBe(1);
    // The skipped suite needs a graphics card that is not there. No other suite may be skipped.
    expect(exitCodeOf(passedAndSkipped, true, 1)).toBe(0);
    expect(exitCodeOf(sum([passedAndSkipped, oneOf('skipped')]), true, 1)).toBe(1);
    expect(exitCodeOf(sum([oneOf('passed'), oneOf('failed')]), false)).toBe(1);
    expect(exitCodeOf(sum([]), false)).toBe(1);
    expect(exitCodeOf(oneOf('skipped'), false)).toBe(0);
  });
});
