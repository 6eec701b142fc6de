import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Launched } from '../electron/launch.ts';
import { launch, listening } from '../electron/launch.ts';
import { ensureShellAndDisplay } from '../electron/setup.ts';
import type { Ring, Service } from './ring.ts';
import { filesWith, startRing, startService } from './ring.ts';

/** The real app with a real gnome-keyring: a key goes from the page into the ring and never comes back. */
const key = 'a-key-that-is-typed-in-the-window-1234567890';
let endDisplay: () => void;
let ring: Ring;
let service: Service;
let home: string;
let launched: Launched;

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  ring = await startRing();
  service = await startService();
  home = mkdtempSync(join(tmpdir(), 'dewpoint-keys-'));
  mkdirSync(home, { recursive: true });
  const sky = { kind: 'openai-compatible', baseUrl: service.baseUrl };
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ providers: { sky } }));
  launched = await launchHere();
});

afterAll(async () => {
  await launched?.app.close();
  service?.close();
  ring?.stop();
  rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  endDisplay?.();
});

async function launchHere(): Promise<Launched> {
  const { HOME = '', DBUS_SESSION_BUS_ADDRESS = '' } = ring.env;
  const started = await launch(home, { env: { HOME, DBUS_SESSION_BUS_ADDRESS } });
  // Each window that opens from now on records everything that its page reads from any message.
  await started.app.context().addInitScript(() => {
    const received: string[] = [];
    Reflect.set(window, 'received', received);
    const own = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
    Object.defineProperty(MessageEvent.prototype, 'data', {
      get(this: MessageEvent) {
        const data: unknown = own?.get?.call(this);
        received.push(typeof data === 'string' ? data : JSON.stringify(data));
        return data;
      },
    });
  });
  return inNewWindow(started);
}

/** Goes on in a window of its own, at the settings. A page that is loaded again crashes at times in the test shell. */
async function inNewWindow({ app, page: before, ...rest }: Launched): Promise<Launched> {
  const opened = app.waitForEvent('window');
  await app.evaluate(({ Menu }) => {
    const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? [];
    items.find(({ label }) => label === 'New window')?.click();
  });
  const page = await opened;
  await listening(page);
  await before.close();
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  return { app, page, ...rest };
}

const keys = (page: Page) => page.getByRole('region', { name: 'Keys' });
const listed = (page: Page) => keys(page).getByRole('listitem').filter({ hasText: 'sky' });

async function received(page: Page): Promise<string> {
  return page.evaluate(() => {
    const all: unknown = Reflect.get(window, 'received');
    return Array.isArray(all) ? all.join('\n') : '';
  });
}

async function set(page: Page): Promise<void> {
  await keys(page).getByLabel('Provider').fill('sky');
  await keys(page).getByLabel('Key', { exact: true }).fill(key);
  await keys(page).getByRole('button', { name: 'Save and test' }).click();
}

describe('a key in the window', () => {
  it('is kept in the ring and tested, and appears in no message, page, storage or file', async () => {
    const { page } = launched;
    await set(page);
    await keys(page).getByText('The key works.').waitFor();
    await listed(page).getByText('in your system’s key store').waitFor();
    expect(service.seen).toContain(`Bearer ${key}`);
    const heard = await received(page);
    expect(heard).toContain('sky');
    expect(heard).not.toContain(key);
    expect(await keys(page).getByLabel('Key', { exact: true }).inputValue()).toBe('');
    expect(await page.content()).not.toContain(key);
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(key);
  });

  it('survives a restart, and can be restored after its removal', async () => {
    await launched.app.close();
    expect(filesWith(home, key)).toEqual([]);
    launched = await launchHere();
    const { page } = launched;
    await listed(page).getByText('in your system’s key store').waitFor();
    expect(await received(page)).not.toContain(key);
    const remove = listed(page).getByRole('button', { name: 'Remove key for sky' });
    await remove.click();
    await listed(page).waitFor({ state: 'detached' });
    expect(filesWith(home, key)).toEqual([]);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await listed(page).getByText('in your system’s key store').waitFor();
    expect(await received(page)).not.toContain(key);
    await remove.click();
    await listed(page).waitFor({ state: 'detached' });
  });

  it('lasts only as long as the app runs when the ring is locked, and that is said', async () => {
    ring.lock();
    launched = await inNewWindow(launched);
    const { page } = launched;
    await keys(page).getByText('last until Dewpoint quits').waitFor();
    await set(page);
    await listed(page).getByText('until Dewpoint quits').waitFor();
    expect(await received(page)).not.toContain(key);
    expect(filesWith(home, key)).toEqual([]);
  });
});
