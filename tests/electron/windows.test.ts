import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { command, complete, tool } from '../faults/program.ts';
import type { Launched, Place } from './launch.ts';
import { launch, openWork, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

// The real app and a real container. Only the model is scripted.
describe.skipIf(isWithoutEngine)('two windows of the app', () => {
  let place: Place;
  let launched: Launched;
  let endDisplay: () => void;
  const guarded = 'tests/test_port.py';

  beforeAll(async () => {
    endDisplay = await ensureShellAndDisplay();
    place = preparePlace([
      tool('read_file', { path: guarded }),
      tool('write_file', { path: guarded, content: 'def test_port(): pass\n' }),
      command('until test -e go; do sleep 0.1; done; echo has gone on'),
      complete('All is done.'),
    ]);
    mkdirSync(join(place.project, 'tests'));
    writeFileSync(join(place.project, guarded), 'def test_port(): assert PORT == 8123\n');
    launched = await launch(place.home, { hasEngine: true });
  });

  afterAll(async () => {
    await launched?.app.close();
    place?.remove();
    endDisplay?.();
  });

  const question = (page: Page) => page.getByRole('alertdialog', { name: 'Approval needed' });
  const waiting = (page: Page) => page.locator('[id^=row-][aria-expanded]').filter({ hasText: 'test -e go' });
  const task = 'Make the tests quicker.';

  it('follow the same session, and an answer in one ends the question in the other', async () => {
    const { app, page } = launched;
    await page.getByRole('textbox', { name: 'Task' }).fill(task);
    await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await question(page).waitFor({ timeout: 90_000 });

    const opened = app.waitForEvent('window');
    await page.keyboard.press('Control+Shift+N');
    const other = await opened;
    // The second window has its own view and shows nothing of the first one.
    await other.getByRole('textbox', { name: 'Task' }).waitFor();
    await other.locator('[data-session]', { hasText: task }).click();
    const allow = question(other).getByRole('button', { name: 'Allow', exact: true });
    await expect.poll(() => allow.getAttribute('aria-disabled')).toBe('false');
    await allow.click();
    await question(page).waitFor({ state: 'detached' });
    await question(other).waitFor({ state: 'detached' });
    for (const one of [page, other]) await openWork(one);
    for (const one of [page, other]) await waiting(one).getByText('running').waitFor();
  });

  it('go on when one of them is closed, and so does the work', async () => {
    const { app, page } = launched;
    await app.windows().at(-1)?.close();
    expect(app.windows()).toEqual([page]);
    await waiting(page).getByText('running').waitFor();
    writeFileSync(join(place.project, 'go'), '');
    await page.locator('[data-outcome="done"]').getByText('All is done.').waitFor();
  });

  it('are both restored after a restart, each with its view and its size', async () => {
    const { app, page } = launched;
    const opened = app.waitForEvent('window');
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Open in a new window' }).click();
    const other = await opened;
    await other.locator('[data-outcome="done"]').waitFor();
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    const width = async (one: Page): Promise<number> => one.evaluate(() => window.innerWidth);
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('dark');
    await expect.poll(() => other.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await (await app.browserWindow(other)).evaluate((window) => window.setContentSize(800, 600));
    await expect.poll(() => width(other)).toBe(800);
    await app.close();

    launched = await launch(place.home, { hasEngine: true });
    const shown = async () => {
      const all = launched.app.windows().map(async (one) => ({
        width: await width(one),
        isDone: (await one.locator('[data-outcome="done"]').count()) === 1,
      }));
      return (await Promise.all(all)).toSorted((left, right) => left.width - right.width);
    };
    await expect.poll(shown).toEqual([
      { width: 800, isDone: true },
      { width: 1280, isDone: false },
    ]);
  });
});
