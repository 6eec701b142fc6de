// npm run bench -- NAME ARGS: installs what the benchmark needs, builds it and runs it.
import { ensureBenchBuilt, benchFile, ensureBuilt } from './setup/build.mjs';
import { runInPlace } from './setup/child.mjs';
import { findDocker } from './setup/docker.mjs';
import { ensureInstalled } from './setup/install.mjs';
import { nodeFlags } from './setup/node24.mjs';
import { ensureSandboxImage } from './setup/sandbox-image.mjs';
import { say } from './setup/say.mjs';

process.exitCode = await main();

async function main() {
  const installed = await ensureInstalled();
  if (!installed.ok) return fail(installed.message);
  for (const build of [ensureBuilt, ensureBenchBuilt]) {
    const built = await build(installed.node24);
    if (!built.ok) return fail(built.message, 1);
  }
  // Some figures need no sandbox. Those that do report a missing image themselves.
  if (findDocker().ok) {
    const image = await ensureSandboxImage();
    if (!image.ok) say(image.message);
  }
  // Uses the flags of the program, so that memory growth is measured under the same conditions.
  return runInPlace(installed.node24, [...nodeFlags, benchFile, ...process.argv.slice(2)]);
}

/** @param {string} message @param {number} [code] */
function fail(message, code = 5) {
  say(message);
  return code;
}
