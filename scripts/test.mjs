// npm test [-- SUITE…]: installs what the tests need and runs the suites in order. Plain Node 20 without packages. The
// last line is always "N passed, N failed, N skipped".
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { ensureInstalled } from './setup/install.mjs';
import { createNeeds } from './setup/needs.mjs';
import { cacheDir, root } from './setup/paths.mjs';
import { say } from './setup/say.mjs';
import {
  exitCodeOf,
  filesToRunAgain,
  oneOf,
  sum,
  sumLine,
  table,
  tallyOfReport,
  tallyOfTwoRuns,
} from './setup/tally.mjs';
import { parseTestOptions, testHelp } from './setup/test-options.mjs';
import { suites } from './setup/test-suites.mjs';

/**
 * The suite that runs now, so that an interrupt can end it. @type {import('node:child_process').ChildProcess |
 * undefined}
 */
let running;
let isInterrupted = false;

process.exitCode = await main();

async function main() {
  const options = parseTestOptions(process.argv.slice(2), process.env);
  if (!options.ok) {
    say(options.message);
    return 2;
  }
  if (options.isHelp) {
    process.stdout.write(`${testHelp}\n`);
    return 0;
  }
  const installed = await ensureInstalled();
  if (!installed.ok) {
    say(installed.message);
    process.stdout.write(`${sumLine(oneOf('failed'))}\n`);
    return 1;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'dewpoint-test-'));
  const env = testEnvironment(installed.node24, scratch, options.isStrict);
  const needs = createNeeds({ node24: installed.node24, mayChangeSystem: options.mayChangeSystem, env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
  const rows = [];
  try {
    for (const suite of suites.filter(({ name }) => options.chosen.includes(name))) {
      if (isInterrupted) break;
      rows.push(await runSuite(suite, { node24: installed.node24, needs, env, scratch, isStrict: options.isStrict }));
    }
  } finally {
    await needs.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
  return report(rows, options.isStrict);
}

// Keeps tests away from the user's home, and from API keys that would cost money.
/** @param {string} node24 @param {string} scratch @param {boolean} isStrict @returns {NodeJS.ProcessEnv} */
function testEnvironment(node24, scratch, isStrict) {
  const entries = Object.entries(process.env).filter(([name]) => !name.endsWith('_API_KEY'));
  return {
    ...Object.fromEntries(entries),
    PATH: `${dirname(node24)}${delimiter}${process.env.PATH ?? ''}`,
    DEWPOINT_HOME: join(scratch, 'home'),
    DEWPOINT_CACHE: cacheDir(),
    ...(isStrict ? { DEWPOINT_TEST_STRICT: '1' } : {}),
  };
}

/**
 * @typedef {{node24: string, needs: ReturnType<typeof createNeeds>, env: NodeJS.ProcessEnv, scratch: string, isStrict: boolean}} Context
 * @param {(typeof suites)[number]} suite
 * @param {Context} context
 */
async function runSuite(suite, context) {
  process.stdout.write(`\n== ${suite.name}\n`);
  const started = Date.now();
  const row = (/** @type {import('./setup/tally.mjs').Tally} */ tally, note = '') => {
    return { name: suite.name, tally, seconds: (Date.now() - started) / 1000, note };
  };
  for (const need of suite.needs) {
    const met = await context.needs.meet(need);
    if (met.ok) continue;
    // A program that does not build is broken on every machine.
    const isExcused = need === suite.mayLack;
    const result = (context.isStrict || need === 'build') && !isExcused ? 'failed' : 'skipped';
    process.stdout.write(`${suite.name} ${result}: ${met.message}\n`);
    return { ...row(oneOf(result), met.message.split('\n')[0]), isExcused };
  }
  if (suite.check) {
    for (const [program, ...args] of suite.check) {
      const ended = await run(context, [join(root, 'node_modules', program), ...args], suite.minutes);
      if (!ended.ok) return row(oneOf('failed'), ended.note);
    }
    return row(oneOf('passed'));
  }
  return runVitest(suite, context, row);
}

/**
 * @template T
 * @param {(typeof suites)[number]} suite
 * @param {Context} context
 * @param {(tally: import('./setup/tally.mjs').Tally, note?: string) => T} row
 */
async function runVitest(suite, context, row) {
  const first = await vitest(suite, context, []);
  if (!first.report) return row(oneOf('failed'), first.ended.note || 'no report was written');
  const again = suite.runsAgain && !isInterrupted ? filesToRunAgain(first.report) : [];
  if (again.length === 0 || first.ended.note) return row(tallyOfReport(first.report, first.ended.ok), first.ended.note);
  say(`once more, alone: ${again.map((path) => basename(path)).join(', ')}`);
  const second = await vitest(suite, context, again);
  if (!second.report) return row(tallyOfReport(first.report, first.ended.ok), 'the second try wrote no report');
  const { tally, secondTry } = tallyOfTwoRuns(first.report, second.report, second.ended.ok);
  const note = secondTry.length > 0 ? `${secondTry.length} passed on the second try` : second.ended.note;
  return { ...row(tally, note), secondTry };
}

/** @param {(typeof suites)[number]} suite @param {Context} context @param {readonly string[]} files empty means all */
async function vitest(suite, context, files) {
  const file = join(context.scratch, `${suite.name}.json`);
  rmSync(file, { force: true });
  const args = ['run', '--project', suite.name, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const ended = await run(context, [program, ...args, ...files], suite.minutes);
  try {
    return { ended, report: JSON.parse(readFileSync(file, 'utf8')) };
  } catch {
    return { ended, report: null };
  }
}

/**
 * @param {Context} context @param {readonly string[]} args @param {number} minutes
 * @returns {Promise<{ok: boolean, note: string}>}
 */
function run({ node24, env }, args, minutes) {
  return new Promise((done) => {
    // The suite gets its own process group, so that a hanging one ends with everything it started.
    const isGroup = process.platform !== 'win32';
    const child = spawn(node24, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'], detached: isGroup });
    running = child;
    let note = '';
    const timer = setTimeout(() => {
      note = `killed after ${minutes} minutes`;
      endGroup(child, 'SIGKILL');
    }, minutes * 60_000);
    const end = (/** @type {boolean} */ ok, /** @type {string} */ why) => {
      clearTimeout(timer);
      running = undefined;
      done({ ok, note: note || why });
    };
    child.on('error', (error) => end(false, error.message));
    child.on('close', (code) => end(code === 0, ''));
  });
}

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function endGroup(child, signal) {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') return void child.kill(signal);
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

function interrupt() {
  const isSecond = isInterrupted;
  isInterrupted = true;
  if (running) endGroup(running, isSecond ? 'SIGKILL' : 'SIGTERM');
}

/** @param {readonly {name: string, tally: import('./setup/tally.mjs').Tally, seconds: number, note: string, isExcused?: boolean, secondTry?: readonly string[]}[]} rows @param {boolean} isStrict */
function report(rows, isStrict) {
  const total = sum(rows.map((row) => row.tally));
  process.stdout.write(`\n${table(rows)}\n`);
  if (isStrict && total.skippedNames.length > 0) {
    process.stdout.write(
      `\nCI does not allow skipped tests:\n${total.skippedNames.map((name) => `  ${name}\n`).join('')}`,
    );
  }
  // Repeats the failures at the end: a reader may have only the last lines of a long run.
  if (total.failures.length > 0) process.stdout.write(`\nfailed:\n${total.failures.join('\n')}\n`);
  const secondTry = rows.flatMap((row) => row.secondTry ?? []);
  if (secondTry.length > 0) {
    process.stdout.write(`\npassed on the second try; what was wrong the first time:\n${secondTry.join('\n')}\n`);
  }
  process.stdout.write(`\n${sumLine(total)}\n`);
  const excused = rows.filter((row) => row.isExcused).length;
  return isInterrupted ? 130 : exitCodeOf(total, isStrict, excused);
}
