import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { change, command, complete } from '../faults/program.ts';
import type { Launched, Place } from './launch.ts';
import { keepScreenshot, launch, openWork, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

// The real app and a real container; only the model is scripted.
describe.skipIf(isWithoutEngine)('the app, killed -9 in the middle of a command', () => {
  let place: Place;
  let launched: Launched;
  let endDisplay: () => void;

  beforeAll(async () => {
    endDisplay = await ensureShellAndDisplay();
    place = preparePlace([change(), command('echo half > half.txt; sleep 600')]);
    launched = await launch(place.home, { hasEngine: true });
  });

  afterAll(async () => {
    await launched?.app.close();
    place?.remove();
    endDisplay?.();
  });

  const row = (page: Page, what: RegExp) => page.locator('[id^=row-][aria-expanded]').filter({ hasText: what });

  const draft = 'A draft that was not sent.';
  const isOnDisk = (home: string): boolean => {
    const folder = join(home, 'window', 'Local Storage', 'leveldb');
    return readdirSync(folder).some((name) => readFileSync(join(folder, name), 'latin1').includes(draft));
  };

  it('opens on the step that was cut off, runs nothing again, and goes on when it is told to', async () => {
    const { page } = launched;
    await page.getByRole('textbox', { name: 'Task' }).fill('Make the change that the notes describe.');
    await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await openWork(page);
    await row(page, /sleep 600/u)
      .getByText('running')
      .waitFor({ timeout: 90_000 });
    const steps = await row(page, /made\.txt|sleep 600/u).count();
    await page.getByRole('textbox', { name: 'Message' }).pressSequentially(draft);
    await expect.poll(() => isOnDisk(place.home)).toBe(true);

    const dead = new Promise((done) => launched.app.process().once('exit', done));
    launched.app.process().kill('SIGKILL');
    await dead;
    // The next answers of the model.
    place.script([change('rest.txt'), complete('The rest is done.')]);
    launched = await launch(place.home, { hasEngine: true });

    const again = launched.page;
    await again.locator('[data-outcome="crashed"]').getByText('Interrupted').waitFor();
    await openWork(again);
    await expect.poll(() => row(again, /made\.txt|sleep 600/u).count()).toBe(steps);
    await row(again, /sleep 600/u)
      .getByText('stopped')
      .waitFor();
    expect(await again.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);
    await again.locator('[data-session]', { hasText: 'Make the change' }).waitFor();
    await keepScreenshot(again, 'interrupted');

    expect(await again.getByRole('textbox', { name: 'Message' }).inputValue()).toBe(draft);
    const offer = again.getByRole('region', { name: 'Interrupted task' });
    await offer.getByRole('button', { name: 'Resume' }).click();
    await again.locator('[data-outcome="done"]').getByText('The rest is done.').waitFor({ timeout: 90_000 });
    await offer.waitFor({ state: 'detached' });
    await again.getByRole('tab', { name: 'Changes' }).click();
    const changes = again.getByRole('tabpanel', { name: 'Changes' });
    for (const name of ['made.txt', 'rest.txt']) await changes.getByText(name).first().waitFor();
  });
});
