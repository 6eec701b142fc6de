// npm run dev: opens the window from its sources. A change of the page shows at once; a change of the core restarts it.
import { join } from 'node:path';
import { runInPlace } from './setup/child.mjs';
import { ensureElectron, hasDisplay } from './setup/electron.mjs';
import { ensureInstalled } from './setup/install.mjs';
import { root } from './setup/paths.mjs';
import { say } from './setup/say.mjs';

process.exitCode = await main();

/** @returns {Promise<number>} */
async function main() {
  const installed = await ensureInstalled();
  if (!installed.ok) return fail(installed.message);
  if (!hasDisplay()) {
    return fail('no display was found. For the page alone, run: npx vite --config tests/gallery/vite.config.ts');
  }
  const electron = await ensureElectron(installed.node24);
  if (!electron.ok) return fail(electron.message);
  const program = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const isTestShell = process.env.DEWPOINT_TEST_SHELL === '1';
  const config = isTestShell ? ['--config', 'scripts/setup/test-shell/electron.vite.config.ts'] : [];
  const flags = isTestShell ? ['--', '--no-sandbox', '--disable-gpu'] : [];
  const env = { ...process.env, ELECTRON_EXEC_PATH: electron.path };
  return runInPlace(installed.node24, [program, 'dev', '--watch', ...config, ...flags], { cwd: root, env });
}

/** @param {string} message */
function fail(message) {
  say(message);
  return 5;
}
