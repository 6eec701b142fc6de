import { withoutEscapes } from '@shared/text/seen-text.ts';
import { splitReports, type MachineReport } from './machine-report.ts';
import { isCargo, parseCargo } from './parse-cargo.ts';
import { parseGo } from './parse-go.ts';
import { parseJunit, parseTrx } from './parse-junit.ts';
import { nodeFrames, parseNodeTest } from './parse-node-test.ts';
import { isPytest, parsePytest } from './parse-pytest.ts';
import { isMinitest, parseMinitest, parseRspec } from './parse-ruby.ts';
import { parseSummaries } from './parse-summaries.ts';
import { parseUnittest, pythonFrames } from './parse-unittest.ts';
import { emptyReport, type TestReport } from './test-report.ts';

type Read = (output: string, roots: readonly string[]) => TestReport;

/** The runners that are known by what they print. The first that fits is used. */
const readers: readonly { readonly knows: (output: string) => boolean; readonly read: Read }[] = [
  { knows: (output) => /^(TAP version \d+|ℹ tests \d+)/mu.test(output), read: parseNodeTest },
  { knows: (output) => /^Ran \d+ tests? in /mu.test(output), read: parseUnittest },
  // Before pytest, which counts with the same words.
  { knows: isCargo, read: parseCargo },
  { knows: isPytest, read: parsePytest },
  { knows: isMinitest, read: parseMinitest },
];

/**
 * Reads the output of a test command from any runner. The output itself decides which runner it is, because a project's
 * command may hide it; a runner's own report for programs is preferred. `roots`: absolute folders whose files belong to
 * the project.
 */
export function parseTestOutput(output: string, roots: readonly string[]): TestReport {
  const { text, reports } = splitReports(output);
  const plain = withoutEscapes(text);
  const [report] = reports;
  const read = report === undefined ? null : readReport(report, plain, roots);
  const found = read?.parsed === true ? read : readText(plain, roots);
  return report === undefined || report.folder === '' ? found : inFolder(found, report.folder);
}

function readText(plain: string, roots: readonly string[]): TestReport {
  const reader = readers.find(({ knows }) => knows(plain));
  return reader?.read(plain, roots) ?? parseSummaries(plain, roots) ?? parseCrash(plain, roots);
}

function readReport({ format, text }: MachineReport, plain: string, roots: readonly string[]): TestReport | null {
  switch (format) {
    case 'go':
      return parseGo(text, roots);
    case 'junit':
      return parseJunit(text, plain, roots);
    case 'rspec':
      return parseRspec(text, plain, roots);
    case 'trx':
      return parseTrx(text, plain, roots);
    case 'none':
      return null;
    default:
      return format satisfies never;
  }
}

/** What runs in a folder names its files from there. */
function inFolder(report: TestReport, folder: string): TestReport {
  const placed = (path: string): string => (path.startsWith(`${folder}/`) ? path : `${folder}/${path}`);
  const failures = report.failures.map((one) => ({
    ...one,
    id: one.id === one.path ? placed(one.id) : one.id,
    path: one.path === null ? null : placed(one.path),
    frames: one.frames.map((frame) => ({ ...frame, path: placed(frame.path) })),
  }));
  return { ...report, failures };
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
