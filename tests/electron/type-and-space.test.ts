import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allViews } from '../../src/renderer/lib/window/all-views.ts';
import { createPageCore } from '../fakes/page-core.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { furnishEveryView, viewWays } from './view-ways.ts';
import { reload } from './launch.ts';

/**
 * Checks docs/design.md in every view. Catches: a fourth text size, a button too small to hit, and a slow change of
 * look.
 */
let served: ServedPage;
let sessions: Readonly<Record<string, string>>;

beforeAll(async () => {
  const core = createPageCore();
  sessions = await furnishEveryView(core);
  served = await servePage(core);
  await served.resize(1360, 860);
});

afterAll(async () => {
  await served?.close();
});

const names = Object.keys(allViews).filter((name): name is keyof typeof allViews => name in allViews);

interface Measured {
  /** The number of texts drawn in each size. */
  readonly sizes: Readonly<Record<string, number>>;
  readonly weights: readonly string[];
  readonly smallTargets: readonly string[];
  readonly slowest: number;
  readonly longestLine: number;
}

const measure = (page: Page): Promise<Measured> =>
  page.evaluate(() => {
    const sizes: Record<string, number> = {};
    const weights = new Set<string>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const words = node.textContent?.trim() ?? '';
      const parent = node.parentElement;
      if (words === '' || parent === null || !parent.checkVisibility()) continue;
      const { width, height } = parent.getBoundingClientRect();
      // Text for screen readers only is not measured.
      if (width <= 1 || height <= 1) continue;
      const { fontSize, fontWeight } = getComputedStyle(parent);
      sizes[fontSize] = (sizes[fontSize] ?? 0) + 1;
      weights.add(fontWeight);
    }
    const smallTargets = [
      ...document.querySelectorAll('button, select, summary, input, textarea, a[href], [role=option]'),
    ]
      .filter((target) => target.checkVisibility({ visibilityProperty: true }))
      .flatMap((target) => {
        // A click on the label of a control also hits the control.
        const box = (target.closest('label') ?? target).getBoundingClientRect();
        const isSmall = box.width > 1 && box.height > 1 && (box.width < 23.9 || box.height < 23.9);
        return isSmall
          ? [
              `${target.tagName} ${target.getAttribute('aria-label') ?? target.textContent} ${Math.round(box.width)} × ${Math.round(box.height)}`,
            ]
          : [];
      });
    const seconds = [...document.querySelectorAll('*')].flatMap((element) => {
      const { transitionProperty, transitionDuration } = getComputedStyle(element);
      return transitionProperty === 'none' ? [] : transitionDuration.split(', ').map((time) => Number.parseFloat(time));
    });
    // The number of letters in the first line of a paragraph that has a second line.
    const lines = [...document.querySelectorAll('.prose p')].map((paragraph) => {
      const text = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT).nextNode();
      const length = text?.textContent?.length ?? 0;
      const range = document.createRange();
      const bottom = (at: number): number => {
        if (text === null) return 0;
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().bottom;
      };
      let letters = 1;
      while (letters < length && bottom(letters) < bottom(0) + 8) letters += 1;
      return letters < length ? letters : 0;
    });
    return {
      sizes,
      weights: [...weights],
      smallTargets: [...new Set(smallTargets)],
      slowest: Math.max(0, ...seconds) * 1000,
      longestLine: Math.max(0, ...lines),
    };
  });

it.for(['comfortable', 'compact'] as const)(
  'every view keeps to the sizes of text, buttons and lines, %s',
  async (density) => {
    const { page } = served;
    await page.evaluate((chosen) => localStorage.setItem('dewpoint-density', chosen), density);
    await reload(page);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { ways, waysBack } = viewWays(page, sessions);
    const all: (Measured & { readonly name: string })[] = [];
    for (const name of names) {
      await ways[name]();
      all.push({ name, ...(await measure(page)) });
      await waysBack[name]?.();
    }
    const known = (sizes: Measured['sizes']): boolean =>
      Object.keys(sizes).every((size) => ['13px', '14px', '20px'].includes(size));
    expect(all.filter(({ sizes }) => !known(sizes))).toEqual([]);
    expect(all.filter(({ weights }) => weights.some((weight) => weight !== '400' && weight !== '600'))).toEqual([]);
    expect(all.flatMap(({ name, smallTargets }) => smallTargets.map((target) => `${name}: ${target}`))).toEqual([]);
    expect(Math.max(...all.map(({ slowest }) => slowest))).toBeLessThan(150);
    const count = (size: string): number => all.reduce((sum, { sizes }) => sum + (sizes[size] ?? 0), 0);
    expect(count('14px')).toBeGreaterThan(count('13px'));
    const longest = Math.max(...all.map(({ longestLine }) => longestLine));
    expect(longest).toBeGreaterThan(60);
    expect(longest).toBeLessThanOrEqual(82);
    const height = await page
      .locator('nav button')
      .first()
      .evaluate((button) => button.clientHeight);
    expect(height < 28).toBe(density === 'compact');
  },
);
