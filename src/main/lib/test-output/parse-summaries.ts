import { compileFailures } from './parse-compiler.ts';
import { withShortLines, type TestCounts, type TestFailure, type TestReport } from './test-report.ts';

interface Summary {
  /** The line with the counts, with groups named as in `TestCounts`, or `total`. */
  readonly line: RegExp;
  /** The names of failed tests. Null: the output has none. */
  readonly failed: RegExp | null;
  readonly passed: RegExp | null;
}

/** What runners print for people, for a command that hides which runner it starts. */
const summaries: readonly Summary[] = [
  // Maven
  {
    line: /^(?:\[\w+\] )?Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+)\s*$/gmu,
    failed: /^\[ERROR\] {3}(?<name>[\w$]+\.[\w$]+)(?::\d+)?(?: |»)(?<text>.*)$/gmu,
    passed: null,
  },
  // PHPUnit
  {
    line: /^(?:OK \((?<passed>\d+) tests?, \d+ assertions?\)|Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, (?:Warnings|Risky): \d+)?(?:, Failures: (?<failed>\d+))?(?:, Skipped: (?<skipped>\d+))?.*)$/gmu,
    failed: /^\d+\) (?<name>\S+::.+)\n(?<text>.*)$/gmu,
    passed: null,
  },
  // RSpec
  {
    line: /^(?<total>\d+) examples?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) pending)?(?:, (?<errors>\d+) errors? occurred outside of examples)?$/gmu,
    failed: /^rspec \S+ # (?<name>.+)$/gmu,
    passed: null,
  },
  // CTest
  {
    line: /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$/gmu,
    failed: /^\t[ \t]*\d+ - (?<name>.+?) \((?<text>[^()\n]+)\)$/gmu,
    passed: /^[ \t]*\d+\/\d+ Test\s+#\d+: (?<name>.+?) \.+\s+Passed\b/gmu,
  },
  // Gradle
  {
    line: /^(?<total>\d+) tests? completed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?$/gmu,
    failed: /^(?=\S.* > )(?<name>.+) FAILED$/gmu,
    passed: null,
  },
  // dotnet test
  {
    line: /^(?:Passed|Failed)!\s+- Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+), Skipped:\s+(?<skipped>\d+), Total:/gmu,
    failed: /^[ \t]+Failed (?<name>\S.*?) \[[^\][\n\r]+\]$/gmu,
    passed: null,
  },
  // Automake
  {
    line: /^# TOTAL: +(?<total>\d+)\n# PASS: +(?<passed>\d+)\n# SKIP: +(?<skipped>\d+)\n# XFAIL: +\d+\n# FAIL: +(?<failed>\d+)\n# XPASS: +\d+\n# ERROR: +(?<errors>\d+)$/gmu,
    failed: /^(?:FAIL|ERROR): (?<name>\S+)$/gmu,
    passed: /^PASS: (?<name>\S.*)$/gmu,
  },
  // Go
  {
    line: /^(?:ok {2}|FAIL)\t\S+(?:\t.*| \[.*\])?$/gmu,
    failed: /^ *--- FAIL: (?<name>\S+) \([\d.]+s\)$/gmu,
    passed: /^ *--- PASS: (?<name>\S+) \([\d.]+s\)$/gmu,
  },
];

/** Reads what a runner prints for people, and compilers' errors. Null: nothing of it is known. */
export function parseSummaries(printed: string, roots: readonly string[]): TestReport | null {
  const output = withShortLines(printed);
  for (const { line, failed, passed } of summaries) {
    const lines = [...output.matchAll(line)];
    if (lines.length === 0) continue;
    const failures = failed === null ? [] : named(output, failed);
    const names = new Set(
      passed === null ? [] : [...output.matchAll(passed)].map((match) => match.groups?.['name'] ?? ''),
    );
    const counts = sum(lines.map(({ groups = {} }) => groups));
    const compiled = compileFailures(output, roots);
    return { passed: names, failures: [...failures, ...compiled], parsed: true, counts };
  }
  const compiled = compileFailures(output, roots);
  return compiled.length === 0 ? null : { passed: new Set(), failures: compiled, parsed: true, counts: null };
}

function named(output: string, pattern: RegExp): readonly TestFailure[] {
  const all = [...output.matchAll(pattern)].map(({ groups = {} }): TestFailure => ({
    id: groups['name']?.trim() ?? '',
    path: null,
    line: null,
    errorName: null,
    message: groups['text']?.trim() ?? '',
    frames: [],
  }));
  return [...new Map(all.map((one) => [one.id, one])).values()];
}

/** Null: the lines have no counts. Maven and `dotnet` print one for each module. */
function sum(lines: readonly Readonly<Record<string, string | undefined>>[]): TestCounts | null {
  const counts = { passed: 0, failed: 0, errors: 0, skipped: 0 };
  let hasCounts = false;
  for (const groups of lines) {
    const [failed, errors, skipped] = ['failed', 'errors', 'skipped'].map((name) => Number(groups[name] ?? 0));
    const rest = Number(groups['total'] ?? 0) - (failed ?? 0) - (errors ?? 0) - (skipped ?? 0);
    hasCounts ||= groups['total'] !== undefined || groups['passed'] !== undefined;
    counts.passed += groups['passed'] === undefined ? Math.max(0, rest) : Number(groups['passed']);
    counts.failed += failed ?? 0;
    counts.errors += errors ?? 0;
    counts.skipped += skipped ?? 0;
  }
  return hasCounts ? counts : null;
}
