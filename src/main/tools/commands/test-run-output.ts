import type { ToolFacts } from '../define.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';

type Runner = ToolFacts['testRunner'];

/** The counts that a test runner printed, and the names of what failed. */
export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly skipped: number;
  readonly failures: readonly string[];
}

/** The command that runs only what `selector` names; null where the runner has no such thing. */
export function withSelector(command: string, runner: Runner, selector: string): string | null {
  const quoted = shellQuote(selector);
  switch (runner) {
    case 'pytest':
      return /[/.]|::/u.test(selector) ? `${command} ${quoted}` : `${command} -k ${quoted}`;
    case 'unittest':
      return `${command} -k ${quoted}`;
    case 'node-test':
      return /\.[cm]?[jt]s$/u.test(selector) ? `node --test ${quoted}` : `${command} --test-name-pattern=${quoted}`;
    case 'npm':
      return `${command} -- ${quoted}`;
    case 'other':
    case null:
      return null;
    default:
      return runner satisfies never;
  }
}

/** Null where the output has no counts that this version knows. */
export function parseTestOutput(output: string, runner: Runner): TestSummary | null {
  if (runner === 'pytest') return parsePytest(output);
  if (runner === 'unittest') return parseUnittest(output);
  return parseNodeTest(output) ?? parsePytest(output) ?? parseUnittest(output);
}

export function describeTests(summary: TestSummary): string {
  const parts = [
    `${summary.passed} passed`,
    `${summary.failed} failed`,
    ...(summary.errors > 0 ? [`${summary.errors} errors`] : []),
    ...(summary.skipped > 0 ? [`${summary.skipped} skipped`] : []),
  ];
  return parts.join(', ');
}

function parsePytest(output: string): TestSummary | null {
  const line = output
    .split('\n')
    .findLast(
      (candidate) =>
        /\b\d+ (passed|failed|errors?|skipped|xfailed|deselected)\b.{0,200} in [\d.]+s/u.test(candidate) ||
        /no tests ran in/u.test(candidate),
    );
  if (line === undefined) return null;
  const count = (name: string): number => Number(new RegExp(`(?<!\\d)(\\d+) ${name}`, 'u').exec(line)?.[1] ?? 0);
  return {
    passed: count('passed'),
    failed: count('failed'),
    errors: count('errors?'),
    skipped: count('skipped'),
    failures: [...output.matchAll(/^(?:FAILED|ERROR) (\S+)/gmu)].map((match) => match[1] ?? ''),
  };
}

function parseUnittest(output: string): TestSummary | null {
  const ran = /^Ran (\d+) tests? in /mu.exec(output)?.[1];
  if (ran === undefined) return null;
  const count = (name: string): number => Number(new RegExp(`${name}=(\\d+)`, 'u').exec(output)?.[1] ?? 0);
  const failed = count('failures');
  const errors = count('errors');
  const skipped = count('skipped');
  return {
    passed: Number(ran) - failed - errors - skipped,
    failed,
    errors,
    skipped,
    failures: [...output.matchAll(/^(?:FAIL|ERROR): (.+)$/gmu)].map((match) => match[1] ?? ''),
  };
}

/** Both forms that `node --test` prints: TAP (`# pass 3`) and spec (`ℹ pass 3`). */
function parseNodeTest(output: string): TestSummary | null {
  const count = (name: string): number | null => {
    const value = new RegExp(`^(?:#|\\u2139) ${name} (\\d+)$`, 'mu').exec(output)?.[1];
    return value === undefined ? null : Number(value);
  };
  const passed = count('pass');
  const failed = count('fail');
  if (passed === null || failed === null) return null;
  const tap = [...output.matchAll(/^[ \t]*not ok \d+ - (.+)$/gmu)].map((match) => match[1] ?? '');
  const spec = [...output.matchAll(/^[ \t]*\u2716 (.+?) \([\d.]+m?s\)$/gmu)].map((match) => match[1] ?? '');
  return {
    passed,
    failed,
    errors: 0,
    skipped: count('skipped') ?? 0,
    failures: [...new Set(tap.length > 0 ? tap : spec)],
  };
}
