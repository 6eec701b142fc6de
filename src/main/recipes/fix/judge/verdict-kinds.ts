import type { TestFailure } from '../../../lib/test-output/test-report.ts';
import type { Judge, Verdict } from './judge-candidate.ts';

export function isWithoutModel({ candidate }: Verdict): boolean {
  return candidate.origin === 'mechanical' || candidate.origin === 'polish';
}

/** What crashed before and only compares wrongly now got further; a new crash, or another wrong value, says nothing. */
export function isStepForward(judge: Judge, verdict: Verdict): boolean {
  const before = judge.baseline().report.failures;
  const isCrash = (failure: TestFailure) => failure.errorName !== null && !/Assert/i.test(failure.errorName);
  return (
    before.length > 0 &&
    before.every(isCrash) &&
    verdict.report.failures.length > 0 &&
    !verdict.report.failures.some(isCrash)
  );
}
