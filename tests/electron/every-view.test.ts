import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allViews } from '../../src/renderer/lib/window/all-views.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { violations } from './axe.ts';
import type { Engine, ServedPage } from './page-kit.ts';
import { currentChromium, servePage } from './page-kit.ts';
import { furnishEveryView, viewWays } from './view-ways.ts';

const names = Object.keys(allViews).filter((name): name is keyof typeof allViews => name in allViews);
// The browser host shows the same page in whatever browser a person has.
const engines: readonly Engine[] = currentChromium === undefined ? ['app'] : ['app', 'chromium'];

const wide = [1360, '100%'] as const;
const narrow = [420, '100%'] as const;
const looks = { app: [wide, [1360, '200%'], narrow] as const, chromium: [wide, narrow] as const };

describe.each(engines)('in %s', (engine) => {
  let served: ServedPage;
  let sessions: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const core = createPageCore();
    sessions = await furnishEveryView(core);
    served = await servePage(core, engine);
    await served.page.emulateMedia({ reducedMotion: 'reduce' });
  });

  afterAll(async () => {
    await served?.close();
  });

  async function look(theme: 'light' | 'dark'): Promise<void> {
    await served.page.emulateMedia({ colorScheme: theme });
    await served.page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
  }

  describe('everybody can use every view, light and dark', () => {
    it.for(looks[engine])('%i pixels wide, with text at %s', async ([width, fontSize]) => {
      const { page } = served;
      const { ways, waysBack } = viewWays(page, sessions);
      await served.resize(width, 860);
      await page.evaluate((size) => {
        document.documentElement.style.fontSize = size;
        window.dispatchEvent(new Event('resize'));
      }, fontSize);
      const found: Record<string, readonly string[]> = {};
      for (const name of names) {
        await look('light');
        await ways[name]();
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        const light = await violations(page);
        await look('dark');
        // The dark look differs in its colors only.
        const dark = await violations(page, ['color-contrast']);
        found[name] = [...light, ...dark, ...(overflow > 0 ? [`is ${overflow} pixels too wide`] : [])];
        await waysBack[name]?.();
      }
      expect(Object.entries(found).filter(([, list]) => list.length > 0)).toEqual([]);
    });
  });

  it('the page asked for nothing that its policy forbids', () => {
    expect(served.complaints).toEqual([]);
  });
});
