import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { lockedFrames } from '../../src/main/hosts/locked-frames.ts';

/** How pages are shown: by the app without and with their scripts, and by a browser without any lock. */
export type Shown = 'quiet' | 'running' | 'unlocked';

/** The host of a page's attack: a name of its own, so that whoever is reached says which page it was. */
export const hostOf = (index: number): string => `p${index}q.evil.test`;

/**
 * Shows pages in a current Chromium, through the component and the frames of the app, and returns the numbers of those
 * that the browser opened a connection for, or looked up a host for. Everything that its network does is read from its
 * own log. Rejects if a page that is shown beside them is not drawn, or if its script runs where none may and the
 * other way round.
 */
export async function pagesThatReach(pages: readonly string[], shown: Shown): Promise<readonly number[]> {
  const executablePath = process.env.DEWPOINT_TEST_CHROMIUM;
  if (executablePath === undefined) throw new Error('DEWPOINT_TEST_CHROMIUM names no Chromium');
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-frames-'));
  const log = join(folder, 'net.json');
  const code = await (built ??= hostCode());
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname;
    const [, index] = /^\/open\/(\d+)$/u.exec(path) ?? [];
    const frame = lockedFrames.get(path);
    if (frame !== undefined)
      response.writeHead(200, { ...frame.headers, 'content-type': frame.contentType }).end(frame.body);
    else if (path === '/host.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(code);
    else if (index !== undefined)
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!doctype html><body>${pages[Number(index)] ?? ''}`);
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><div id=root></div><script src=/host.js></script>');
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  // A private window, which is Playwright's usual one, takes no hints.
  const browser = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath,
    // Playwright switches off what a person's browser does by itself, hints for connections among it.
    ignoreDefaultArgs: ['--disable-background-networking', '--disable-component-update', '--disable-default-apps'],
    args: ['--no-sandbox', `--log-net-log=${log}`, '--net-log-capture-mode=Everything'],
  });
  try {
    for (let first = 0; first < pages.length; first += batch) {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}/`);
      const some = [...pages.slice(first, first + batch), witness];
      await page.evaluate(
        ([html, how, at]) => {
          if (how !== 'unlocked') return void Reflect.get(globalThis, 'show')(html, how === 'running');
          for (const [index] of html.entries()) {
            const frame = document.createElement('iframe');
            frame.src = `/open/${at + index}`;
            document.body.append(frame);
          }
        },
        [some, shown, first] as const,
      );
      if (shown !== 'unlocked') await untilShown(page, shown === 'quiet' ? 'no script ran' : 'a script ran');
      await page.waitForTimeout(1_500);
      await page.close();
    }
  } finally {
    await browser.close();
    server.close();
  }
  const found = readFileSync(log, 'utf8');
  rmSync(folder, { recursive: true, force: true });
  return pages.flatMap((_, index) => (found.includes(hostOf(index)) ? [index] : []));
}

const batch = 28;
const witness = '<p id=said>no script ran</p><script>said.textContent="a script ran"</script>';

async function untilShown(page: Page, text: string): Promise<void> {
  for (let turn = 0; turn < 150; turn += 1) {
    const shows = page
      .frames()
      .map((frame) => frame.evaluate(() => document.getElementById('said')?.textContent).catch(() => ''));
    if ((await Promise.all(shows)).includes(text)) return;
    await page.waitForTimeout(100);
  }
  throw new Error(`no frame shows "${text}"`);
}

let built: Promise<string> | undefined;

async function hostCode(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    mode: 'production',
    oxc: { jsx: { development: false } },
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { alias: { '@shared': resolve('src/shared') } },
    build: {
      write: false,
      minify: false,
      lib: { entry: resolve('tests/fakes/frame-host.tsx'), formats: ['iife'], name: 'host' },
    },
  });
  const [first] = [made].flat();
  const [chunk] = first !== undefined && 'output' in first ? first.output : [];
  if (chunk?.type !== 'chunk') throw new Error('the page that shows the frames was not built');
  return chunk.code;
}
