import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureShellBuilt, shellBuild } from './build.mjs';
import { startDisplay } from './display.mjs';
import { findDaemon, findDocker, startDocker } from './docker.mjs';
import { hasDisplay } from './electron.mjs';
import { findCard } from './card.mjs';
import { ensureElectronShell } from './electron-shell.mjs';
import { findProgram } from './find-program.mjs';
import { ensureLlamaServer } from './llama-server.mjs';
import { ensureModel } from './models.mjs';
import { ensureOllama } from './ollama.mjs';
import { root } from './paths.mjs';
import { capture, has } from './run.mjs';
import { ensureSandboxImage } from './sandbox-image.mjs';
import { say } from './say.mjs';
import { ensurePackages, packagesFor } from './system.mjs';

/**
 * What came of a need. `env` is what its suites find in their environment, and no other suite.
 * @typedef {{ok: true, env?: NodeJS.ProcessEnv} | {ok: false, message: string}} Met
 */

/** What a current Chromium is called, by who packs it. */
const chromiumNames = ['chromium', 'google-chrome', 'chromium-browser'];

/**
 * Provides what suites need, each need at most once, and one after the other: two installations of packages would stand
 * in each other's way.
 * @param {{node24: string, mayChangeSystem: boolean, env: NodeJS.ProcessEnv}} options
 *   `env` is the environment that all suites begin with
 * @returns {{meet: (need: string) => Promise<Met>, stop: () => Promise<void>}}
 *   `stop` waits for the need that is being met, meets no other, and ends only what was started here
 */
export function createNeeds({ node24, mayChangeSystem, env }) {
  /** @type {Map<string, Promise<Met>>} */
  const met = new Map();
  /** @type {(() => Promise<void>)[]} */
  const stops = [];
  const context = { node24, allowed: mayChangeSystem, env, stops };
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  let isStopped = false;
  const bringNext = async (/** @type {string} */ need, /** @type {Promise<unknown>} */ before) => {
    await before;
    return isStopped ? { ok: false, message: `${need} was not set up: the tests were stopped` } : bring(need, context);
  };
  return {
    meet(need) {
      const known = met.get(need);
      if (known !== undefined) return known;
      const brought = bringNext(need, last);
      met.set(need, brought);
      last = brought.catch(() => undefined);
      return brought;
    },
    async stop() {
      isStopped = true;
      await last;
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}

/**
 * @param {string} need
 * @param {{node24: string, allowed: boolean, env: NodeJS.ProcessEnv, stops: (() => Promise<void>)[]}} context
 * @returns {Promise<Met>}
 */
async function bring(need, context) {
  if (need.startsWith('model:')) return ensureModel(context.node24, need.slice('model:'.length));
  switch (need) {
    case 'build':
      return ensureBuilt(context.node24);
    case 'docker':
      return bringDocker(context);
    case 'podman':
      return bringBeside(context, { programs: ['podman'], packages: packagesFor.podman, what: 'with Podman' });
    case 'rootless':
      return bringBeside(context, {
        programs: ['rootlesskit', 'newuidmap'],
        packages: packagesFor.rootless,
        what: 'with engines without root',
      });
    case 'case-blind':
      return bringBeside(context, {
        programs: ['mkfs.exfat', 'mount.exfat-fuse', 'losetup'],
        packages: packagesFor.caseBlind,
        what: 'on a disk that does not tell capital letters apart',
      });
    case 'image':
      return bringImage(context);
    case 'electron':
      return bringElectron(context);
    case 'chromium':
      return bringChromium(context);
    case 'display':
      return bringDisplay(context);
    case 'keyring':
      return bringKeyring(context);
    case 'ollama':
      return bringServer(context, ensureOllama, 'DEWPOINT_TEST_OLLAMA');
    case 'llama-server':
      return bringServer(context, ensureLlamaServer, 'DEWPOINT_TEST_LLAMA_SERVER');
    case 'pytest':
      return bringPytest(context);
    case 'card':
      return findCard();
    case 'card-library':
      return bringCardLibrary(context);
    default:
      return { ok: false, message: `no setup is known for "${need}"` };
  }
}

/** @param {{allowed: boolean, stops: (() => Promise<void>)[]}} context @returns {Promise<Met>} */
async function bringDocker({ allowed, stops }) {
  const running = findDocker();
  if (running.ok) return running;
  if (!findDaemon() || !has('docker')) {
    const installed = await ensurePackages(packagesFor.docker, { allowed });
    if (!installed.ok) return installed;
  }
  if (!allowed) return { ok: false, message: `${running.message}, or run "npm test -- --setup-system"` };
  const started = await startDocker();
  if (started.ok && started.stop) stops.push(started.stop);
  return started;
}

// Installs these programs without starting them: the tests start their own. If they are missing, only those tests are
// skipped, except in CI, where the suite fails.
/**
 * @param {{allowed: boolean, env: NodeJS.ProcessEnv}} context
 * @param {{programs: readonly string[], packages: readonly string[], what: string}} engine
 * @returns {Promise<Met>}
 */
async function bringBeside({ allowed, env }, { programs, packages, what }) {
  if (process.platform !== 'linux' || programs.every(has)) return { ok: true };
  const installed = await ensurePackages(packages, { allowed });
  if (installed.ok || env.DEWPOINT_TEST_STRICT) return installed;
  say(`the tests ${what} are skipped: ${installed.message}`);
  return { ok: true };
}

/** @param {{allowed: boolean}} context @returns {Promise<Met>} */
async function bringImage({ allowed }) {
  const first = await ensureSandboxImage();
  if (first.ok || !allowed || process.platform !== 'linux') return first;
  const installed = await ensurePackages(packagesFor.image, { allowed });
  return installed.ok ? ensureSandboxImage() : first;
}

/** @param {{allowed: boolean}} context @returns {Promise<Met>} */
async function bringPytest({ allowed }) {
  const isThere = () => capture('python3', ['-c', 'import pytest']).ok;
  if (isThere()) return { ok: true };
  const installed = await ensurePackages(packagesFor.pytest, { allowed });
  if (!installed.ok || isThere()) return installed;
  return { ok: false, message: 'the python3 of the search path has no pytest: python3 -m pip install pytest' };
}

// The tests start a keyring and a bus of their own and leave the user's alone.
/** @param {{allowed: boolean}} context @returns {Promise<Met>} */
async function bringKeyring({ allowed }) {
  if (process.platform !== 'linux') return { ok: false, message: 'gnome-keyring is tested on Linux only' };
  return ensurePackages(packagesFor.keyring, { allowed });
}

// A missing server skips the whole suite only where it may be built. Elsewhere only the tests of that server are
// skipped.
/**
 * @param {{allowed: boolean}} context
 * @param {typeof ensureOllama} ensure
 * @param {string} variable
 * @returns {Promise<Met>}
 */
async function bringServer({ allowed }, ensure, variable) {
  const server = await ensure({ allowed });
  if (server.ok) return { ok: true, env: { [variable]: server.path } };
  if (allowed) return server;
  say(server.message);
  return { ok: true };
}

// Downloads 30 to 190 MB into the cache. A Mac's engine needs nothing more.
/** @param {{node24: string}} context @returns {Promise<Met>} */
async function bringCardLibrary({ node24 }) {
  const card = findCard();
  if (!card.ok || card.kind === 'metal') return card;
  return ensureModel(node24, 'engine/auto');
}

// Uses Electron itself if it is already downloaded, else the test shell.
/** @param {{node24: string, allowed: boolean, env: NodeJS.ProcessEnv}} context @returns {Promise<Met>} */
async function bringElectron({ node24, allowed, env }) {
  if (process.platform === 'linux') {
    const installed = await ensurePackages(packagesFor.electron, { allowed });
    if (!installed.ok) return installed;
  }
  const isFetched = existsSync(join(root, 'node_modules', 'electron', 'path.txt'));
  if (env.DEWPOINT_TEST_SHELL === '0' || (isFetched && env.DEWPOINT_TEST_SHELL !== '1'))
    return { ok: true, env: { DEWPOINT_TEST_SHELL: '0' } };
  const shell = await ensureElectronShell();
  if (!shell.ok) return shell;
  const built = await ensureShellBuilt(node24);
  if (!built.ok) return built;
  return {
    ok: true,
    env: { DEWPOINT_TEST_SHELL: '1', ELECTRON_OVERRIDE_DIST_PATH: shell.dist, DEWPOINT_OUT: shellBuild },
  };
}

// A current browser engine, for what the test shell is too old to fail at. Without it, only those tests are skipped,
// except in CI, where the suite fails.
/** @param {{allowed: boolean, env: NodeJS.ProcessEnv}} context @returns {Promise<Met>} */
async function bringChromium({ allowed, env }) {
  const find = () => env.DEWPOINT_TEST_CHROMIUM ?? chromiumNames.map((name) => findProgram(name)).find(Boolean);
  if (!find() && process.platform === 'linux') {
    const installed = await ensurePackages(packagesFor.chromium, { allowed });
    if (!installed.ok && env.DEWPOINT_TEST_STRICT) return installed;
    if (!installed.ok) say(`the tests in a current Chromium are skipped: ${installed.message}`);
  }
  const found = find();
  if (found) return { ok: true, env: { DEWPOINT_TEST_CHROMIUM: found } };
  return env.DEWPOINT_TEST_STRICT ? { ok: false, message: 'Chromium was not found' } : { ok: true };
}

/** @param {{env: NodeJS.ProcessEnv, stops: (() => Promise<void>)[]}} context @returns {Promise<Met>} */
async function bringDisplay({ env, stops }) {
  // Where there is Xvfb, the user's own display is left alone: test windows would steal the focus.
  const started = process.platform === 'linux' ? await startDisplay() : undefined;
  if (!started) return { ok: true };
  if (!started.ok) return hasDisplay(env) ? { ok: true } : started;
  stops.push(started.stop);
  return { ok: true, env: { DISPLAY: started.display, WAYLAND_DISPLAY: undefined } };
}
