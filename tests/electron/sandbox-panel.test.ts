import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { violations } from './axe.ts';
import type { Launched, Place } from './launch.ts';
import { keepScreenshot, launch, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

// The real window, the real core, a real container; only the model is scripted.
describe.skipIf(isWithoutEngine)('the sandbox panel', () => {
  let place: Place;
  let launched: Launched;
  let endDisplay: () => void;
  const complaints: string[] = [];

  beforeAll(async () => {
    endDisplay = await ensureShellAndDisplay();
    place = preparePlace([
      { toolCalls: [{ name: 'run_command', input: { command: 'echo hello' } }] },
      { text: 'Nothing was to be changed.' },
      // Repeated, because the agent asks once when a task ends without a change.
      { text: 'Done.' },
    ]);
    launched = await launch(place.home, { hasEngine: true });
    launched.page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
  });

  afterAll(async () => {
    await launched?.app.close();
    if (place !== undefined) place.remove();
    endDisplay?.();
    if (place !== undefined) rmSync(place.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  it('shows what the container takes, and lets a person in', async () => {
    const { page } = launched;
    await page.getByRole('textbox', { name: 'Task' }).fill('Run echo hello in this project and change nothing.');
    await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
    await page.getByRole('button', { name: 'Start' }).click();
    await page.locator('[data-outcome]').getByText('Done.').waitFor({ timeout: 90_000 });
    await page.keyboard.press('Control+3');
    const panel = page.getByRole('tabpanel', { name: 'Sandbox' });
    await panel
      .locator('[data-usage]')
      .getByText(/% of one core/u)
      .waitFor();
    await panel
      .locator('[data-usage]')
      .getByText(/of 2\.1 GB/u)
      .waitFor();
    await panel.getByRole('button', { name: 'Open terminal' }).click();
    const terminal = panel.getByRole('region', { name: 'Terminal' });
    await terminal.locator('.xterm-screen').waitFor();
    await terminal.getByRole('textbox').focus();
    await page.keyboard.type('cat main.py; echo "\\033[38;2;1;2;3mcolored" > /dev/null; stty size\n');
    await expect.poll(() => terminal.locator('.xterm-rows').innerText()).toContain('PORT = 8123');
    await keepScreenshot(page, 'sandbox-panel');
    expect(await violations(page)).toEqual([]);
    await terminal.getByRole('button', { name: 'Close' }).click();
    await terminal.waitFor({ state: 'detached' });
    await page.getByRole('log').getByText('You opened a terminal in the sandbox.').waitFor();
    expect(complaints).toEqual([]);
  });
});
