import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import type { Place } from './launch.ts';
import { appFlags, builtFolder, preparePlace, reload, testEnvironment } from './launch.ts';
import { servePage } from './page-kit.ts';
import { ensureShellAndDisplay } from './setup.ts';

let place: Place;
let endDisplay: () => void;

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  place = preparePlace([]);
});

afterAll(() => {
  place?.remove();
  endDisplay?.();
});

// Catches: an app that says it cannot start, and ends, because a user was quicker than its first page.
describe('the start of the app', () => {
  it.each([
    ['goes on when the page is loaded again while it loads', 'reload', 'loaded'],
    ['ends without an error when the window is closed while it loads', 'close', ''],
  ])('%s', async (_name, early, printed) => {
    // Outside of the app, the package is the path of its program.
    const electron: unknown = createRequire(import.meta.url)('electron');
    const child = spawn(String(electron), [resolve('tests/electron/early.cjs'), ...appFlags()], {
      env: {
        ...testEnvironment(place.home),
        DEWPOINT_MAIN: join(builtFolder, 'main', 'index.cjs'),
        DEWPOINT_EARLY: early,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    // A test that waits too long is given up, but goes on: its program would outlive it.
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(errors).not.toContain('dewpoint: ');
    expect([said, await ended]).toEqual([printed, 0]);
  });
});

// Catches: keys of a user who is quick, lost between the moment in which the window is drawn and the one in which it
// listens.
it('the page listens to its keys as soon as it is drawn', async () => {
  const served = await servePage(createPageCore());
  try {
    const { page } = served;
    await page.addInitScript(() => {
      new MutationObserver((_changes, watch) => {
        if (document.querySelector('aside, [aria-label="Open session list"]') === null) return;
        watch.disconnect();
        window.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, cancelable: true }));
      }).observe(document, { childList: true, subtree: true });
    });
    await reload(page);
    await page.getByPlaceholder('Search actions and sessions').waitFor();
  } finally {
    await served.close();
  }
});
