import { expect, it } from 'vitest';
import { approvalDiff } from '../../../../src/main/tools/connected/approval-diff.ts';

const lines = (word: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at}`).join('\n');

it('shows what is different, without lines that name files', () => {
  const before = lines('line', 40);
  expect(approvalDiff(before, before.replace('line 20\n', 'other\n'))).toMatch(/^@@ [^\n]*\n.*-line 20\n\+other\n/su);
});

// Bug: a project that changed a tool completely blocked the program for minutes.
it('compares no long texts that have nothing in common', () => {
  expect(approvalDiff(lines('one', 20_000), lines('other', 20_000))).toBeNull();
});
