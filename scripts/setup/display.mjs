import { start } from './run.mjs';

/**
 * Starts a virtual display (Xvfb).
 * @returns {Promise<{ok: true, display: string, stop: () => Promise<void>} | {ok: false, message: string}>}
 */
export function startDisplay() {
  return new Promise((done) => {
    // Xvfb picks a free number itself and writes it to file descriptor 3.
    const args = ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'];
    const server = start('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    if (server === undefined) return done({ ok: false, message: 'Xvfb is not installed' });
    const stop = () =>
      new Promise((ended) => {
        server.once('exit', () => ended(undefined));
        server.kill();
      });
    server.stdio[3]?.once('data', (chunk) => done({ ok: true, display: `:${String(chunk).trim()}`, stop }));
    server.once('error', (error) => done({ ok: false, message: `Xvfb does not start: ${error.message}` }));
    server.once('exit', (code) => done({ ok: false, message: `Xvfb ended with ${code}` }));
  });
}
