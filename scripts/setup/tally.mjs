import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const failureLines = 14;
const failureWidth = 300;

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly string[]} skippedNames
 * @property {readonly string[]} failures each a test's name, with the beginning of its error below
 */

/**
 * Counts a check, or a suite that could not run, as one. @param {'passed' | 'failed' | 'skipped'} result @returns
 * {Tally}
 */
export function oneOf(result) {
  return { passed: 0, failed: 0, skipped: 0, skippedNames: [], failures: [], [result]: 1 };
}

/**
 * @typedef {object} ReportedFile a test file in the report of Vitest's JSON reporter
 * @property {string} name its path
 * @property {string} status
 * @property {string} [message] the error that broke the file itself
 * @property {readonly {status: string, fullName: string, failureMessages?: readonly string[]}[]} assertionResults
 */

/**
 * Counts a report of Vitest's JSON reporter. A file that failed before its tests ran counts as one
 * failure, and so does a run that failed although every test passed (an error outside of tests).
 * @param {{testResults?: readonly ReportedFile[]}} report
 * @param {boolean} exitedWell
 * @returns {Tally}
 */
export function tallyOfReport(report, exitedWell) {
  const files = report.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === 'passed').length;
  const failures = files.flatMap(failuresOf);
  const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  return {
    passed,
    failed: failures.length === 0 && !exitedWell ? 1 : failures.length,
    skipped: skipped.length,
    skippedNames: skipped.map((test) => test.fullName.trim()),
    failures,
  };
}

/**
 * Takes the tests that were set aside out of a tally's skipped ones. An entry without a test is a failure: it was mended
 * or renamed, and the list is wrong.
 * @param {Tally} tally of a suite that ran whole
 * @param {readonly {test: string}[]} entries those of the suite
 * @returns {Tally}
 */
export function withoutSetAside(tally, entries) {
  const names = entries.map(({ test }) => test);
  const stale = names.filter((name) => !tally.skippedNames.includes(name));
  const skippedNames = tally.skippedNames.filter((name) => !names.includes(name));
  const failures = [...tally.failures, ...stale.map((name) => `set aside, but there is no such test: ${name}`)];
  return { ...tally, skipped: skippedNames.length, skippedNames, failed: tally.failed + stale.length, failures };
}

/** @param {ReportedFile} file @returns {readonly string[]} */
function failuresOf(file) {
  const tests = file.assertionResults.filter((test) => test.status === 'failed');
  const name = basename(file.name);
  if (tests.length === 0) return file.status === 'failed' ? [failure(name, file.message)] : [];
  return tests.map((test) => failure(`${name}: ${test.fullName.trim()}`, test.failureMessages?.join('\n')));
}

// The first lines say where the test is and what it saw. The rest was printed while it ran.
/** @param {string} name @param {string} [message] */
function failure(name, message = '') {
  const lines = stripVTControlCharacters(message).trimEnd().split('\n', failureLines);
  return [name, ...lines.map((line) => `  ${line.slice(0, failureWidth)}`)].join('\n').trimEnd();
}

/** @param {readonly Tally[]} tallies @returns {Tally} */
export function sum(tallies) {
  return {
    passed: tallies.reduce((total, tally) => total + tally.passed, 0),
    failed: tallies.reduce((total, tally) => total + tally.failed, 0),
    skipped: tallies.reduce((total, tally) => total + tally.skipped, 0),
    skippedNames: tallies.flatMap((tally) => tally.skippedNames),
    failures: tallies.flatMap((tally) => tally.failures),
  };
}

/** The last line of a test run. @param {Tally} tally */
export function sumLine(tally) {
  return `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`;
}

/**
 * In CI a skipped test is a failure, because it would then never run anywhere. The exception is a whole suite that
 * needs what no set-up can provide, such as a graphics card.
 * @param {Tally} tally @param {boolean} isStrict @param {number} [excused] how many of the skipped are such suites
 * @returns {0 | 1}
 */
export function exitCodeOf(tally, isStrict, excused = 0) {
  const isEmpty = tally.passed + tally.skipped === 0;
  return tally.failed > 0 || isEmpty || (isStrict && tally.skipped > excused) ? 1 : 0;
}

/**
 * @param {readonly {name: string, tally: Tally, seconds: number, note: string}[]} rows
 * @returns {string}
 */
export function table(rows) {
  const head = ['suite', 'passed', 'failed', 'skipped', 'seconds', ''];
  const body = rows.map(({ name, tally, seconds, note }) => [
    name,
    ...[tally.passed, tally.failed, tally.skipped].map(String),
    seconds.toFixed(1),
    note,
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column].length)));
  const line = (/** @type {string[]} */ row) =>
    row
      .map((cell, column) => {
        const isText = column === 0 || column === row.length - 1;
        return isText ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
      })
      .join('  ')
      .trimEnd();
  return [head, ...body].map(line).join('\n');
}
