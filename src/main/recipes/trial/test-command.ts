import type { TestRunner } from '../../projects/facts/project-facts.ts';
import type { TestFailure } from '../../lib/test-output/test-report.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import type { TrialCommand } from './trial-script.ts';

/** The test command in the form that reports most: unittest names passing tests only with `-v`, behind `discover`. */
export function reportingCommand(command: string): string {
  return command.replace(/^(\s*python3? -m unittest(?: discover)?)(?= |$)(?! -v| discover)/, '$1 -v');
}

/** A command that runs only what failed; null if only the whole command can be run. */
export function failingOnlyCommand(command: string, failures: readonly TestFailure[]): TrialCommand | null {
  const pytest = /^\s*(?:python3? -m )?pytest(?: -[\w-]+)*(?: [\w./]+)*\s*$/.exec(command);
  if (pytest !== null) return { pytest: ['-q', ...failures.slice(0, 40).map((failure) => failure.id)] };
  // Names of tests in a folder that is no package are known to the discovery alone.
  const found = /^\s*(python3? -m unittest discover) (-s [\w./-]+)\s*$/.exec(command);
  if (found !== null) {
    const chosen = [...new Set(failures.map(({ id }) => `-k ${shellQuote(id)}`))].join(' ');
    return `${found[1] ?? ''} -v ${found[2] ?? ''} ${chosen}`;
  }
  const unittest = /^\s*(python3? -m unittest)\b/.exec(command);
  if (unittest !== null) return `${unittest[1] ?? ''} -v ${arguments_(failures.map((failure) => failure.id))}`;
  const paths = failures.map((failure) => failure.path).filter((path) => path !== null);
  if (/^\s*node --test(?: [\w./*{},'"-]+)*\s*$/.test(command) && paths.length === failures.length) {
    const unique = [...new Set(paths)];
    return unique.length === 1 ? `node ${shellQuote(unique[0] ?? '')}` : `node --test ${arguments_(paths)}`;
  }
  return null;
}

function arguments_(values: readonly string[]): string {
  return [...new Set(values)].map(shellQuote).join(' ');
}

/** The environment in which a test run reports most: names of passing tests, short tracebacks, locations. */
export function reportingEnvironment(runner: TestRunner | null): Readonly<Record<string, string>> {
  const quiet = {
    PYTHONDONTWRITEBYTECODE: '1',
    NO_COLOR: '1',
    CI: '1',
    TESTOPTS: '-v',
    RUST_BACKTRACE: '1',
    PYTEST_ADDOPTS: '-rpfEs --tb=short -p no:cacheprovider --color=no',
  };
  return runner === 'node-test' || runner === 'npm' ? { ...quiet, NODE_OPTIONS: '--test-reporter=tap' } : quiet;
}
