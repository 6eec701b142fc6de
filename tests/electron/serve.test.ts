import type { ChildProcess } from 'node:child_process';
import { request } from 'node:http';
import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import type { ElectronApplication, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CoreClient } from '../../src/main/server/local-socket.ts';
import type { Place } from './launch.ts';
import { keepScreenshot, preparePlace, reload } from './launch.ts';
import { openBrowser, startServe, stopServe } from './serve-kit.ts';
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
  ({ child: server, url } = await startServe(place));
  ({ app, page } = await openBrowser(place));
});

afterAll(async () => {
  await app?.close();
  await stopServe(server);
  place?.remove();
  endDisplay?.();
});

it('the server shows the same page in a browser, over a socket', async () => {
  await page.goto(url);
  await page.getByRole('textbox', { name: 'Task' }).fill('Which port does main.py use?');
  await page.getByRole('combobox', { name: 'Project folder' }).fill('project');
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('[data-outcome]').getByText('It uses 8123.').waitFor();
  expect(page.url()).not.toContain('token');
  await reload(page);
  await page.locator('[data-outcome]').getByText('It uses 8123.').waitFor();
  await keepScreenshot(page, 'browser');
});

// Catches: a browser in which a session cannot be exported at all, or one that learns where the project lies.
it('the page in a browser saves a session as a download, without a path of the machine', async () => {
  await page.evaluate(() => {
    HTMLAnchorElement.prototype.click = function click(this: HTMLAnchorElement): void {
      document.body.dataset.saved = this.download;
    };
    const create = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => {
      if (blob instanceof Blob) void blob.text().then((text) => (document.body.dataset.text = text));
      return create(blob);
    };
  });
  for (const [item, ending] of [
    ['Download as page (HTML)', '.html'],
    ['Download as Markdown', '.md'],
  ] as const) {
    await page.getByRole('button', { name: 'Session actions' }).click();
    await keepScreenshot(page, 'browser-download');
    await page.getByRole('menuitem', { name: item }).click();
    await page.locator(`body[data-saved$="${ending}"][data-text]`).waitFor();
    if (ending === '.html') await page.getByText('For a PDF, open and print it.').first().waitFor();
    const text = (await page.locator('body').getAttribute('data-text')) ?? '';
    expect(text).toContain('It uses 8123.');
    expect(text).not.toContain(place.project);
    await page.evaluate(() => delete document.body.dataset.text);
  }
});

it('the page in a browser says when the server has gone, and that a new one needs its own address', async () => {
  const port = new URL(url).port;
  expect(await stopServe(server)).toBe(0);
  await page.getByText('Connection lost').waitFor();
  expect(await page.locator('[data-outcome]').innerText()).toContain('It uses 8123.');
  ({ child: server, url } = await startServe(place, { port }));
  await page.getByText('This address has no valid token').waitFor();
  await page.goto('about:blank');
  await page.goto(url);
  await page.locator('[data-outcome]').getByText('It uses 8123.').waitFor();
});

it('the server gives a page without the token nothing but itself', async () => {
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(new URL('/', url).href);
  await page.getByText('This address has no valid token').waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);
});

describe('a client of the server', () => {
  /** Sends the path exactly as written here. A browser would normalize it. */
  const ask = (path: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
    new Promise((found, failed) => {
      const { hostname, port } = new URL(url);
      const sent = request({ host: hostname, port, path, headers }, (response) => {
        response.resume();
        found(response.statusCode);
      });
      sent.on('error', failed);
      sent.end();
    });
  const open = (first: string, origin = new URL(url).origin): Promise<WebSocket | number> => {
    const socket = new WebSocket(`ws://${new URL(url).host}/contract`, { origin });
    return new Promise((found) => {
      socket.once('error', () => found(403));
      socket.once('close', found);
      socket.once('open', () => socket.send(first));
      socket.once('message', () => found(socket));
    });
  };
  const token = (): string => new URLSearchParams(new URL(url).hash.slice(1)).get('token') ?? '';
  /** The core's answers to calls that a page could make. */
  const answers = async (...calls: readonly ((client: CoreClient) => Promise<unknown>)[]): Promise<unknown[]> => {
    const socket = await open(token());
    if (typeof socket === 'number') throw new Error('not let in');
    // The link uses only what both kinds of sockets have in common. This is the only cast at this edge.
    const link = new RPCLink({ websocket: socket as unknown as globalThis.WebSocket });
    const client: CoreClient = createORPCClient(link);
    const given = await Promise.all(
      calls.map((one) =>
        one(client).then(
          () => 'done',
          (error: unknown) => (error instanceof ORPCError && error.defined ? error.data.code : error),
        ),
      ),
    );
    socket.terminate();
    return given;
  };
  const change = (client: CoreClient): Promise<unknown> => client.settings.set({ key: 'policy', value: 'local' });
  const key = (client: CoreClient): Promise<unknown> => client.keys.set({ provider: 'openai', value: 'a key' });
  const type = (client: CoreClient): Promise<unknown> => client.sandboxes.type({ terminalId: 'none', text: 'id' });
  const byPath = (client: CoreClient): Promise<unknown> => client.sessions.create({ projectPath: place.project });
  const upwards = async (client: CoreClient): Promise<unknown> => {
    const [root] = (await client.host.info()).roots ?? [];
    return client.sessions.create({ projectPath: `${root}/../home` });
  };
  const guessed = (client: CoreClient): Promise<unknown> =>
    client.sessions.create({ projectPath: `~${'0'.repeat(16)}/project` });

  it('is refused with another host name or origin, a tricky path, or no token', async () => {
    expect(await ask('/')).toBe(200);
    expect(await ask('/', { host: 'evil.example' })).toBe(403);
    expect(await ask('/', { origin: 'http://evil.example' })).toBe(403);
    for (const path of ['/../main/cli.cjs', '/%2e%2e/main/cli.cjs', '/assets/../../package.json', '//etc/hostname']) {
      expect(await ask(path), path).toBe(404);
    }
    expect(await open(token(), 'http://evil.example')).toBe(403);
    expect(await open('no token')).toBe(4401);
  });

  it('changes no settings or keys, opens no terminal and names no folder, unless allowed at the start', async () => {
    const folders = [byPath, upwards, guessed];
    const refused = folders.map(() => 'refused');
    expect(await answers(change, key, type, ...folders)).toEqual(['refused', 'refused', 'refused', ...refused]);
    await stopServe(server);
    ({ child: server, url } = await startServe(place, { allowed: ['settings', 'terminal'] }));
    expect(await answers(change, key, type, ...folders)).toEqual(['done', 'refused', 'not-found', ...refused]);
  });
});
