import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isForegroundStat } from '../../scripts/setup/child.mjs';
import { root } from '../../scripts/setup/paths.mjs';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'child-'));
  const module = pathToFileURL(join(root, 'scripts', 'setup', 'child.mjs')).href;
  writeFileSync(
    join(folder, 'parent.mjs'),
    `import { runInPlace } from ${JSON.stringify(module)};
// What arrives at once here is so by the clock of the script, however long the system takes to bring the second.
if (process.argv[3] === 'clock-stands') Date.now = () => 1e12;
process.exitCode = await runInPlace(process.execPath, ['-e', process.argv[2]]);`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the script that runs `code` in its place. Being detached, it has no access to the test's terminal. */
const start = (code, ...more) =>
  spawn(process.execPath, [join(folder, 'parent.mjs'), code, ...more], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const ended = (child) => new Promise((done) => child.once('close', (code) => done(code)));
const printed = (child) => new Promise((done) => child.stdout.once('data', (chunk) => done(String(chunk).trim())));

describe('a program that a script runs', () => {
  it('has its output and exit code passed on', async () => {
    const child = start('console.log("out"); process.exitCode = 7');
    const [text, code] = await Promise.all([printed(child), ended(child)]);
    expect({ text, code }).toEqual({ text: 'out', code: 7 });
  });

  it('gets one interrupt, even if it arrives twice, and is waited for', async () => {
    const child = start(
      `let count = 0; process.on('SIGINT', () => { count += 1; setTimeout(() => process.exit(100 + count), 400) });
       console.log('ready'); setInterval(() => {}, 1000)`,
      'clock-stands',
    );
    await printed(child);
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await ended(child)).toBe(101);
  });

  // Catches: `kill -9` of `npm start`, after which the program went on.
  it('is told when the script is killed', async () => {
    const child = start(
      `process.on('disconnect', () => { console.log('alone'); process.exit() });
       console.log('ready'); setInterval(() => {}, 1000)`,
    );
    await printed(child);
    const last = printed(child);
    child.kill('SIGKILL');
    expect(await last).toBe('alone');
  });

  it("that a signal ends gives 128 plus the signal's number", async () => {
    expect(await ended(start(`process.kill(process.pid, 'SIGKILL')`))).toBe(137);
  });
});

describe('the check for a foreground job', () => {
  it('tells one from a background job and from a process without a terminal', () => {
    // PID (name) state parent processGroup session terminal terminalGroup …
    expect(isForegroundStat('42 (node) S 1 42 42 34816 42 0')).toBe(true);
    expect(isForegroundStat('42 (a) b (c) S 1 40 40 34816 40 0')).toBe(true);
    expect(isForegroundStat('42 (node) S 1 42 42 34816 99 0')).toBe(false);
    expect(isForegroundStat('42 (node) S 1 42 42 0 -1 0')).toBe(false);
  });
});
