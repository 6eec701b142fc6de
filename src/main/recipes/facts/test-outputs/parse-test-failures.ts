import type { TestRunner } from '../../../projects/facts/project-facts.ts';
import { parseNodeTest } from './parse-node-test.ts';
import { parsePytest } from './parse-pytest.ts';
import { parseUnittest, pythonFrames } from './parse-unittest.ts';
import { nodeFrames } from './parse-node-test.ts';
import { emptyReport, type TestReport } from '../test-report.ts';

/** Escape sequences for colours. */
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/**
 * What the output of a test command says, whichever runner wrote it: the output itself is looked at,
 * because a project's command may hide its runner. `roots`: absolute folders whose files are the project's.
 */
export function parseFailures(output: string, roots: readonly string[]): TestReport {
  const plain = output.replaceAll(colours, '');
  if (/^(TAP version \d+|ℹ tests \d+)/mu.test(plain)) return parseNodeTest(plain, roots);
  if (/^Ran \d+ tests? in /m.test(plain)) return parseUnittest(plain, roots);
  if (/^=+ (short test summary|FAILURES|ERRORS)|\b\d+ (passed|failed|errors?)\b.{0,200} in [\d.]+s/m.test(plain)) {
    return parsePytest(plain, roots);
  }
  return parseCrash(plain, roots);
}

/** A command that only crashes: its traceback, or at least the error that it ends with, is the one failure. */
function parseCrash(output: string, roots: readonly string[]): TestReport {
  const frames = [...pythonFrames(output, roots), ...nodeFrames(output, roots)];
  const error =
    [...output.matchAll(/^(\w*(?:Error|Exception)\b.*)$/gm)].pop()?.[1] ?? output.trim().split('\n').pop() ?? '';
  const errorName = /^(\w*(?:Error|Exception))/.exec(error)?.[1] ?? null;
  if (frames.length === 0 && errorName === null) return emptyReport;
  return {
    passed: new Set(),
    failures: [{ id: 'command', path: null, line: null, errorName, message: error, frames }],
    parsed: false,
  };
}

/** Environment under which a run of the tests says the most: names of passing tests, short tracebacks, locations. */
export function reportingEnvironment(runner: TestRunner | null): Readonly<Record<string, string>> {
  const quiet = {
    PYTHONDONTWRITEBYTECODE: '1',
    NO_COLOR: '1',
    CI: '1',
    PYTEST_ADDOPTS: '-rpfEs --tb=short -p no:cacheprovider --color=no',
  };
  return runner === 'node-test' || runner === 'npm' ? { ...quiet, NODE_OPTIONS: '--test-reporter=tap' } : quiet;
}
