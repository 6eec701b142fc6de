import type { Locator, Page } from 'playwright-core';
import { violations } from '../axe.ts';
import { machineryWords } from '../first-word.ts';
import { keepScreenshot } from '../launch.ts';

/** How a journey is walked: with a pointer and keys, or with keys alone. */
export type HandKind = 'pointer' | 'keyboard';

/** The effort of a journey. */
export interface Effort {
  clicks: number;
  /** Key presses, without the text that was typed. */
  keys: number;
  stages: number;
  /** The most words per turn that one stage showed in the conversation beside the messages and answers. */
  machinery: number;
  /** The most words that a stage showed beside the lists: texts, buttons and labels. */
  words: number;
  /** The total time from each act until its result is drawn. The answers of the models take no time. */
  waitedMs: number;
  longestMs: number;
  /** Acts after which nothing had the focus, so that a keyboard user has to begin at the top. */
  readonly lost: string[];
  readonly violations: string[];
}

export interface HandOptions {
  readonly kind: HandKind;
  /** The prefix of the screenshots' names. */
  readonly name: string;
  /** How closely each stage is checked: not at all, in its own colors, or light, dark and with text at 200 %. */
  readonly looks: 'none' | 'one' | 'all';
}

/** Acts in a window as a user does, and counts the effort. Every act fails if its control cannot be reached. */
export interface Hand {
  readonly page: Page;
  readonly kind: HandKind;
  readonly effort: Effort;
  /** Presses a button, a list row or a checkbox. */
  press(target: Locator): Promise<void>;
  /** Replaces the content of a field. */
  type(target: Locator, text: string): Promise<void>;
  /** Sends what was typed: by the button, or by Enter in the field. */
  send(button: Locator): Promise<void>;
  /** Chooses an option of a list under a search field that has the focus. */
  choose(option: Locator, typed: string): Promise<void>;
  /** Chooses an option of a native list by its text. */
  select(list: Locator, text: string): Promise<void>;
  /** Attaches files by the system's file dialog. Key presses in that dialog are not counted. */
  attach(button: Locator, ...files: readonly { readonly name: string; readonly buffer: Buffer }[]): Promise<void>;
  keys(combination: string): Promise<void>;
  sees(target: Locator): Promise<void>;
  /** Records the window as it is now as a stage of the journey. */
  stage(name: string): Promise<void>;
}

/** A control that is more Tab presses away counts as out of reach. */
const mostTabs = 60;

export function createHand(page: Page, { kind, name, looks }: HandOptions): Hand {
  const effort: Effort = {
    clicks: 0,
    keys: 0,
    stages: 0,
    machinery: 0,
    words: 0,
    waitedMs: 0,
    longestMs: 0,
    lost: [],
    violations: [],
  };
  let actedAt = performance.now();
  const press = async (keys: string): Promise<void> => {
    effort.keys += 1;
    await page.keyboard.press(keys);
    actedAt = performance.now();
  };
  const reach = (target: Locator): Promise<void> => goTo(page, target, press);
  const hand: Hand = {
    page,
    kind,
    effort,
    keys: press,
    async press(target) {
      await target.waitFor();
      // A question takes no answer in its first moment, nor when the window has just got the focus back, because that
      // could be meant for something else.
      const open = target.and(page.locator(':not([aria-disabled=true])'));
      await open.waitFor();
      if (kind === 'keyboard') {
        await reach(target);
        await open.waitFor();
        const isBox = await target.evaluate((element) => element.matches('input[type=checkbox], input[type=radio]'));
        await press(isBox ? 'Space' : 'Enter');
        return;
      }
      effort.clicks += 1;
      actedAt = performance.now();
      await target.click();
    },
    async type(target, text) {
      await target.waitFor();
      if (!(await isFocused(target))) {
        if (kind === 'keyboard') await reach(target);
        else {
          effort.clicks += 1;
          await target.click();
        }
      }
      if (await target.evaluate((element) => element.matches('input[type=month]'))) {
        await target.fill(text);
      } else {
        if ((await target.inputValue()) !== '') await press('Control+A');
        await page.keyboard.insertText(text);
      }
      actedAt = performance.now();
    },
    async send(button) {
      if (kind === 'keyboard') await press('Enter');
      else await hand.press(button);
    },
    async choose(option, typed) {
      if (kind === 'pointer') return hand.press(option);
      // An earlier field keeps the focus until the one of the list has it.
      await page.waitForFunction(() => document.activeElement?.matches('[role=dialog] input'));
      await page.keyboard.insertText(typed);
      await option.waitFor();
      for (let step = 0; step < mostTabs; step += 1) {
        if ((await option.getAttribute('aria-selected')) === 'true') break;
        await press('ArrowDown');
      }
      await press('Enter');
    },
    async select(list, text) {
      await list.waitFor();
      if (kind === 'keyboard') {
        await reach(list);
        effort.keys += 1;
        await page.keyboard.type(text);
      } else {
        effort.clicks += 2;
        await list.selectOption({ label: text });
      }
      actedAt = performance.now();
    },
    async attach(button, ...files) {
      const asked = page.waitForEvent('filechooser');
      await hand.press(button);
      const chooser = await asked;
      await chooser.setFiles(files.map((file) => ({ ...file, mimeType: 'application/octet-stream' })));
      actedAt = performance.now();
    },
    async sees(target) {
      await target.waitFor();
      const waited = performance.now() - actedAt;
      effort.waitedMs += waited;
      effort.longestMs = Math.max(effort.longestMs, waited);
      actedAt = performance.now();
    },
    async stage(stage) {
      effort.stages += 1;
      const isNowhere = await page.evaluate(() => document.activeElement === document.body);
      if (isNowhere) effort.lost.push(stage);
      if ((await page.locator('[role=log]').count()) > 0) {
        const turns = Math.max(1, await page.locator('[role=log] [data-work]').count());
        effort.machinery = Math.max(effort.machinery, Math.ceil((await machineryWords(page)).length / turns));
      }
      const text = await page.getByRole('main').first().innerText();
      effort.words = Math.max(effort.words, text.split(/\s+/u).filter((word) => /\w/u.test(word)).length);
      for (const found of await wrongIn(page, looks)) effort.violations.push(`${stage}: ${found}`);
      await keepScreenshot(page, `journey-${name}-${stage}`);
      actedAt = performance.now();
    },
  };
  return hand;
}

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}

/** Moves the focus by Tab, or by Shift+Tab where that is nearer. */
async function goTo(page: Page, target: Locator, press: (keys: string) => Promise<void>): Promise<void> {
  await target.waitFor();
  const isAfter = await target.evaluate((element) => {
    const active = document.activeElement ?? document.body;
    if (active === document.body) return true;
    const all = [...document.querySelectorAll('a[href], button, input, textarea, select, summary, [tabindex="0"]')];
    const [from, to] = [all.indexOf(active), all.indexOf(element)];
    const forth = (to - from + all.length) % all.length;
    return forth <= all.length / 2;
  });
  for (let step = 0; step < mostTabs; step += 1) {
    if (await isFocused(target)) return;
    await press(isAfter ? 'Tab' : 'Shift+Tab');
  }
  const label = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120) ?? '');
  throw new Error(`Tab does not reach ${String(target)}; it ends at ${label}`);
}

async function wrongIn(page: Page, looks: HandOptions['looks']): Promise<readonly string[]> {
  if (looks === 'none') return [];
  const found: string[] = [...(await violations(page))];
  if (looks === 'one') return found;
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  found.push(...(await violations(page, ['color-contrast'])).map((one) => `dark: ${one}`));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
  await scaleText(page, '200%');
  found.push(...(await violations(page)).map((one) => `200 %: ${one}`));
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (overflow > 0) found.push(`200 %: is ${overflow} pixels too wide`);
  await scaleText(page, '');
  return found;
}

function scaleText(page: Page, size: string): Promise<void> {
  return page.evaluate((fontSize) => {
    document.documentElement.style.fontSize = fontSize;
    window.dispatchEvent(new Event('resize'));
  }, size);
}
