import type { TestFailure } from '../../facts/test-report.ts';
import type { Verdict } from '../judge/judge-candidate.ts';

const repairable =
  /^(NameError|UnboundLocalError|ReferenceError|TypeError|SyntaxError|IndentationError|ImportError|AttributeError|ModuleNotFoundError)$/;

/**
 * One line of error that is worth a repair turn: a name, type or syntax error that the candidate brought with it.
 * A wrong result is not: below 7B a fresh sample is worth more than a conversation about it.
 */
export function repairableError(verdict: Verdict, before: readonly TestFailure[]): string | null {
  if (verdict.type === 'accepted' || verdict.type === 'partial' || verdict.type === 'untried') return null;
  const known = new Set(before.map((failure) => failure.message));
  const failure = verdict.report.failures.find(
    (one) => one.errorName !== null && repairable.test(one.errorName) && !known.has(one.message),
  );
  if (failure === undefined) return null;
  const line = failure.message.split('\n').find((one) => one.trim() !== '') ?? '';
  const place = failure.frames.at(-1);
  return `${line.slice(0, 160)}${place === undefined ? '' : ` (${place.path}, line ${place.line})`}`;
}
