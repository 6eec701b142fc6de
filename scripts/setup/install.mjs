import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { withLock } from './lock.mjs';
import { findNode24, nodePackage } from './node24.mjs';
import { root } from './paths.mjs';
import { capture, stream } from './run.mjs';
import { say, sinceText } from './say.mjs';
import { isInstalledAsLocked, keyOfText, readStamp, writeStamp } from './stamp.mjs';

const modules = join(root, 'node_modules');
const stamp = join(modules, '.dewpoint-installed');
const lockFile = join(root, 'package-lock.json');

/**
 * Installs node_modules to match package-lock.json, without running any package's scripts.
 * @returns {Promise<{ok: true, node24: string} | {ok: false, message: string}>}
 */
export async function ensureInstalled() {
  const lockText = readFileSync(lockFile, 'utf8');
  const key = keyOfText(`${process.platform} ${process.arch} ${lockText}`);
  if (readStamp(stamp) === key) return node24();
  return withLock(join(root, '.cache', 'install.lock'), 'installing packages', async () => {
    if (readStamp(stamp) === key) return node24();
    if (!isTreeComplete(lockText)) {
      const done = await install();
      if (!done.ok) return done;
    }
    const node = node24();
    if (!node.ok) return node;
    const runs = capture(node.node24, ['--version']);
    if (!runs.ok) return { ok: false, message: `${node.node24} does not run on this machine: ${runs.stderr.trim()}` };
    writeStamp(stamp, key);
    return node;
  });
}

/** @returns {{ok: true, node24: string} | {ok: false, message: string}} */
function node24() {
  const found = findNode24();
  return found.ok ? { ok: true, node24: found.path } : found;
}

/** @param {string} lockText */
function isTreeComplete(lockText) {
  const installed = join(modules, '.package-lock.json');
  if (!existsSync(installed)) return false;
  if (nodePackage && !existsSync(join(modules, nodePackage)) && lockText.includes(`node_modules/${nodePackage}"`)) {
    return false;
  }
  return isInstalledAsLocked(JSON.parse(lockText), JSON.parse(readFileSync(installed, 'utf8')));
}

/** @returns {Promise<{ok: true} | {ok: false, message: string}>} */
async function install() {
  const started = Date.now();
  say('installing packages (about a minute the first time)');
  // On Windows, `ci` would fail: it cannot delete the node.exe that runs this. `install` leaves that file alone.
  const verb = process.platform === 'win32' ? ['install', '--no-save'] : ['ci'];
  const flags = [
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
  ];
  const progress = process.stderr.isTTY ? ['--progress'] : ['--no-progress', '--loglevel=error'];
  const [command, first] = npmCommand();
  const done = await stream(command, [...first, ...verb, ...flags, ...progress], { cwd: root });
  if (!done.ok) {
    return { ok: false, message: 'the packages could not be installed (see above); the next start tries again' };
  }
  say(`packages installed in ${sinceText(started)}`);
  return { ok: true };
}

// Under `npm start`, npm says where it is itself, so it need not be on the PATH.
/** @returns {[string, string[]]} */
function npmCommand() {
  const path = process.env.npm_execpath ?? '';
  if (path.endsWith('npm-cli.js') && isAbsolute(path) && existsSync(path)) return [process.execPath, [path]];
  return ['npm', []];
}
