import { expect } from 'vitest';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';

/**
 * Keeps a picture of the page in light and dark, in the usual window and in a small one. In each, it is accessible and no
 * wider than the window.
 */
export async function keepLooks({ page, resize }: ServedPage, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [width, height] of [
      [1360, 860],
      [900, 700],
    ] as const) {
      await resize(width, height);
      await keepScreenshot(page, `${name}-${colorScheme}-${width}`);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.body.scrollWidth <= window.innerWidth)).toBe(true);
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await resize(1360, 860);
}
