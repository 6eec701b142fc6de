import { join, resolve } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Page } from 'playwright-core';
import { _electron } from 'playwright-core';
import type { Handlers } from '../../src/main/server/handlers.ts';
import { createRouter } from '../../src/main/server/router.ts';
import { startPageServer } from '../../src/main/hosts/web/page-server.ts';
import { appFlags, builtFolder, firstPage, startMs, testEnvironment } from './launch.ts';
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

/**
 * Serves the built page to a bare browser, on a core that a test controls. Every state of the window can be set at
 * once.
 */
export async function servePage({ handlers }: { readonly handlers: Handlers }): Promise<ServedPage> {
  const endDisplay = await ensureShellAndDisplay();
  const server = await startPageServer(createRouter(handlers), { port: 0, pageFolder: join(builtFolder, 'renderer') });
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-page-'));
  const env = { ...testEnvironment(folder), BROWSER_DATA: join(folder, 'browser') };
  const app = await _electron.launch({
    args: [resolve('tests/electron/browser.cjs'), ...appFlags()],
    env,
    timeout: startMs,
  });
  const page = await firstPage(app);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(server.url);
  return {
    page,
    url: server.url,
    complaints,
    resize: async (width, height) => {
      await app.evaluate(
        ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height),
        { width, height },
      );
      await page.waitForFunction((wanted) => window.innerWidth === wanted, width);
    },
    stopServer: () => server.close(),
    close: async () => {
      await app.close();
      await server.close();
      endDisplay();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Opens the view of tools and loads it again. */
export async function showTools(page: Page): Promise<void> {
  const view = (name: string) => page.getByRole('navigation').getByRole('button', { name, exact: true });
  await view('Models').click();
  await view('Tools').click();
  await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
}
