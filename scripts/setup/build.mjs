import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { root } from './paths.mjs';
import { stream } from './run.mjs';
import { say, sinceText } from './say.mjs';
import { keyOfFiles, readStamp, writeStamp } from './stamp.mjs';

/** The built command line, for Node 24. */
export const cliFile = join(root, 'out', 'main', 'cli.cjs');
/** The built main of the desktop app, for Electron. */
export const appFile = join(root, 'out', 'main', 'index.cjs');

const shared = ['src', 'resources', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** @typedef {{ok: true} | {ok: false, message: string}} Done */

/**
 * Builds the program where its sources changed since the last build.
 * @param {string} node24
 * @returns {Promise<Done>}
 */
export function ensureBuilt(node24) {
  const tool = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  return ensure({
    what: 'the program',
    inputs: [...shared, 'electron.vite.config.ts'],
    output: cliFile,
    stamp: join(root, 'out', '.built'),
    command: [node24, [tool, 'build', '--logLevel', 'warn']],
  });
}

/** The built benchmark. */
export const benchFile = join(root, 'out', 'bench', 'main.mjs');

/**
 * Builds the benchmark where its sources changed since the last build.
 * @param {string} node24
 * @returns {Promise<Done>}
 */
export function ensureBenchBuilt(node24) {
  const tool = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const config = 'scripts/setup/bench.vite.config.mjs';
  const sources = readdirSync(join(root, 'bench')).filter((name) => name !== 'results');
  return ensure({
    what: 'the benchmark',
    inputs: [...shared, config, ...sources.map((name) => `bench/${name}`)],
    output: benchFile,
    stamp: join(root, 'out', '.built-bench'),
    command: [node24, [tool, 'build', '--config', config, '--logLevel', 'warn']],
  });
}

/**
 * @param {{what: string, inputs: readonly string[], output: string, stamp: string, command: [string, string[]]}} step
 * @returns {Promise<Done>}
 */
async function ensure({ what, inputs, output, stamp, command }) {
  const isFresh = () => existsSync(output) && readStamp(stamp) === keyOfFiles(root, inputs);
  if (isFresh()) return { ok: true };
  return withLock(join(root, '.cache', 'build.lock'), 'building', async () => {
    if (isFresh()) return { ok: true };
    const started = Date.now();
    // Taken before the build: what changes while it runs is built the next time.
    const key = keyOfFiles(root, inputs);
    say(`building ${what}`);
    const done = await stream(command[0], command[1], { cwd: root, quiet: true });
    if (!done.ok || !existsSync(output)) {
      return { ok: false, message: `${what} could not be built:\n${done.output.trim()}` };
    }
    writeStamp(stamp, key);
    say(`built in ${sinceText(started)}`);
    return { ok: true };
  });
}
