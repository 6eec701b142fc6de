import { appJourneys } from './app-journeys.ts';
import type { Effort, HandKind, HandOptions } from './hand.ts';
import { createHand } from './hand.ts';
import type { JourneyBed } from './journey-bed.ts';
import { openBed } from './journey-bed.ts';
import { keepScreenshot, reload } from '../launch.ts';
import { ensureShellAndDisplay } from '../setup.ts';
import type { Journey } from './journeys.ts';
import { journeys } from './journeys.ts';
import { laterJourneys, talkJourneys } from './later-journeys.ts';
import { toolServer } from './server-journey.ts';

export interface Walked {
  readonly name: string;
  readonly kind: HandKind;
  readonly effort: Effort | null;
  /** Where the journey ended too early. Null: it was finished. */
  readonly deadEnd: string | null;
}

/** A part of a name, to walk only some. */
const wanted = process.env.DEWPOINT_JOURNEY ?? '';
const isWanted = (name: string): boolean => name.includes(wanted);

/** Walks all journeys one after the other, each from a new task. */
export async function* walkJourneys({ kind, looks }: Omit<HandOptions, 'name'>): AsyncGenerator<Walked> {
  const endDisplay = await ensureShellAndDisplay();
  try {
    yield* walkedInPage({ kind, looks });
    for (const { name, walk } of appJourneys.filter((one) => isWanted(one.name)))
      yield await walked(name, kind, () => walk({ kind, looks }));
  } finally {
    endDisplay();
  }
}

async function* walkedInPage({ kind, looks }: Omit<HandOptions, 'name'>): AsyncGenerator<Walked> {
  const bed = await openBed();
  try {
    const [first, ...others] = journeys;
    const all = [...(first === undefined ? [] : [first]), ...talkJourneys, toolServer, ...others, ...laterJourneys];
    for (const journey of all.filter(({ name }) => isWanted(name))) {
      yield await walked(journey.name, kind, () => walkOne(journey, bed, { kind, looks }));
    }
  } finally {
    await bed.close();
  }
}

async function walked(name: string, kind: HandKind, walk: () => Promise<Effort>): Promise<Walked> {
  try {
    return { name, kind, effort: await walk(), deadEnd: null };
  } catch (error) {
    return { name, kind, effort: null, deadEnd: error instanceof Error ? error.message : String(error) };
  }
}

async function walkOne(journey: Journey, bed: JourneyBed, options: Omit<HandOptions, 'name'>): Promise<Effort> {
  const { page } = bed.served;
  await journey.prepare(bed);
  await page.evaluate(() => sessionStorage.removeItem('dewpoint-view'));
  // Each journey is another person's: nothing that the last one chose is kept.
  await page.evaluate(() => localStorage.clear());
  await reload(page);
  await page.getByRole('textbox', { name: 'Task', exact: true }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  const hand = createHand(page, { name: journey.name, ...options });
  try {
    await journey.walk(hand, bed);
    return hand.effort;
  } catch (error) {
    await keepScreenshot(page, `journey-${journey.name}-dead end`);
    throw error;
  }
}
