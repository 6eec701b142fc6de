// npm test [-- all | SUITE…]: installs what the tests need and runs the suites in order. Plain Node 20 without packages.
// The last line is always "N passed, N failed, N skipped".
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ensureInstalled } from './setup/install.mjs';
import { createNeeds } from './setup/needs.mjs';
import { cacheDir, root } from './setup/paths.mjs';
import { endStreams } from './setup/run.mjs';
import { say } from './setup/say.mjs';
import { leavingOut, setAside } from './setup/set-aside.mjs';
import { makeSuiteCache, removeOldSuiteCaches, suiteCacheName } from './setup/suite-cache.mjs';
import { exitCodeOf, oneOf, sum, sumLine, table, tallyOfReport, withoutSetAside } from './setup/tally.mjs';
import { parseTestOptions, testHelp } from './setup/test-options.mjs';

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
  removeOldSuiteCaches(cacheDir());
  const env = testEnvironment(installed.node24, scratch, options.isStrict);
  const needs = createNeeds({ node24: installed.node24, mayChangeSystem: options.mayChangeSystem, env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
  const rows = [];
  try {
    // Downloads and builds for the later suites go on while the earlier ones run.
    for (const need of options.chosen.flatMap((suite) => suite.needs)) needs.meet(need).catch(() => undefined);
    for (const suite of options.chosen) {
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
    ...(isStrict ? { DEWPOINT_TEST_STRICT: '1' } : {}),
  };
}

/**
 * @typedef {import('./setup/test-suites.mjs').Suite & {files?: readonly string[]}} Suite `files`: only these
 * @typedef {{node24: string, needs: ReturnType<typeof createNeeds>, env: NodeJS.ProcessEnv, scratch: string, isStrict: boolean}} Context
 * @typedef {{name: string, tally: import('./setup/tally.mjs').Tally, seconds: number, note: string, isExcused?: boolean, setAside?: typeof setAside}} Row
 */

/** @param {Suite} suite @param {Context} context @returns {Promise<Row>} */
async function runSuite(suite, context) {
  process.stdout.write(`\n== ${suite.name}${suite.files ? `: ${suite.files.join(' ')}` : ''}\n`);
  const started = Date.now();
  const row = (/** @type {import('./setup/tally.mjs').Tally} */ tally, note = '') => {
    return { name: suite.name, tally, seconds: (Date.now() - started) / 1000, note };
  };
  const found = {};
  for (const need of suite.needs) {
    const met = await context.needs.meet(need);
    if (met.ok) {
      Object.assign(found, met.env);
      continue;
    }
    // A program that does not build is broken on every machine.
    const isExcused = need === suite.mayLack;
    const result = (context.isStrict || need === 'build') && !isExcused ? 'failed' : 'skipped';
    process.stdout.write(`${suite.name} ${result}: ${met.message}\n`);
    return { ...row(oneOf(result), met.message.split('\n')[0]), isExcused };
  }
  const cache = makeSuiteCache(suite.needs, { cache: cacheDir(), name: suiteCacheName(suite.name) });
  const env = { ...context.env, ...found, DEWPOINT_CACHE: cache };
  try {
    if (!suite.check) return await runVitest(suite, { ...context, env }, row);
    for (const [program, ...args] of suite.check) {
      const ended = await run({ ...context, env }, [join(root, 'node_modules', program), ...args], suite.minutes);
      if (!ended.ok) return row(oneOf('failed'), ended.note);
    }
    return row(oneOf('passed'));
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/**
 * @param {Suite} suite
 * @param {Context} context
 * @param {(tally: import('./setup/tally.mjs').Tally, note?: string) => Row} row
 * @returns {Promise<Row>}
 */
async function runVitest(suite, context, row) {
  const aside = suite.files ? [] : setAside.filter((entry) => entry.suite === suite.name);
  const file = join(context.scratch, `${suite.name}.json`);
  const args = ['run', '--project', suite.name, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const ended = await run(context, [program, ...args, ...leavingOut(aside), ...(suite.files ?? [])], suite.minutes);
  try {
    const tally = tallyOfReport(JSON.parse(readFileSync(file, 'utf8')), ended.ok);
    return { ...row(withoutSetAside(tally, aside), ended.note), setAside: aside };
  } catch {
    return row(oneOf('failed'), ended.note || 'no report was written');
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
  endStreams();
  if (running) endGroup(running, isSecond ? 'SIGKILL' : 'SIGTERM');
}

/** @param {readonly Row[]} rows @param {boolean} isStrict */
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
  const aside = rows.flatMap((row) => row.setAside ?? []);
  process.stdout.write(`\nset aside: ${aside.length}\n`);
  for (const { suite, test, reason, since } of aside) {
    process.stdout.write(`  ${suite}: ${test}\n    since ${since}: ${reason}\n`);
  }
  process.stdout.write(`\n${sumLine(total)}\n`);
  const excused = rows.filter((row) => row.isExcused).length;
  return isInterrupted ? 130 : exitCodeOf(total, isStrict, excused);
}
