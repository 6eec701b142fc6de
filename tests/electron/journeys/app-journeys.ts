import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtFolder, launch, openActions, preparePlace, testEnvironment } from '../launch.ts';
import type { Launched, Place } from '../launch.ts';
import type { Hand, HandOptions } from './hand.ts';
import { createHand } from './hand.ts';
import type { Effort } from './hand.ts';

/** A journey that includes the end and restart of processes. It runs in the built app. */
export interface AppJourney {
  readonly name: string;
  readonly walk: (options: Omit<HandOptions, 'name'>) => Promise<Effort>;
}

const outcome = (hand: Hand, text: string) => hand.page.locator('[data-outcome]').getByText(text).last();

async function inApp(
  name: string,
  options: Omit<HandOptions, 'name'>,
  before: (place: Place) => Promise<void>,
  walk: (hand: Hand) => Promise<void>,
): Promise<Effort> {
  const place = preparePlace([]);
  let launched: Launched | null = null;
  try {
    await before(place);
    launched = await launch(place.home);
    await launched.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    const hand = createHand(launched.page, { name, ...options });
    await walk(hand);
    return hand.effort;
  } finally {
    await launched?.app.close();
    place.remove();
  }
}

/** The app is killed during a model call. It must open the session that was shown. */
const crash: AppJourney = {
  name: 'after a crash',
  walk: (options) =>
    inApp('after a crash', options, beginAndKill, async (hand) => {
      await hand.sees(hand.page.locator('[data-outcome="crashed"]').getByText('Interrupted'));
      await hand.stage('interrupted');
      const offer = hand.page.getByRole('region', { name: 'Interrupted task' });
      await hand.press(offer.getByRole('button', { name: 'Resume' }));
      await hand.sees(outcome(hand, 'Paris.'));
      await hand.stage('resumed');
    }),
};

async function beginAndKill(place: Place): Promise<void> {
  place.script([{ text: 'Paris.', delayMs: 600_000 }]);
  const { app, page } = await launch(place.home);
  await page.getByRole('textbox', { name: 'Task' }).fill('What is the capital of France?');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('[data-work=running]').waitFor();
  const dead = new Promise((done) => app.process().once('exit', done));
  app.process().kill('SIGKILL');
  await dead;
  place.script([{ text: 'Paris.' }]);
}

const terminal: AppJourney = {
  name: "from the terminal's session to the window",
  walk: (options) =>
    inApp("from the terminal's session", options, askInTerminal, async (hand) => {
      const { page } = hand;
      const item = page.locator('[data-session]', { hasText: 'capital of France' });
      await item.waitFor();
      if (hand.kind === 'keyboard') {
        await openActions(page, hand.keys);
        await hand.choose(page.getByRole('option', { name: /capital of France/u }), 'capital');
      } else {
        await hand.press(item);
      }
      await hand.sees(outcome(hand, 'Paris.'));
      await hand.stage('opened');
      await hand.type(page.getByRole('textbox', { name: 'Message' }), 'And of Italy?');
      await hand.send(page.getByRole('button', { name: 'Send', exact: true }));
      await hand.sees(outcome(hand, 'Rome.'));
      await hand.stage('gone on');
    }),
};

async function askInTerminal(place: Place): Promise<void> {
  place.script([{ text: 'Paris.' }]);
  const args = [join(builtFolder, 'main', 'cli.cjs'), 'run', 'What is the capital of France?'];
  await promisify(execFile)(process.execPath, args, { env: testEnvironment(place.home), timeout: 60_000 });
  place.script([{ text: 'Rome.' }]);
}

export const appJourneys: readonly AppJourney[] = [crash, terminal];
