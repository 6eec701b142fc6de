#!/usr/bin/env node
// npm start -- ARGS: installs what the program needs, builds it if its sources changed, and runs it. Plain Node 20
// without packages, because it runs before anything is installed. Its messages go to stderr; stdout belongs to the
// program.
import { join } from 'node:path';
import { appFile, cliFile, ensureBuilt, ensureShellBuilt, shellBuild } from './setup/build.mjs';
import { runInPlace } from './setup/child.mjs';
import { ensureInstalled } from './setup/install.mjs';
import { nodeFlags } from './setup/node24.mjs';
import { say } from './setup/say.mjs';

process.exitCode = await main(process.argv.slice(2));

/** @param {readonly string[]} args @returns {Promise<number>} */
async function main(args) {
  const installed = await ensureInstalled();
  if (!installed.ok) return fail(installed.message);
  const built = await ensureBuilt(installed.node24);
  if (!built.ok) return fail(built.message, 1);
  if (args.length > 0) return runInPlace(installed.node24, [...nodeFlags, cliFile, ...args]);
  return openApp(installed.node24);
}

// Opens the window if one can be shown, else the same interface in the browser.
/** @param {string} node24 @returns {Promise<number>} */
async function openApp(node24) {
  const { ensureElectron, hasDisplay } = await import('./setup/electron.mjs');
  const serve = () => runInPlace(node24, [...nodeFlags, cliFile, 'serve', '--open']);
  if (!hasDisplay()) {
    say('no display was found; opening Dewpoint in the browser');
    return serve();
  }
  const electron = await ensureElectron(node24);
  if (!electron.ok) {
    say(`${electron.message}; opening Dewpoint in the browser`);
    return serve();
  }
  const isTestShell = process.env.DEWPOINT_TEST_SHELL === '1';
  if (isTestShell) {
    const built = await ensureShellBuilt(node24);
    if (!built.ok) return fail(built.message, 1);
  }
  const file = isTestShell ? join(shellBuild, 'main', 'index.cjs') : appFile;
  const flags = isTestShell ? ['--no-sandbox', '--disable-gpu'] : [];
  const started = Date.now();
  const code = await runInPlace(electron.path, [file, ...flags]);
  // A window that never came up (missing system libraries, no working display) ends within seconds.
  if ([0, 129, 130, 143].includes(code) || Date.now() - started > 5_000) return code;
  say(`Electron ended with ${code}; opening Dewpoint in the browser`);
  return serve();
}

/** @param {string} message @param {number} [code] */
function fail(message, code = 5) {
  say(message);
  return code;
}
