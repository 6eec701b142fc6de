import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/shared/errors.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { answerScene, endScenes, furnish } from '../fakes/page-scenes.ts';
import { startStory } from '../fakes/page-story.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** An error that says what to do has a button beside it that does it. */
let core: PageCore;
let served: ServedPage;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  await endScenes(core);
  await answerScene(core);
  const lost = await startStory(core, 'Ask the model in the office', '/home/ada/projects/notes');
  lost.ask('Which file is the longest?');
  lost.append({
    type: 'turn-ended',
    reason: 'error',
    text: '',
    confidence: null,
    failure: { code: 'model-failed', message: 'office does not answer.', hint: 'Send the task again in a moment.' },
  });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const button = (name: string) => served.page.getByRole('button', { name, exact: true });
const focused = (section: string) => served.page.locator(`section:focus[aria-label="${section}"]`);

async function open(title: string): Promise<void> {
  await served.page.locator('[data-session]', { hasText: title }).click();
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
}

describe('a notice of an error', () => {
  it('leads to what its hint names, and reads again what had failed', async () => {
    const { page } = served;
    const restore = core.replace({
      costs: () => {
        throw new AppError('network', 'The engine does not answer.', { hint: '`dewpoint doctor` says more.' });
      },
    });
    await button('Costs').click();
    const notice = page.getByRole('alert').filter({ hasText: 'The engine does not answer.' });
    await notice.getByRole('button', { name: 'Open setup' }).click();
    await focused('Setup').waitFor();
    await button('Costs').click();
    await notice.waitFor();
    expect(await violations(page)).toEqual([]);
    restore();
    await notice.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row').first().waitFor();
    expect(await notice.count()).toBe(0);
  });

  it('leads to the same place when it is announced over any view', async () => {
    const { page } = served;
    const fork = (): never => {
      throw new AppError('missing-key', 'The key of example was refused.', { hint: 'dewpoint keys set example' });
    };
    core.replace({ sessions: { fork } });
    await open('Which port');
    await button('Session actions').click();
    await page.getByRole('menuitem', { name: 'Fork from here' }).click();
    await page.getByRole('alert').getByText('The key of example was refused.').waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Add key' }).click();
    await focused('Keys').waitFor();
  });
});

describe('a task that was stopped', () => {
  const sent: string[] = [];

  it('leads to what is missing on the machine, and is sent again after the repair', async () => {
    const { page } = served;
    core.replace({
      sessions: {
        send: ({ input }) => {
          sent.push(input.text);
          return { messageId: 'again', queued: false };
        },
      },
    });
    await open('Make the nightly job idempotent');
    await button('Open setup').click();
    await focused('Setup').waitFor();
    await open('Make the nightly job idempotent');
    expect(await button('Choose another model').count()).toBe(0);
    await keepScreenshot(page, 'next-step');
    await button('Send again').click();
    await expect.poll(() => sent).toEqual(['Make the nightly job idempotent.']);
  });

  it('leads to the cap that stopped it, or to the choice of another model', async () => {
    const { page } = served;
    await open('Translate the manual');
    await button('Raise limit').click();
    await page.getByRole('tabpanel', { name: 'Cost' }).waitFor();
    await open('Ask the model in the office');
    await button('Choose another model').click();
    const picker = page.getByRole('dialog', { name: 'Choose a model' });
    const search = picker.getByRole('combobox', { name: 'Search models' });
    await expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type('large');
    await expect.poll(() => picker.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await picker.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Model: .*large/iu }).waitFor();
  });
});
