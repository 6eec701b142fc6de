import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { _electron } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Place } from './launch.ts';
import { appFlags, builtFolder, keepScreenshot, preparePlace, testEnvironment } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

let place: Place;
let server: ChildProcess;
let url = '';
let app: ElectronApplication;
let page: Page;
let endDisplay: () => void;

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  place = preparePlace([{ text: 'It uses 8123.' }]);
  server = await startServe();
  const env = { ...testEnvironment(place.home), BROWSER_DATA: join(place.home, 'browser') };
  app = await _electron.launch({ args: [resolve('tests/electron/browser.cjs'), ...appFlags()], env });
  page = await app.firstWindow();
});

afterAll(async () => {
  await app?.close();
  await stop(server);
  place?.remove();
  endDisplay?.();
});

/** The built command line on a port of its choice; `url` is what it prints. */
async function startServe(port = '0'): Promise<ChildProcess> {
  const args = [join(builtFolder, 'main', 'cli.cjs'), 'serve', '--port', port, '--root', place.project];
  const child = spawn(process.execPath, args, { env: testEnvironment(place.home), stdio: ['ignore', 'pipe', 'pipe'] });
  url = await new Promise<string>((found, failed) => {
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout.once('data', (chunk: Buffer) => found(chunk.toString().trim()));
    child.once('exit', (code) => failed(new Error(`serve ended with ${code}: ${errors}`)));
  });
  return child;
}

async function stop(child: ChildProcess | undefined): Promise<number | null> {
  if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null;
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  child.kill('SIGINT');
  return ended;
}

it('shows the same page in a browser, over a socket', async () => {
  await page.goto(url);
  await page.getByRole('textbox', { name: 'Task' }).fill('Which port does main.py use?');
  await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
  await page.getByRole('checkbox', { name: /Plan only/u }).check();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('[data-outcome]').getByText('It uses 8123.').waitFor();
  expect(page.url()).not.toContain('token');
  await page.reload();
  await page.locator('[data-outcome]').getByText('It uses 8123.').waitFor();
  await keepScreenshot(page, 'browser');
});

it('says so when the server has gone, and that a new one needs its own address', async () => {
  const port = new URL(url).port;
  expect(await stop(server)).toBe(0);
  await page.getByText('The connection to Dewpoint is gone').waitFor();
  expect(await page.locator('[data-outcome]').innerText()).toContain('It uses 8123.');
  server = await startServe(port);
  await page.getByText('This address lacks its token').waitFor();
  await page.goto('about:blank');
  await page.goto(url);
  await page.locator('[data-outcome]').getByText('It uses 8123.').waitFor();
});

it('gives a page without the token nothing but itself', async () => {
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(new URL('/', url).href);
  await page.getByText('This address lacks its token').waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);
});
