import { execFileSync, spawn } from 'node:child_process';

/** Whether the tests run in the older Electron of `scripts/setup/test-shell`. */
export function isTestShell(): boolean {
  return process.env.DEWPOINT_TEST_SHELL !== '0';
}

/** Provides what `npm test` normally sets up, when these tests run alone. Returns a function that ends it. */
export async function ensureShellAndDisplay(): Promise<() => void> {
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH === undefined && isTestShell()) {
    const shell = execFileSync(process.execPath, ['scripts/setup/electron-shell.mjs'], { encoding: 'utf8' });
    process.env.ELECTRON_OVERRIDE_DIST_PATH = shell.trim();
  }
  if (process.platform !== 'linux' || process.env.DISPLAY !== undefined) return () => undefined;
  const args = ['-displayfd', '1', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const number = await new Promise<string>((resolve, reject) => {
    server.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    server.once('error', reject);
  });
  process.env.DISPLAY = `:${number}`;
  return () => {
    server.kill();
    delete process.env.DISPLAY;
  };
}
