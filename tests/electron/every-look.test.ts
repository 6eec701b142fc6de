import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allViews } from '../../src/renderer/lib/window/all-views.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { furnishEveryView, viewWays } from './view-ways.ts';

let served: ServedPage;
let sessions: Readonly<Record<string, string>>;

beforeAll(async () => {
  const core = createPageCore();
  sessions = await furnishEveryView(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const names = Object.keys(allViews).filter((name): name is keyof typeof allViews => name in allViews);

/** Goes to every view. Returns the faults of each view that has some. */
async function inEveryView(look: (name: string) => Promise<readonly string[]>): Promise<readonly unknown[]> {
  const { ways, waysBack } = viewWays(served.page, sessions);
  const found: [string, readonly string[]][] = [];
  for (const name of names) {
    await ways[name]();
    found.push([name, await look(name)]);
    await waysBack[name]?.();
  }
  return found.filter(([, list]) => list.length > 0);
}

/**
 * Catches: a focus, field, choice or mark that only a color shows, a Tab order that goes back, and text that stays too
 * faint when the user asks for more contrast.
 */
it('every view keeps all to be seen in forced colors and high contrast, and Tab follows the visible order', async () => {
  const { page } = served;
  const wrong = await inEveryView(async (name) => {
    await page.emulateMedia({ forcedColors: 'active' });
    await keepScreenshot(page, `forced-${name}`);
    // A focused element shows its ring only after a key press.
    await page.keyboard.press('Shift');
    const found = [...(await unseen(page)), ...(await outOfOrder(page))];
    await page.emulateMedia({ forcedColors: 'none', contrast: 'more' });
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
      await keepScreenshot(page, `contrast-${name}-${theme}`);
      found.push(...(await violations(page, ['color-contrast-enhanced'])).map((one) => `${theme}: ${one}`));
    }
    await page.emulateMedia({ contrast: 'no-preference', colorScheme: 'light' });
    return found;
  });
  expect(wrong).toEqual([]);
});

/** Lists what cannot be seen under forced colors. */
function unseen(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const wrong: string[] = [];
    const nameOf = (element: Element): string => element.outerHTML.slice(0, 150);
    const isShown = (element: Element): boolean => element.checkVisibility() && element.getClientRects().length > 0;
    const hasLine = ({ outlineStyle, outlineWidth }: CSSStyleDeclaration): boolean =>
      outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
    const hasBorder = ({ borderTopStyle, borderTopWidth, borderBottomStyle, borderBottomWidth }: CSSStyleDeclaration) =>
      (borderTopStyle !== 'none' && Number.parseFloat(borderTopWidth) >= 1) ||
      (borderBottomStyle !== 'none' && Number.parseFloat(borderBottomWidth) >= 1);
    const around = (element: Element): Element[] => {
      const { parentElement: first } = element;
      const second = first?.parentElement ?? null;
      const third = second?.parentElement ?? null;
      return [element, first, second, third].filter((one) => one !== null);
    };
    const before = document.activeElement;
    const tabbed = 'a[href], button:not(:disabled), input, textarea, select, summary, [tabindex="0"]';
    for (const element of document.querySelectorAll<HTMLElement>(tabbed)) {
      if (!isShown(element)) continue;
      element.focus({ preventScroll: true });
      if (document.activeElement !== element) continue;
      // A search field in its own dialog always has the focus. A focus guard passes the focus on.
      if (element.matches('[cmdk-input], [data-radix-focus-guard]')) continue;
      if (!around(element).some((one) => hasLine(getComputedStyle(one)))) wrong.push(`no focus: ${nameOf(element)}`);
    }
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    for (const field of document.querySelectorAll(
      'input:not([type=file], [type=checkbox], [type=radio]), textarea, select',
    )) {
      if (isShown(field) && !around(field).some((one) => hasBorder(getComputedStyle(one))))
        wrong.push(`no edge: ${nameOf(field)}`);
    }
    const colorOf = (name: string): string => {
      const probe = document.body.appendChild(document.createElement('div'));
      probe.style.color = name;
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    };
    const canvas = colorOf('Canvas');
    const isClear = (color: string): boolean => color.startsWith('rgba') && color.endsWith(', 0)');
    const isSame = (color: string, ground: string): boolean => color === ground || isClear(color);
    const groundOf = (element: Element): string => {
      for (let at = element.parentElement; at !== null; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        if (!isClear(backgroundColor)) return backgroundColor;
      }
      return canvas;
    };
    const chosen =
      '[aria-pressed=true], [aria-selected=true], [aria-checked=true], [aria-current=page], [data-highlighted]';
    for (const element of document.querySelectorAll(chosen)) {
      if (isShown(element) && getComputedStyle(element).backgroundColor === canvas)
        wrong.push(`not seen as chosen: ${nameOf(element)}`);
    }
    for (const element of document.querySelectorAll('[class*="bg-"]:empty')) {
      // A style that only the pointer changes is not a mark.
      if (![...element.classList].some((name) => name.startsWith('bg-'))) continue;
      const style = getComputedStyle(element);
      const { width, height } = element.getBoundingClientRect();
      if (
        element.matches('[class*="inset-0"], [role=separator], input, textarea, progress, [class*="cursor-col-resize"]')
      )
        continue;
      if (
        width * height > 0 &&
        isShown(element) &&
        isSame(style.backgroundColor, groundOf(element)) &&
        !hasBorder(style)
      )
        wrong.push(`no mark: ${nameOf(element)}`);
    }
    return wrong;
  });
}

/** Lists where Tab goes up or back within one part of the window. */
function outOfOrder(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const tabbed = 'a[href], button:not(:disabled), input, textarea, select, summary, [tabindex="0"]';
    const all = [...document.querySelectorAll<HTMLElement>(tabbed)].filter(
      (element) => element.checkVisibility() && element.tabIndex >= 0 && element.getClientRects().length > 0,
    );
    const placeOf = (element: Element): Element | null =>
      element.closest(
        '[role=dialog], [role=alertdialog], aside, nav, main, form, header, [role=tabpanel], table, .overflow-y-auto, .overflow-auto',
      );
    const wrong = all
      .filter(({ tabIndex }) => tabIndex > 0)
      .map((element) => `its own order: ${element.outerHTML.slice(0, 120)}`);
    for (const [index, element] of all.entries()) {
      const next = all[index + 1];
      if (next === undefined || placeOf(next) !== placeOf(element) || element.contains(next)) continue;
      const [from, to] = [element.getBoundingClientRect(), next.getBoundingClientRect()];
      const isAbove = to.bottom <= from.top + 2;
      const isSameColumn = to.left < from.right && to.right > from.left;
      const isSameRow =
        Math.min(from.bottom, to.bottom) - Math.max(from.top, to.top) > Math.min(from.height, to.height) / 2;
      if ((isAbove && isSameColumn) || (isSameRow && to.right <= from.left + 2)) {
        wrong.push(`goes back: ${element.outerHTML.slice(0, 150)} -> ${next.outerHTML.slice(0, 150)}`);
      }
    }
    return wrong;
  });
}
