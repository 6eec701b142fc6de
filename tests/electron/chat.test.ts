import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Launched, Place } from './launch.ts';
import { keepScreenshot, launch, preparePlace } from './launch.ts';
import { firstWordMs, machineryWords } from './first-word.ts';
import { ensureShellAndDisplay } from './setup.ts';

let endDisplay: (() => void) | null = null;
let place: Place;
let launched: Launched;

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  place = preparePlace([{ text: 'Paris.' }, { text: 'Lyon, Marseille and Lille.' }]);
  launched = await launch(place.home, { hasEngine: true });
});

afterAll(async () => {
  await launched?.app.close();
  place?.remove();
  endDisplay?.();
});

const logged = (): string =>
  readdirSync(join(place.home, 'sessions'))
    .map((id) => readFileSync(join(place.home, 'sessions', id, 'events.jsonl'), 'utf8'))
    .join('');

/**
 * Catches: an answer that waits for a container or a look at files, and one that appears among technical status lines.
 */
describe('a question without a project', () => {
  it('is answered by one click and one call, without a sandbox', async () => {
    const { page } = launched;
    const ask = page.getByRole('button', { name: 'Ask', exact: true });
    await page.getByRole('textbox', { name: 'Task' }).fill('Write a poem.');
    expect(await ask.getAttribute('aria-pressed')).toBe('true');
    const ms = await firstWordMs(page, 'What is the capital of France?', 'Paris');
    process.stdout.write(`first word of a chat answer: 1 click, ${Math.round(ms)} ms beyond the model's own time\n`);
    await page.locator('[data-outcome=answered]').getByText('Paris.').waitFor();
    const words = await machineryWords(page);
    process.stdout.write(`words of machinery around it: ${words.length} (${words.join(' ')})\n`);
    expect(words.length).toBeLessThanOrEqual(12);
    expect(words.join(' ')).toMatch(/Worked [\d.]+ s 1 model call local \$0/u);
    const log = logged();
    expect(log).not.toContain('"sandbox-started"');
    expect(log).not.toContain('"recipe-progressed"');
    await keepScreenshot(page, 'chat-answer');
  });

  it('goes on as a conversation, and opens to its one step', async () => {
    const { page } = launched;
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Name three other towns, in a list.');
    await message.press('Enter');
    await page.locator('[data-outcome=answered]').getByText('Lyon, Marseille and Lille.').waitFor();
    await page.locator('[data-work]').last().click();
    await expect.poll(() => page.locator('[id^=row-][aria-expanded]').count()).toBe(1);
    await keepScreenshot(page, 'chat-steps');
  });

  it('says beforehand what it will do, and a key or a click changes that', async () => {
    const { page } = launched;
    const pressed = (name: string) => page.getByRole('button', { name, exact: true }).getAttribute('aria-pressed');
    await page.getByRole('textbox', { name: 'Message' }).fill('Save that as towns.md.');
    expect([await pressed('Ask'), await pressed('Work')]).toEqual(['false', 'true']);
    await page.keyboard.press('Control+Shift+M');
    expect([await pressed('Ask'), await pressed('Work')]).toEqual(['true', 'false']);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    expect(await pressed('Plan')).toBe('true');
    // A second click returns the choice of the mode to the wording of the message.
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    expect(await pressed('Work')).toBe('true');
    await page.getByRole('textbox', { name: 'Message' }).fill('');
  });
});
