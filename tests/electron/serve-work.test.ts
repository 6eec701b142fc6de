import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { createServer } from 'node:http';
import type { Server as HttpServer } from 'node:http';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { command, complete, tool } from '../faults/program.ts';
import type { Place } from './launch.ts';
import { builtFolder, preparePlace, reload } from './launch.ts';
import type { Server } from './serve-kit.ts';
import { openBrowser, startServe, stopServe } from './serve-kit.ts';
import { ensureShellAndDisplay } from './setup.ts';

const key = 'sk-of-this-test-alone';

const list = Array.from({ length: 20 }, (_, index) => `item ${index + 1}\n`).join('');

/** A service that lists one model to a caller with the key. `seen` collects the keys that callers sent. */
async function startService(): Promise<{ readonly server: HttpServer; readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const shown = request.headers.authorization ?? '';
    seen.push(shown);
    // A service that answers every caller would not prove that a key is right.
    if (shown !== `Bearer ${key}`) response.statusCode = 401;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [{ id: 'm' }] }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { server, url: `http://127.0.0.1:${port}/v1`, seen };
}

// The served page in a bare Chromium, the real core behind it and a real container; only the model is scripted.
describe.skipIf(isWithoutEngine)('the app in a browser', () => {
  let place: Place;
  let service: Awaited<ReturnType<typeof startService>>;
  let served: Server;
  let app: ElectronApplication;
  let page: Page;
  let endDisplay: () => void;
  /** All messages from the core to the page, and from the page to the core. */
  const told: string[] = [];
  const said: string[] = [];

  beforeAll(async () => {
    endDisplay = await ensureShellAndDisplay();
    service = await startService();
    place = preparePlace([]);
    writeFileSync(join(place.project, 'list.txt'), list);
    const replies = [
      command(
        'sed -i s/8123/8200/ main.py && sed -i "s/item 2$/item two/; s/item 18$/item 18\\nmore/" list.txt && cat main.py',
      ),
      tool('write_file', { path: 'NOTES.md', content: 'The port has changed.\n' }),
      complete('The port is 8200 now.'),
    ];
    const mine = { kind: 'openai-compatible', baseUrl: service.url, where: 'cloud' };
    place.script(replies, { providers: { mine } });
    served = await startServe(place, { hasEngine: true });
    ({ app, page } = await openBrowser(place));
    // Wide enough for the list of sessions to stay beside the rest.
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setSize(1360, 860));
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => told.push(payload.toString()));
      socket.on('framesent', ({ payload }) => said.push(payload.toString()));
    });
  });

  afterAll(async () => {
    await app?.close();
    await stopServe(served?.child);
    service?.server.close();
    place?.remove();
    endDisplay?.();
  });

  const main = (): string => readFileSync(join(place.project, 'main.py'), 'utf8');

  /** Sets the key in the page's settings. Returns the page's reply. */
  async function setKey(): Promise<string> {
    await page.getByRole('navigation').getByRole('button', { name: 'Settings', exact: true }).click();
    const form = page.getByRole('form', { name: 'Keys' });
    await form.getByLabel('Provider').fill('mine');
    await form.getByLabel('Key', { exact: true }).fill(key);
    await form.getByRole('button', { name: 'Save and test' }).click();
    const answer = form.getByText('The key works');
    return answer.innerText();
  }

  it('goes from a typed task to a diff that is accepted into the project', async () => {
    await page.goto(served.url);
    await page.getByRole('textbox', { name: 'Task' }).fill('Change the port to 8200.');
    await page.getByRole('combobox', { name: 'Project folder' }).fill('project');
    await page.getByText('More options').click();
    await page.getByRole('combobox', { name: 'Work in' }).selectOption('copy');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('[data-outcome=done]').getByText('The port is 8200 now.').waitFor();
    expect(main()).toBe('PORT = 8123\n');
    await page.getByRole('log').getByRole('button', { name: 'Review', exact: true }).click();
    const changes = page.getByRole('tabpanel', { name: 'Changes' });
    const file = changes.getByRole('region', { name: 'main.py' });
    await file.getByText('PORT = 8200').waitFor();
    await file.getByRole('button', { name: 'Apply to project' }).click();
    await changes.locator('[data-change=taken]').waitFor();
    expect(main()).toBe('PORT = 8200\n');
    expect(existsSync(join(place.project, 'NOTES.md'))).toBe(false);
  });

  // Catches: a hunk that also takes its neighbor, and an undo of the rest that restores what was undone before.
  it('accepts one hunk of a file into the project, undoes another, and restores it', async () => {
    const file = page.getByRole('tabpanel', { name: 'Changes' }).getByRole('region', { name: 'list.txt' });
    const state = (text: string) => file.getByText(text, { exact: true }).waitFor();
    const listed = (): string => readFileSync(join(place.project, 'list.txt'), 'utf8');
    await file.getByRole('button', { name: 'Undo hunk 1' }).click();
    await state('Hunk 1 of 2 · undone');
    expect(listed()).toBe(list);
    await file.getByRole('button', { name: 'Apply hunk 2 to the project' }).click();
    await state('Hunk 2 of 2 · applied');
    expect(listed()).toBe(list.replace('item 18\n', 'item 18\nmore\n'));
    await file.getByRole('button', { name: 'Redo hunk 1' }).click();
    await state('Hunk 1 of 2');
    await file.getByRole('button', { name: 'Undo', exact: true }).click();
    await state('Hunk 1 of 2 · undone');
    await state('Hunk 2 of 2 · applied');
    await file.getByRole('button', { name: 'Redo hunk 1' }).click();
    await state('Hunk 1 of 2');
    // A change that the user made there since is not overwritten, and the page says so.
    writeFileSync(join(place.project, 'list.txt'), 'mine\n');
    await file.getByRole('button', { name: 'Apply hunk 1 to the project' }).click();
    await page.getByText('Not changed: list.txt (it was changed since in these lines or beside them').waitFor();
    expect(listed()).toBe('mine\n');
  });

  it('cannot set a key unless that was allowed at the start', async () => {
    await page.getByRole('navigation').getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByText('dewpoint keys set PROVIDER').waitFor();
    expect(await page.getByRole('button', { name: 'Save and test' }).count()).toBe(0);
    expect(service.seen).not.toContain(`Bearer ${key}`);
  });

  it('can set a key when that was allowed, tests it, and never gets it back', async () => {
    await stopServe(served.child);
    served = await startServe(place, { hasEngine: true, allowed: ['keys'] });
    await page.goto('about:blank');
    await page.goto(served.url);
    expect(await setKey()).toContain('The key works.');
    expect(service.seen).toContain(`Bearer ${key}`);
    await page.getByText('until Dewpoint quits', { exact: true }).waitFor();
    await reload(page);
    await page.getByRole('navigation').getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByText('until Dewpoint quits', { exact: true }).waitFor();
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter((frame) => frame.includes(key))).toEqual([]);
    expect(await page.content()).not.toContain(key);
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(key);
  });

  it('shows no path of the machine', async () => {
    await page
      .getByRole('button', { name: /Change the port to 8200/u })
      .first()
      .click();
    await page.locator('[data-outcome=done]').waitFor();
    for (const tab of ['Route', 'Cost', 'Sandbox', 'Changes', 'Context']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel', { name: tab }).waitFor();
    }
    await page.getByRole('button', { name: 'Settings of project' }).click();
    await page.getByRole('heading', { level: 1, name: 'project' }).waitFor();
    for (const view of ['Models', 'Compare', 'Costs', 'Bin', 'Settings']) {
      await page.getByRole('navigation').getByRole('button', { name: view, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: view }).waitFor();
    }
    // The text of an error is checked, too: the core names the folder that it did not find.
    await page.getByRole('navigation').getByRole('button', { name: 'New task' }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill('Look.');
    await page.getByRole('combobox', { name: 'Project folder' }).fill('project/missing');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('There is no folder project/missing').waitFor();
    const paths = [place.home, place.project, homedir(), process.cwd(), builtFolder, join(tmpdir(), 'dewpoint')];
    const where = [...told, ...said].flatMap((frame) =>
      paths.filter((path) => frame.includes(path)).map((path) => `${path} in ${frame.slice(0, 2000)}`),
    );
    expect(where).toEqual([]);
    expect(said.some((frame) => /~[0-9a-f]{16}\/project"/u.test(frame))).toBe(true);
  });
});
