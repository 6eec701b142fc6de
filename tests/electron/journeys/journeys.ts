import type { Locator } from 'playwright-core';
import { progressStream } from '../../../src/main/lib/async/push-queue.ts';
import type { Comparison } from '../../../src/shared/comparisons/comparison.ts';
import { comparisonScene } from '../../fakes/comparison-scene.ts';
import { createPageCore } from '../../fakes/page-core.ts';
import { pdfFile } from '../../fakes/pdf-file.ts';
import type { Hand } from './hand.ts';
import type { JourneyBed } from './journey-bed.ts';
import { openActions } from '../launch.ts';

/** A new user's path through the window, from the field of a new task to the wanted result. */
export interface Journey {
  readonly name: string;
  /** Sets up what the journey needs. None of this is counted. */
  readonly prepare: (bed: JourneyBed) => Promise<void>;
  readonly walk: (hand: Hand, bed: JourneyBed) => Promise<void>;
}

export const main = ({ page }: Hand): Locator => page.getByRole('main');
export const button = (hand: Hand, name: string | RegExp): Locator =>
  main(hand).getByRole('button', { name, exact: true });
const task = ({ page }: Hand): Locator => page.getByRole('textbox', { name: 'Task', exact: true });
const message = ({ page }: Hand): Locator => page.getByRole('textbox', { name: 'Message' });
export const answer = ({ page }: Hand, text: string): Locator => page.locator('[data-outcome]').getByText(text).last();

export async function use(bed: JourneyBed, model: string): Promise<void> {
  await bed.core.client.settings.set({ key: 'local', value: model });
}

export async function begin(hand: Hand, text: string): Promise<void> {
  await hand.type(task(hand), text);
  await hand.send(button(hand, 'Start'));
}

export async function say(hand: Hand, text: string): Promise<void> {
  await hand.type(message(hand), text);
  await hand.send(button(hand, 'Send'));
}

/** An answer that consists of one tool call. */
export function tool(name: string, input: object, delayMs = 0) {
  return { toolCalls: [{ name, input }], delayMs };
}

/** Starts in a home without a model. The download is scripted and ends at once. */
const firstAnswer: Journey = {
  name: 'first answer',
  prepare: async ({ core, replace }) => {
    let isHere = false;
    replace({
      models: {
        list: async (call) => {
          const all = await core.handlers.models.list(call);
          const state = isHere ? ('ready' as const) : ('downloadable' as const);
          return all.map((model) => (model.id === 'first/script' ? { ...model, state, sizeBytes: 1.1e9 } : model));
        },
        suggest: async (call) => ({ ...(await core.handlers.models.suggest(call)), models: [] }),
        pull: ({ signal }) =>
          progressStream(async (onProgress) => {
            onProgress({ phase: 'downloading', doneBytes: 4e8, totalBytes: 1.1e9, text: '' });
            isHere = true;
            onProgress({ phase: 'done', doneBytes: 1.1e9, totalBytes: 1.1e9, text: '' });
          }, signal),
      },
    });
  },
  walk: async (hand) => {
    const guide = hand.page.getByRole('region', { name: 'Get started' });
    await guide.getByRole('button', { name: /^Download a model/u }).waitFor();
    await hand.stage('start');
    await hand.press(guide.getByRole('button', { name: /^Download a model/u }));
    await hand.sees(guide.getByText('is ready.'));
    await hand.press(guide.getByRole('button', { name: 'Explain what a regular expression is' }));
    await hand.sees(answer(hand, 'Hello.'));
    await hand.stage('answer');
  },
};

const diagram = '```mermaid\ngraph TD\n  A[Sea] --> B[Cloud]\n  B --> C[Rain]\n  C --> A\n```\n';

const chat: Journey = {
  name: 'chat with a follow-up and a diagram',
  prepare: async (bed) => use(bed, await bed.script('chat', [{ text: 'Water rises and falls.' }, { text: diagram }])),
  walk: async (hand) => {
    await begin(hand, 'How does water go round?');
    await hand.sees(answer(hand, 'Water rises and falls.'));
    await hand.stage('answer');
    await say(hand, 'Draw that as a diagram.');
    await hand.sees(hand.page.locator('[data-diagram] img').last());
    await hand.stage('diagram');
  },
};

const repair: Journey = {
  name: 'a repair watched and stopped',
  prepare: async (bed) => {
    const fixed = 'def total(prices):\n    return sum(prices)\n';
    const replies = [
      tool('read_file', { path: 'cart.py' }),
      tool('write_file', { path: 'cart.py', content: fixed }),
      tool('read_file', { path: 'cart.py' }, 600_000),
    ];
    await use(bed, await bed.script('repair', replies));
  },
  walk: async (hand, { project }) => {
    await hand.type(hand.page.getByRole('combobox', { name: 'Project folder' }), project);
    await begin(hand, 'The total of a cart is wrong. Find the bug and fix it.');
    const line = hand.page.locator('[data-work]').last();
    await hand.sees(line);
    await hand.press(line);
    await hand.sees(hand.page.locator('[id^=row-]').getByText('cart.py').nth(1));
    await hand.stage('watched');
    await hand.press(button(hand, 'Stop'));
    await hand.sees(answer(hand, 'Stopped by you'));
    await hand.stage('stopped');
  },
};

/** One pixel. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const picture: Journey = {
  name: 'a picture',
  prepare: async (bed) => {
    await bed.script('eyes', [{ text: 'It is a blue pixel.' }], { images: true });
    await use(bed, await bed.script('blind', [{ text: 'I am blind.' }]));
  },
  walk: async (hand) => {
    await hand.attach(button(hand, 'Attach images and files'), { name: 'shot.png', buffer: pixel });
    const notice = hand.page.getByRole('status').filter({ hasText: 'cannot see images' });
    await hand.sees(notice);
    await hand.stage('not seen');
    await hand.press(notice.getByRole('button', { name: 'Use this model' }));
    await notice.waitFor({ state: 'detached' });
    await begin(hand, 'What is in it?');
    await hand.sees(answer(hand, 'It is a blue pixel.'));
    // The next message goes to the chosen model, too.
    await hand.sees(button(hand, 'Model: Scripted answers (eyes)'));
    await hand.stage('answer');
  },
};

const invoice = pdfFile({ pages: [['Cover'], ['Invoice 4711', 'Total: 1,234.50 EUR'], ['Terms']], isCompressed: true });

const document: Journey = {
  name: 'a PDF question with the page cited',
  prepare: async (bed) => use(bed, await bed.script('pdf', [{ text: 'The total is 1,234.50 EUR (page 2).' }])),
  walk: async (hand) => {
    await hand.attach(button(hand, 'Attach images and files'), { name: 'invoice.pdf', buffer: invoice });
    await hand.sees(main(hand).getByRole('list', { name: 'Attached' }).getByText('3 pages'));
    await hand.stage('attached');
    await begin(hand, 'What is the total, and on which page?');
    await hand.sees(answer(hand, 'The total is 1,234.50 EUR (page 2).'));
    await hand.stage('answer');
  },
};

const compare: Journey = {
  name: 'compare',
  prepare: async ({ replace }) => {
    const scene = createPageCore();
    comparisonScene(scene);
    const [one] = await scene.client.comparisons.list();
    if (one === undefined) throw new Error('There is no comparison in the scene.');
    let begun: Comparison | null = null;
    replace({
      comparisons: {
        list: () => (begun === null ? [] : [begun]),
        create: ({ input }) => {
          begun = {
            ...one,
            input,
            runs: one.runs.filter((run) => input.ways.some(({ policy }) => policy === run.way)),
          };
          return { id: one.id };
        },
        start: () => undefined,
        show: () => begun ?? one,
        watch: async function* () {
          yield begun ?? one;
        },
      },
    });
  },
  walk: async (hand, { project }) => {
    await goTo(hand, 'Compare', 'Compare models and ways of working');
    await hand.press(button(hand, 'New comparison'));
    const form = hand.page.getByRole('form', { name: 'New comparison' });
    await hand.sees(form);
    await hand.stage('form');
    await hand.type(form.getByLabel('Task'), 'Make the total right.');
    await hand.type(form.getByLabel('Project folder'), project);
    await hand.type(form.getByLabel('Success check'), 'python3 -m pytest -q');
    await hand.press(form.getByRole('button', { name: 'Start' }));
    await hand.sees(hand.page.getByText('Results by way'));
    await hand.stage('result');
  },
};

/** Opens a view by the navigation or by the command palette. */
export async function goTo(hand: Hand, view: string, action: string): Promise<void> {
  const { page } = hand;
  if (hand.kind === 'pointer') {
    await hand.press(page.getByRole('navigation').getByRole('button', { name: view, exact: true }));
  } else {
    await openActions(page, hand.keys);
    await hand.choose(page.getByRole('option', { name: action, exact: true }), action);
  }
  await hand.sees(page.getByRole('heading', { level: 1, name: view }));
}

const otherModel: Journey = {
  name: 'another model in the middle',
  prepare: async (bed) => {
    await bed.script('other', [{ text: 'The other one says four.' }]);
    await use(bed, await bed.script('usual', [{ text: 'The usual one says five.' }]));
  },
  walk: async (hand) => {
    await begin(hand, 'What is two and two?');
    await hand.sees(answer(hand, 'The usual one says five.'));
    await hand.press(button(hand, /^Model: /u));
    const picker = hand.page.getByRole('dialog', { name: 'Choose a model' });
    const option = picker.locator('[data-option="other/script"]');
    await hand.sees(option);
    await hand.stage('picker');
    await hand.choose(option, 'other');
    await picker.waitFor({ state: 'detached' });
    await say(hand, 'Are you sure?');
    await hand.sees(answer(hand, 'The other one says four.'));
    await hand.stage('answer');
  },
};

const found: Journey = {
  name: "find last week's answer",
  prepare: async (bed) => {
    const { client } = bed.core;
    const texts = ['The backup runs at 03:17.', 'Nothing of that kind.', 'Another answer.'];
    for (const [at, text] of texts.entries()) {
      await use(bed, await bed.script(`past${at}`, [{ text }]));
      const { sessionId } = await client.sessions.create({ projectPath: null, title: `Talk ${at + 1}` });
      await client.sessions.send({ sessionId, text: 'When is it?', options: { approve: 'deny' } });
      await client.sessions.result({ sessionId });
    }
  },
  walk: async (hand) => {
    const { page } = hand;
    const search = page.getByRole('searchbox', { name: 'Search sessions' });
    if (hand.kind === 'keyboard') await hand.keys('Control+Shift+F');
    await hand.type(search, 'backup runs');
    const hit = page.locator('[data-hit]').first();
    await hand.sees(hit);
    await hand.stage('hits');
    await hand.press(hit);
    await hand.sees(answer(hand, 'The backup runs at 03:17.'));
    await hand.stage('answer');
  },
};

/** The journeys that need the page and the core. The first one needs an empty home. */
export const journeys: readonly Journey[] = [firstAnswer, chat, repair, picture, document, compare, otherModel, found];
