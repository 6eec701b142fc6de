import type { TestRunner } from '../../projects/facts/project-facts.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import { parseTestOutput } from '../../lib/test-output/parse-test-output.ts';
import type { TestCounts } from '../../lib/test-output/test-report.ts';

/** The counts of a test runner, and the names of the tests that failed. */
interface TestSummary extends TestCounts {
  readonly failures: readonly string[];
}

/** The command that runs only what `selector` names. Null: the runner cannot select tests. */
export function withSelector(command: string, runner: TestRunner, selector: string): string | null {
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
    case 'go':
      return /\.go$|\//u.test(selector)
        ? command.replace(/\.\/\.\.\.$/u, shellQuote(goFolder(selector)))
        : `${command} -run ${quoted}`;
    case 'cargo':
      return `${command} ${quoted}`;
    case 'maven':
      return `${command} -Dtest=${shellQuote(javaClass(selector))} -Dsurefire.failIfNoSpecifiedTests=false`;
    case 'gradle':
      return `${command} --tests ${shellQuote(javaClass(selector))}`;
    case 'ctest':
      return `${command} -R ${quoted}`;
    case 'rspec':
      return /\.rb\b/u.test(selector) ? `${command} ${quoted}` : `${command} -e ${quoted}`;
    case 'phpunit':
      return selector.endsWith('.php') ? `${command} ${quoted}` : `${command} --filter ${quoted}`;
    case 'dotnet':
      return `${command} --filter ${quoted}`;
    case 'rake':
      return selector.endsWith('.rb') ? `${command} TEST=${quoted}` : `${command} N=${quoted}`;
    case 'make':
    case 'other':
      return null;
    default:
      return runner satisfies never;
  }
}

/** Go runs packages, so a file stands for its folder. */
function goFolder(selector: string): string {
  const folder = selector.endsWith('.go') ? selector.split('/').slice(0, -1).join('/') : selector;
  return folder === '' ? '.' : `./${folder.replace(/^\.\//u, '')}`;
}

/** `src/test/java/demo/CalcTest.java` → `CalcTest`; a name stays. */
function javaClass(selector: string): string {
  return (selector.split('/').at(-1) ?? selector).replace(/\.(?:java|kt)$/u, '');
}

/** Null if the output has no counts that the parser knows. */
export function summarizeTests(output: string): TestSummary | null {
  const { counts, failures } = parseTestOutput(output, []);
  return counts === null ? null : { ...counts, failures: failures.map(({ id }) => id) };
}

export function describeTests(summary: TestCounts): string {
  const parts = [
    `${summary.passed} passed`,
    `${summary.failed} failed`,
    ...(summary.errors > 0 ? [`${summary.errors} errors`] : []),
    ...(summary.skipped > 0 ? [`${summary.skipped} skipped`] : []),
  ];
  return parts.join(', ');
}
