import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { patienceMs } from '../launch.ts';
import type { ScreenReader } from './screen-reader.ts';

/** A key to press, and what must be heard after it. */
export interface ScriptLine {
  readonly press: string;
  readonly hear: string;
}

/** The tables of a document, keyed by the third-level heading above each. */
export function scriptsOf(markdown: string): Readonly<Record<string, readonly ScriptLine[]>> {
  const parts = markdown.split(/^### /mu).slice(1);
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...lines] = part.split('\n');
      const rows = lines.filter((line) => line.startsWith('| ')).slice(1);
      return [name, rows.map(lineOf)];
    }),
  );
}

function lineOf(row: string): ScriptLine {
  const [, press = '', hear = ''] = row.split('|').map((cell) => cell.trim());
  return { press, hear };
}

interface Listening {
  readonly page: Page;
  readonly reader: ScreenReader;
  /** What the live regions said and no line of the script has matched yet. */
  readonly said: string[];
}

/** What is not there after this time counts as missing. */
const patience = { timeout: patienceMs, interval: 30 };
/** A control that takes more presses than this counts as out of reach. */
const mostPresses = 60;

/**
 * Plays a script from top to bottom. Returns the lines that were heard differently, and announcements that no line
 * expects.
 */
export async function playScript(
  page: Page,
  reader: ScreenReader,
  lines: readonly ScriptLine[],
): Promise<readonly string[]> {
  const listening: Listening = { page, reader, said: [] };
  const { said } = listening;
  const wrong: string[] = [];
  for (const line of lines) {
    const heard = isNews(line.hear) ? await nextNews(listening, line) : await hearFocus(page, reader, line);
    if (heard !== null) wrong.push(`${line.press}: "${heard}", not "${line.hear}"`);
  }
  said.push(...(await reader.news()));
  return [...wrong, ...said.map((line) => `not in the script: ${line}`)];
}

const isNews = (hear: string): boolean => /^(?:polite|assertive): /u.test(hear);

/** Compares two texts. `…` in the wanted one matches any words. */
function isSame(heard: string, wanted: string): boolean {
  const parts = wanted.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'u').test(heard);
}

async function nextNews({ page, reader, said }: Listening, { press, hear }: ScriptLine): Promise<string | null> {
  await act(page, press);
  await expect
    .poll(async () => {
      said.push(...(await reader.news()));
      return said.length;
    }, patience)
    .toBeGreaterThan(0)
    .catch(() => undefined);
  const heard = said.shift() ?? 'nothing';
  return isSame(heard, hear) ? null : heard;
}

/**
 * Presses the key and compares what is then heard at the focus or at the reader's position. Null means that it matches.
 */
async function hearFocus(page: Page, reader: ScreenReader, { press, hear }: ScriptLine): Promise<string | null> {
  if (press === 'next heading') return matched(await reader.nextHeading(), hear);
  if (press === 'read on') return matched(await reader.next(), hear);
  const keys = /^`(?<keys>[^`]+)` until$/u.exec(press)?.groups?.['keys'];
  if (keys !== undefined) return pressUntil(page, reader, keys, hear);
  await act(page, press);
  let heard = '';
  // A control that is drawn again may get its name or state a moment later.
  await expect
    .poll(async () => {
      const now = await reader.focus();
      if (now !== '') heard = now;
      return isSame(heard, hear);
    }, patience)
    .toBe(true)
    .catch(() => undefined);
  reader.arrive();
  return matched(heard, hear);
}

const matched = (heard: string, hear: string): string | null => (isSame(heard, hear) ? null : heard);

async function pressUntil(page: Page, reader: ScreenReader, keys: string, hear: string): Promise<string | null> {
  const passed: string[] = [];
  for (let count = 0; count < mostPresses; count += 1) {
    await page.keyboard.press(keys);
    const heard = await reader.focus();
    reader.arrive();
    // The containers are spoken before the control, or together with it.
    if (isSame(heard.split('; ').at(-1) ?? '', hear)) return null;
    passed.push(heard);
  }
  return passed.join(' | ');
}

async function act(page: Page, press: string): Promise<void> {
  if (press === 'wait' || press === 'open the app') return;
  const typed = /^type (?<text>.+)$/u.exec(press)?.groups?.['text'];
  if (typed !== undefined) await page.keyboard.insertText(typed);
  else await page.keyboard.press(press.replaceAll('`', ''));
}
