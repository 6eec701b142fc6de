#!/usr/bin/env node
// node scripts/package.mjs [--out FOLDER]: makes an unpacked app (electron-builder --dir) for this machine, in dist/ or
// FOLDER. Bundled packages are not shipped twice: the app gets only the packages that are loaded at run time. With
// DEWPOINT_TEST_SHELL=1 it uses the Electron of the test shell.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { builders, factsFile } from './setup/bundle-facts.mjs';
import { ensureBuilt, ensureShellBuilt, shellBuild } from './setup/build.mjs';
import { ensureElectronShell } from './setup/electron-shell.mjs';
import { ensureInstalled } from './setup/install.mjs';
import { packageClosure } from './setup/package-closure.mjs';
import { licenseTexts } from './setup/license-texts.mjs';
import {
  here,
  isPackedFile,
  isPackedPackage,
  loadedAtRunTime,
  loadedByWindow,
  platforms,
} from './setup/packed-files.mjs';
import { root } from './setup/paths.mjs';
import { capture, stream } from './setup/run.mjs';
import { say, sinceText } from './setup/say.mjs';
import { sizesText } from './setup/folder-sizes.mjs';

const isTestShell = process.env.DEWPOINT_TEST_SHELL === '1';

process.exitCode = await main();

async function main() {
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  const out = resolve(values.out ?? join(root, 'dist'));
  const started = Date.now();
  const platform = platforms[here];
  if (platform === undefined)
    return fail(`nothing is packed for ${here}: ${Object.keys(platforms).join(', ')} are known`);
  const installed = await ensureInstalled();
  if (!installed.ok) return fail(installed.message);
  const built = await (isTestShell ? ensureShellBuilt : ensureBuilt)(installed.node24);
  if (!built.ok) return fail(built.message);
  const shell = await electronFolder(out);
  if (!shell.ok) return fail(shell.message);
  const app = stage(join(out, 'staged'), platform);
  say(`packing ${app.packages} packages with the program`);
  const tool = join(root, 'node_modules', 'electron-builder', 'cli.js');
  const config = join(out, 'electron-builder.json');
  writeFileSync(config, JSON.stringify(configuration(out, shell.config, app)));
  const args = [tool, '--dir', '--projectDir', app.folder, '--config', config];
  const done = await stream(installed.node24, args, { cwd: root, quiet: true, timeoutMs: 900_000 });
  const beside = join(out, platform.packed.resources, 'app.asar.unpacked');
  if (done.ok) putBeside(app, beside);
  for (const left of [app.folder, config, join(out, 'shell')]) rmSync(left, { recursive: true, force: true });
  if (!done.ok) return fail(`it could not be packed:\n${done.output.trim()}`);
  const { node } = platform.packages;
  dropSymbols(join(beside, 'node_modules', node.package, node.file));
  say(`packed in ${sinceText(started)}\n${sizesText(join(out, platform.packed.program.split('/')[0] ?? ''))}`);
  process.stdout.write(`${join(out, platform.packed.program)}\n`);
  return 0;
}

/**
 * Finds the Electron to pack. An empty configuration lets electron-builder find the one of its package.
 * @param {string} out
 * @returns {Promise<{ok: true, config: object} | {ok: false, message: string}>}
 */
async function electronFolder(out) {
  if (!isTestShell) return { ok: true, config: {} };
  const shell = await ensureElectronShell();
  if (!shell.ok) return shell;
  const own = join(out, 'shell');
  rmSync(own, { recursive: true, force: true });
  cpSync(shell.dist, own, { recursive: true });
  // The shell's loader is for tests of a checkout. Here the program itself is the app.
  rmSync(join(own, 'resources', 'app'), { recursive: true, force: true });
  return { ok: true, config: { electronDist: own, electronVersion: '25.1.1' } };
}

/**
 * @typedef {object} App
 * @property {string} folder
 * @property {number} packages
 * @property {string[]} notOfWindow files that Electron does not load
 * @property {string[]} notOfNode files that plain Node does not load
 */

/**
 * @param {string} out
 * @param {{electronVersion?: string}} shell
 * @param {App} app
 */
function configuration(out, shell, app) {
  const config = JSON.parse(readFileSync(join(root, 'electron-builder.json'), 'utf8'));
  // This switch exists since Electron 29.
  if (shell.electronVersion !== undefined) delete config.electronFuses.grantFileProtocolExtraPrivileges;
  const files = ['**/*', ...app.notOfWindow.map((path) => `!${path}`)];
  return { ...config, ...shell, files, directories: { output: out }, extraFiles: ['NOTICE', 'LICENSES.txt'] };
}

/**
 * Puts the app together for electron-builder: the build, the files read beside it, and the packages it loads.
 * @param {string} folder
 * @param {import('./setup/packed-files.mjs').PlatformFiles} platform
 * @returns {App}
 */
function stage(folder, platform) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const copy = (/** @type {string} */ path) => cpSync(join(root, path), join(folder, path), { recursive: true });
  const from = isTestShell ? shellBuild : join(root, 'out');
  const facts = ['main', 'preload', 'renderer'].map((part) => {
    cpSync(join(from, part), join(folder, 'out', part), { recursive: true });
    return takeFacts(join(folder, 'out', part, factsFile));
  });
  for (const path of ['resources', 'scripts/setup', 'LICENSE', 'NOTICE']) copy(path);
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const shellOnly = isTestShell ? ['@photostructure/sqlite'] : [];
  const paths = packageClosure(lock, [...loadedAtRunTime(platform), ...shellOnly]).filter(
    (path) => existsSync(join(root, path)) && isPackedPackage(path, platform),
  );
  for (const path of paths) copyPackage(path, folder);
  writeFileSync(
    join(folder, 'LICENSES.txt'),
    licenseTexts(root, [...new Set([...facts.flatMap((one) => one.packages), ...builders, ...paths])]),
  );
  const { name, version, description, license, main } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // These packages go into the archive.
  const dependencies = Object.fromEntries(
    [...loadedByWindow, ...shellOnly].map((one) => [one, lock.packages[`node_modules/${one}`]?.version ?? '*']),
  );
  const author = 'The Dewpoint authors';
  // Linux desktops find the app's entry by this name, for its links and its windows.
  const desktopName = `${name}.desktop`;
  const own = { name, version, description, license, author, main, desktopName, dependencies };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  return { folder, packages: paths.length, ...splitChunks(folder, facts[0]?.files ?? {}) };
}

/**
 * Sorts the files of out/main by who loads them. What nobody loads is left of an earlier build and goes.
 * @param {string} folder
 * @param {Record<string, string[]>} entries
 */
function splitChunks(folder, { 'index.cjs': ofWindow = [], ...ofNode }) {
  const window = new Set(ofWindow);
  const node = new Set(Object.values(ofNode).flat());
  const names = readdirSync(join(folder, 'out', 'main'));
  for (const name of names) if (!window.has(name) && !node.has(name)) rmSync(join(folder, 'out', 'main', name));
  const without = (/** @type {Set<string>} */ used) =>
    [...window, ...node].filter((name) => !used.has(name)).map((name) => `out/main/${name}`);
  return { notOfWindow: without(window), notOfNode: without(node) };
}

/** @param {string} file @returns {import('./setup/bundle-facts.mjs').BundleFacts} */
function takeFacts(file) {
  const facts = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  return facts;
}

/**
 * Puts beside the archive what plain Node runs or reads, because plain Node cannot read inside it. Electron uses its
 * own copies in the archive, whose hashes it can check. Only native libraries, which no archive can hold, are shared.
 * @param {App} app
 * @param {string} beside
 */
function putBeside(app, beside) {
  const notOfNode = [...app.notOfNode, 'out/preload'].map((path) => join(app.folder, path));
  const filter = (/** @type {string} */ from, /** @type {string} */ to) =>
    !notOfNode.includes(from) && (statSync(from).isDirectory() || !existsSync(to));
  for (const path of ['out', 'resources', 'scripts', 'node_modules'])
    cpSync(join(app.folder, path), join(beside, path), { recursive: true, filter });
}

/** Node comes with 18 MB of names for debuggers on Linux. @param {string} program */
function dropSymbols(program) {
  if (process.platform !== 'linux') return;
  const done = capture('strip', ['--strip-unneeded', program]);
  if (!done.ok) say(`Node keeps its debug symbols (18 MB): ${done.stderr.trim()}`);
}

/** @param {string} path @param {string} folder */
function copyPackage(path, folder) {
  const from = join(root, path);
  const nested = join(from, 'node_modules');
  const filter = (/** @type {string} */ file) =>
    file !== nested && !file.startsWith(nested + sep) && isPackedFile(file.replaceAll('\\', '/'), here);
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  cpSync(from, join(folder, path), { recursive: true, filter });
}

/** @param {string} message */
function fail(message) {
  say(message);
  return 1;
}
