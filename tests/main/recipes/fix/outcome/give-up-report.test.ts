import { expect, it } from 'vitest';
import { giveUpReason } from '../../../../../src/main/recipes/fix/outcome/give-up-report.ts';
import { parseTestOutput } from '../../../../../src/main/lib/test-output/parse-test-output.ts';

// Bug: Markdown took the likeliest places into the last row of the list of failures.
it('the reason of a repair that gave up ends its list before the likeliest places', () => {
  const output = 'FAILED tests/test_a.py::test_sum - AssertionError: 3 != 4\n1 failed in 0.01s\n';
  const report = parseTestOutput(output, []);
  expect(report.failures).toHaveLength(1);
  const span = { name: 'add', path: 'a.py', startLine: 2 };
  const tried = [{ label: 'x', result: 'broken' }] as const;
  const baseline = () => ({ exitCode: 1, report, output, durationMs: 1 });
  const lines = giveUpReason({ tried, failureContext: { suspects: [{ span }] } }, { baseline }).split('\n');
  expect(lines.slice(-2)).toEqual(['', 'The likeliest places: add in a.py:2.']);
  expect(lines.at(-3)).toMatch(/^- .*test_sum/u);
});
