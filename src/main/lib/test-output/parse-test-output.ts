import { withoutControlSequences } from '../control-sequences.ts';
import { nodeFrames, parseNodeTest } from './parse-node-test.ts';
import { isPytest, parsePytest } from './parse-pytest.ts';
import { parseUnittest, pythonFrames } from './parse-unittest.ts';
import { emptyReport, type TestReport } from './test-report.ts';

/**
 * Reads the output of a test command from any runner. The output itself decides which runner it is, because a project's
 * command may hide it. `roots`: absolute folders whose files belong to the project.
 */
export function parseTestOutput(output: string, roots: readonly string[]): TestReport {
  const plain = withoutControlSequences(output);
  if (/^(TAP version \d+|ℹ tests \d+)/mu.test(plain)) return parseNodeTest(plain, roots);
  if (/^Ran \d+ tests? in /m.test(plain)) return parseUnittest(plain, roots);
  if (isPytest(plain)) {
    return parsePytest(plain, roots);
  }
  return parseCrash(plain, roots);
}

/** For a command that only crashes: its traceback, or at least its last error, is the only failure. */
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
    counts: null,
  };
}
