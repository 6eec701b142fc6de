const passedCounts: readonly RegExp[] = [
  /(?<!\d)(\d+) passed/u,
  /^# pass (\d+)$/mu,
  /^ℹ pass (\d+)$/mu,
  /(?<!\d)(\d+) passing/u,
];

/** The number of tests that passed, from the output of common runners; null if it does not say. */
export function passedTests(summary: string): number | null {
  for (const pattern of passedCounts) {
    const match = pattern.exec(summary);
    if (match?.[1] !== undefined) return Number(match[1]);
  }
  const ran = /^Ran (\d+) tests? in /mu.exec(summary)?.[1];
  if (ran === undefined) return null;
  const failed = [...summary.matchAll(/\b(?:failures|errors|skipped)=(\d+)/gu)];
  return failed.reduce((left, [, count]) => left - Number(count), Number(ran));
}

const failedCounts: readonly RegExp[] = [
  /(?<!\d)(\d+) failed/u,
  /^# fail (\d+)$/mu,
  /^ℹ fail (\d+)$/mu,
  /(?<!\d)(\d+) failing/u,
];

/** The tests that ran, also those that failed: a test that is repaired is no new one. Null: the output does not say. */
function knownTests(summary: string): number | null {
  const ran = /^Ran (\d+) tests? in /mu.exec(summary)?.[1];
  if (ran !== undefined) return Number(ran);
  const passed = passedTests(summary);
  const failed = failedCounts.map((pattern) => pattern.exec(summary)?.[1]).find((count) => count !== undefined);
  return passed === null && failed === undefined ? null : (passed ?? 0) + Number(failed ?? 0);
}

/** A check that failed before the work for another reason, and fails no more than it did. */
export const failsAsBefore = 'the tests fail as they did before';

/**
 * What the success check says at the end of work: "474 tests pass, 13 of them new". Without counts of the runner, "the
 * tests pass". `before`, `after`: what the check printed; null: it did not run.
 */
export function testsText(before: string | null, after: string | null): string {
  const passed = after === null ? null : passedTests(after);
  if (passed === null) return 'the tests pass';
  const had = before === null ? null : knownTests(before);
  const added = had === null ? 0 : Math.min(passed, (knownTests(after ?? '') ?? passed) - had);
  const said = passed === 1 ? '1 test passes' : `${passed} tests pass`;
  if (added <= 0) return said;
  return added === passed ? `${said}, new` : `${said}, ${added} of them new`;
}
