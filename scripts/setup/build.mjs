import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { root } from './paths.mjs';
import { stream } from './run.mjs';
import { say, sinceText } from './say.mjs';
import { keyOfFiles, readStamp, writeStamp } from './stamp.mjs';

/** The built command line, for Node 24. */
export const cliFile = join(root, 'out', 'main', 'cli.cjs');
/** The built main of the desktop app, for Electron. */
export const appFile = join(root, 'out', 'main', 'index.cjs');

const shared = ['src', 'resources', 'package.json', 'package-lock.json', 'tsconfig.base.json'];
const bundler = ['electron.vite.config.ts', 'scripts/setup/bundle-facts.mjs', 'scripts/setup/one-byte-code.mjs'];

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
    inputs: [...shared, ...bundler],
    output: cliFile,
    target: join(root, 'out'),
    folders: ['main', 'preload', 'renderer'],
    command: (outDir) => [node24, [tool, 'build', '--logLevel', 'warn', '--outDir', outDir]],
  });
}

/** The program as it is built for the test shell (`test-shell/`). */
export const shellBuild = join(root, 'out-shell');

/**
 * Builds the program for the test shell where its sources changed since the last build.
 * @param {string} node24
 * @returns {Promise<Done>}
 */
export function ensureShellBuilt(node24) {
  const tool = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const config = 'scripts/setup/test-shell/electron.vite.config.ts';
  return ensure({
    what: 'the program for the test shell',
    inputs: [...shared, ...bundler, 'scripts/setup/test-shell'],
    output: join(shellBuild, 'main', 'index.cjs'),
    target: shellBuild,
    folders: ['main', 'preload', 'renderer'],
    command: (outDir) => [node24, [tool, 'build', '--config', config, '--logLevel', 'warn', '--outDir', outDir]],
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
    // The benchmark imports scenes, fakes and hostile lists from the tests.
    inputs: [...shared, 'tests', config, ...sources.map((name) => `bench/${name}`)],
    output: benchFile,
    target: join(root, 'out', 'bench'),
    folders: ['.'],
    command: (outDir) => [node24, [tool, 'build', '--config', config, '--logLevel', 'warn', '--outDir', outDir]],
  });
}

/**
 * @typedef {object} Step
 * @property {string} what
 * @property {readonly string[]} inputs
 * @property {string} output a file that a good build makes
 * @property {string} target where the build goes
 * @property {readonly string[]} folders of the target that hold nothing but the build
 * @property {(outDir: string) => [string, string[]]} command
 */

/** @param {Step} step @returns {Promise<Done>} */
async function ensure(step) {
  const stamp = join(step.target, '.built');
  const isFresh = () => existsSync(step.output) && readStamp(stamp) === keyOfFiles(root, step.inputs);
  if (isFresh()) return { ok: true };
  return withLock(join(root, '.cache', 'build.lock'), 'building', async () => {
    if (isFresh()) return { ok: true };
    const started = Date.now();
    // The key is taken before the build, so a change made while it runs is built the next time.
    const key = keyOfFiles(root, step.inputs);
    say(`building ${step.what}`);
    const next = join(root, 'out', '.next');
    rmSync(next, { recursive: true, force: true });
    const done = await stream(...step.command(next), { cwd: root, quiet: true });
    if (!done.ok) return { ok: false, message: `${step.what} could not be built:\n${done.output.trim()}` };
    replaceBuild(next, step.target, step.folders);
    if (!existsSync(step.output)) return { ok: false, message: `the build of ${step.what} made no ${step.output}` };
    writeStamp(stamp, key);
    say(`built in ${sinceText(started)}`);
    return { ok: true };
  });
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Moves a build over the previous one. Files that the new build does not have stay for a day, because a program that
 * runs from the old build still loads parts of it.
 * @param {string} next
 * @param {string} target
 * @param {readonly string[]} folders
 */
export function replaceBuild(next, target, folders) {
  const made = filesUnder(next);
  for (const file of made) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    renameSync(join(next, file), join(target, file));
  }
  rmSync(next, { recursive: true, force: true });
  const current = new Set(made);
  for (const file of folders.flatMap((folder) => filesUnder(target, folder))) {
    const path = join(target, file);
    if (!current.has(file) && Date.now() - statSync(path).mtimeMs > dayMs) rmSync(path);
  }
}

/** @param {string} base @param {string} [folder] @returns {string[]} paths relative to `base` */
function filesUnder(base, folder = '.') {
  const path = join(base, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(base, file) : [file];
  });
}
