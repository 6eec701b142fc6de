import { join, resolve } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import type { Handlers } from '../../src/main/server/handlers.ts';
import { createRouter } from '../../src/main/server/router.ts';
import { startPageServer } from '../../src/main/hosts/web/page-server.ts';
import {
  appFlags,
  builtFolder,
  firstPage,
  listening,
  patienceMs,
  startElectron,
  startMs,
  testEnvironment,
} from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

export interface ServedPage {
  readonly page: Page;
  readonly url: string;
  /** What the page itself reported: errors, and what its content policy refused. */
  readonly complaints: string[];
  resize(width: number, height: number): Promise<void>;
  /** Stops the server, so that the page loses its core. */
  stopServer(): Promise<void>;
  close(): Promise<void>;
}

/** The engine of the app's own window, or the current Chromium of this machine, with the page as it ships. */
export type Engine = 'app' | 'chromium';

/** A current Chromium. Undefined: `npm test` found none, or only this file runs and the variable is not set. */
export const currentChromium = process.env.DEWPOINT_TEST_CHROMIUM;

/**
 * Serves the built page to a bare browser, on a core that a test controls, and waits until it listens. Every state of
 * the window can be set at once.
 */
export async function servePage(
  { handlers }: { readonly handlers: Handlers },
  engine: Engine = 'app',
): Promise<ServedPage> {
  const pageFolder = engine === 'app' ? join(builtFolder, 'renderer') : resolve('out/renderer');
  const server = await startPageServer(createRouter(handlers), { port: 0, pageFolder });
  const { page, resize, close } = await (engine === 'app' ? openShell() : openChromium());
  const complaints: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    // The test shell is older than this directive, which the Electron that ships knows.
    if (text.includes("Unrecognized Content-Security-Policy directive 'webrtc'")) return;
    if (message.type() === 'error') complaints.push(`${text} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(server.url);
  await listening(page);
  return {
    page,
    url: server.url,
    complaints,
    resize,
    stopServer: () => server.close(),
    close: async () => {
      await close();
      await server.close();
    },
  };
}

type Browser = Pick<ServedPage, 'page' | 'resize' | 'close'>;

async function openShell(): Promise<Browser> {
  const endDisplay = await ensureShellAndDisplay();
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-page-'));
  const env = { ...testEnvironment(folder), BROWSER_DATA: join(folder, 'browser') };
  const app = await startElectron([resolve('tests/electron/browser.cjs')], env);
  const page = await firstPage(app);
  return {
    page,
    resize: async (width, height) => {
      await app.evaluate(
        ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height),
        { width, height },
      );
      await page.waitForFunction((wanted) => window.innerWidth === wanted, width);
    },
    close: async () => {
      await app.close();
      endDisplay();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/** Without requests of its own: it is not to ask anybody anything. */
const quietFlags = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

async function openChromium(): Promise<Browser> {
  if (currentChromium === undefined) throw new Error('There is no Chromium on this machine.');
  const browser = await chromium.launch({
    executablePath: currentChromium,
    args: [...quietFlags, ...appFlags()],
    timeout: startMs,
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(patienceMs);
  return { page, resize: (width, height) => page.setViewportSize({ width, height }), close: () => browser.close() };
}

/** Opens the view of tools and loads it again. */
export async function showTools(page: Page): Promise<void> {
  const view = (name: string) => page.getByRole('navigation').getByRole('button', { name, exact: true });
  await view('Models').click();
  await view('Tools').click();
  await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
}
