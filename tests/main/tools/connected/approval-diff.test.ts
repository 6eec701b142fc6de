import { expect, it } from 'vitest';
import { approvalDiff } from '../../../../src/main/tools/connected/approval-diff.ts';

const lines = (word: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at}`).join('\n');

it('the diff of an approval shows what changed, without file header lines', () => {
  const before = lines('line', 40);
  expect(approvalDiff(before, before.replace('line 20\n', 'other\n'))).toMatch(/^@@ [^\n]*\n.*-line 20\n\+other\n/su);
});

// Bug: a project that changed a tool completely blocked the program for minutes.
it('the diff of an approval is left out for long texts with nothing in common', () => {
  expect(approvalDiff(lines('one', 20_000), lines('other', 20_000))).toBeNull();
});
