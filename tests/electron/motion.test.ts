import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish, workingScene } from '../fakes/page-scenes.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** The page moves a little during work. With reduced motion, nothing moves. */
let served: ServedPage;

beforeAll(async () => {
  const core = createPageCore();
  furnish(core);
  await workingScene(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'no-preference' });
  await served.page.locator('[data-session]', { hasText: 'Explain how releases are made' }).click();
  await served.page.getByRole('log').waitFor();
});

afterAll(async () => {
  await served?.close();
});

interface Motion {
  readonly animations: number;
  /** The number of elements whose look would change gradually. */
  readonly transitions: number;
}

const motion = (): Promise<Motion> =>
  served.page.evaluate(() => ({
    animations: document.getAnimations().filter(({ playState }) => playState === 'running').length,
    transitions: [...document.querySelectorAll('*')].filter((element) => {
      const { transitionDuration, transitionProperty } = getComputedStyle(element);
      return transitionProperty !== 'none' && transitionDuration.split(', ').some((time) => time !== '0s');
    }).length,
  }));

const still: Motion = { animations: 0, transitions: 0 };

it('the page moves when nobody asked it not to', async () => {
  await expect.poll(async () => (await motion()).animations).toBeGreaterThan(0);
  expect((await motion()).transitions).toBeGreaterThan(0);
});

it('the page stands still when the system asks for less motion', async () => {
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
  await expect.poll(motion).toEqual(still);
  await served.page.emulateMedia({ reducedMotion: 'no-preference' });
  await expect.poll(async () => (await motion()).animations).toBeGreaterThan(0);
});

it('the page stands still when a person asks for it in the settings, whatever the system says', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByLabel('Motion').selectOption('reduced');
  await page.locator('[data-session]', { hasText: 'Explain how releases are made' }).click();
  await page.getByRole('log').waitFor();
  await expect.poll(motion).toEqual(still);
});
