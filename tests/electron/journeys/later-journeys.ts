import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pdfFile } from '../../fakes/pdf-file.ts';
import type { Locator } from 'playwright-core';
import type { Hand } from './hand.ts';
import type { Journey } from './journeys.ts';
import { answer, begin, button, main, pixel, say, tool, use } from './journeys.ts';
import { openActions } from '../launch.ts';

/** A search service on this machine, as one that a person runs. It ends with the process. */
async function searchService(): Promise<string> {
  const results = [
    { title: 'Weather in Lisbon', url: 'https://weather.example/lisbon', content: 'Sunny, 21 degrees.' },
  ];
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ results }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  server.unref();
  const address: AddressInfo | string | null = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

const web: Journey = {
  name: 'a question to the web from an empty chat',
  prepare: async (bed) => {
    await bed.core.client.settings.set({ key: 'web', value: { search: 'searxng', searxng: await searchService() } });
    const replies = [
      tool('web_search', { query: 'weather Lisbon', why: 'You asked for the weather.' }),
      { text: 'It is sunny in Lisbon, 21 degrees (weather.example).' },
    ];
    await use(bed, await bed.script('web', replies));
  },
  walk: async (hand) => {
    await begin(hand, 'What is the weather in Lisbon?');
    const asked = hand.page.getByRole('alertdialog');
    await hand.sees(asked);
    await hand.stage('asked');
    await hand.press(asked.getByRole('button', { name: 'Allow once' }));
    await hand.sees(answer(hand, 'It is sunny in Lisbon'));
    await hand.stage('answer');
  },
};

const offline: Journey = {
  name: 'a picture asked about offline',
  prepare: async (bed) => {
    // A service that sees pictures too, and that nobody reaches.
    const away = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', images: true };
    await bed.core.client.settings.set({ key: 'providers.away', value: away });
    await bed.script('here', [{ text: 'A blue pixel, seen on this machine.' }], { images: true });
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
    await hand.sees(hand.page.locator('[data-outcome]').last());
    await hand.stage('answer');
  },
};

const ask = (question: string, choices: readonly string[]) => tool('ask_person', { question, choices });

const fourTasks: Journey = {
  name: 'four tasks at once, of which two ask',
  prepare: async (bed) => {
    const { client } = bed.core;
    const asking = [ask('Which port should it use?', ['8080', '9090']), { text: 'It uses that port.' }];
    const other = [ask('Which language should it have?', ['German', 'French']), { text: 'It has that language.' }];
    for (const [title, replies] of [
      ['Open a port', asking],
      ['Translate the letter', other],
      ['Sum up the minutes', [{ text: 'The minutes say: yes.' }]],
      ['Write a long poem', [{ text: 'Never.', delayMs: 600_000 }]],
    ] as const) {
      const local = await bed.script(`task-${title.split(' ')[0]?.toLowerCase() ?? ''}`, replies);
      const { sessionId } = await client.sessions.create({ projectPath: null, title });
      await client.sessions.send({
        sessionId,
        text: `${title}.`,
        options: { policy: 'local', local, mode: 'work', interactive: true },
      });
    }
  },
  walk: async (hand) => {
    const { page } = hand;
    if (hand.kind === 'keyboard') await hand.keys('Control+Shift+L');
    else await hand.press(page.getByRole('navigation').getByRole('button', { name: /^Tasks/u }));
    const row = (name: string) => page.getByRole('listitem', { name, exact: true });
    await hand.sees(row('Open a port').getByRole('alertdialog'));
    await hand.sees(row('Translate the letter').getByRole('alertdialog'));
    await hand.stage('four');
    await hand.press(row('Open a port').getByRole('button', { name: '8080' }));
    await hand.press(row('Translate the letter').getByRole('button', { name: 'French' }));
    await hand.press(row('Write a long poem').getByRole('button', { name: 'Stop' }));
    await hand.press(row('Open a port').getByText('Look at the result'));
    await hand.sees(row('Open a port').getByText('It uses that port.'));
    await hand.press(row('Sum up the minutes').getByText('Look at the result'));
    await hand.sees(row('Sum up the minutes').getByText('The minutes say: yes.'));
    await hand.stage('done');
  },
};

const receipt: Journey = {
  name: 'the receipt of a month',
  prepare: async () => undefined,
  walk: async (hand) => {
    const { page } = hand;
    const title = 'What left this machine';
    if (hand.kind === 'keyboard') {
      await openActions(page, hand.keys);
      await hand.choose(page.getByRole('option', { name: title }).first(), title);
    } else {
      await hand.press(page.getByRole('navigation').getByRole('button', { name: 'Costs', exact: true }));
      await hand.press(button(hand, title));
    }
    await hand.sees(page.getByRole('heading', { level: 1, name: title }));
    await hand.sees(main(hand).getByRole('region').first());
    await hand.stage('this month');
    await hand.type(main(hand).getByLabel('Month'), '2026-10');
    await hand.sees(main(hand).getByRole('region').first());
    await hand.stage('last month');
  },
};

const guessed: Journey = {
  name: 'settings found by guess',
  prepare: async () => undefined,
  walk: async (hand) => {
    const { page } = hand;
    if (hand.kind === 'keyboard') await hand.keys('Control+,');
    else await hand.press(page.getByRole('navigation').getByRole('button', { name: 'Settings', exact: true }));
    const search = page.getByRole('searchbox', { name: 'Search settings' });
    await hand.type(search, 'dark mode');
    const theme = main(hand).getByRole('combobox', { name: 'Theme' });
    await hand.sees(theme);
    await hand.stage('found');
    await hand.select(theme, 'Dark');
    await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark');
    // A native list takes letters that follow soon as one word, so the keyboard goes to its first line.
    if (hand.kind === 'keyboard') await hand.keys('Home');
    else await hand.select(theme, 'System');
    await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'light');
    await hand.type(search, 'budget');
    await hand.sees(main(hand).getByLabel('Limit per month, $'));
    await hand.type(search, 'who made this');
    await hand.stage('other words');
  },
};

/** A cloud model that would cost more than the limit allows. */
const limited: Journey = {
  name: 'a limit that the next call could exceed',
  prepare: async (bed) => {
    const price = { input: 30, output: 150, source: 'test', date: '2026-11-21' };
    const cloud = await bed.script('dear', [{ text: 'The cloud says yes.' }], { where: 'cloud', price });
    await bed.core.client.settings.set({ key: 'cloud', value: cloud });
    await bed.core.client.settings.set({ key: 'policy', value: 'cloud' });
    await bed.core.client.budget.change({ scope: 'task', change: { how: 'set', usd: 0.001 } });
  },
  walk: async (hand, bed) => {
    try {
      await begin(hand, 'Is water wet?');
      const asked = hand.page.getByRole('alertdialog').or(hand.page.getByRole('region', { name: /could exceed/u }));
      await hand.sees(asked.first());
      await hand.stage('asked');
      await hand.press(button(hand, 'Raise limit'));
      await hand.sees(answer(hand, 'The cloud says yes.'));
      await hand.stage('answer');
    } finally {
      await bed.core.client.budget.change({ scope: 'task', change: { how: 'set', usd: null } });
      await bed.core.client.settings.set({ key: 'policy', value: 'local' });
    }
  },
};

const papers = [
  ['tariff.pdf', ['Tariff', 'A parcel of 2 kg costs 6.90 EUR.']],
  ['terms.pdf', ['Terms', 'Returns are free for 30 days.']],
  ['hours.pdf', ['Hours', 'Open from 9 to 18.']],
] as const;

const knowledge: Journey = {
  name: 'a project with three PDFs and instructions',
  prepare: async (bed) => {
    const folder = join(bed.project, '..');
    for (const [name, page] of papers)
      writeFileSync(join(folder, name), pdfFile({ pages: [[...page]], isCompressed: true }));
    const { page } = bed.served;
    // What the preload of the app says of a chosen file.
    await page.addInitScript((at) => {
      Reflect.set(window, 'dewpoint', { pathOf: (file: File) => `${at}/${file.name}` });
    }, folder);
    const replies = [
      tool('search_documents', { words: 'What does a parcel of 2 kg cost?' }),
      { text: 'It costs 6.90 EUR (tariff.pdf, page 1).' },
    ];
    await use(bed, await bed.script('papers', replies));
    await bed.core.client.sessions.create({ projectPath: bed.project, title: 'Shop' });
  },
  walk: async (hand) => {
    const { page } = hand;
    await hand.press(page.getByRole('button', { name: 'Settings of shop' }));
    const section = page.getByRole('region', { name: 'Knowledge' });
    const files = papers.map(([name]) => ({ name, buffer: Buffer.from('x') }));
    await hand.attach(section.getByRole('button', { name: /^Add files/u }), ...files);
    for (const [name] of papers) await hand.sees(section.locator(`[data-knowledge="${name}"]`));
    await hand.stage('knowledge');
    await instruct(hand, 'Name the file and the page of each figure.');
    await hand.stage('instructions');
    await hand.press(button(hand, 'New task here'));
    await begin(hand, 'What does a parcel of 2 kg cost?');
    await hand.sees(answer(hand, 'It costs 6.90 EUR'));
    await seesInstructions(hand);
    await hand.stage('answer');
  },
};

/** Writes the instructions of the project whose page is open. */
async function instruct(hand: Hand, text: string): Promise<void> {
  const own = hand.page.getByRole('region', { name: 'Your instructions' });
  await hand.type(own.getByRole('textbox'), text);
  await hand.press(own.getByRole('button', { name: 'Save instructions' }));
  await hand.sees(own.getByText(/^They are kept in/u));
}

/** The last call had the instructions of the project, and the window says whose they are. */
async function seesInstructions(hand: Hand): Promise<void> {
  await hand.keys('Control+5');
  const context = hand.page.getByRole('tabpanel', { name: 'Context' });
  await hand.sees(context.getByText('Your instructions of the project'));
}

/** Opens the dialog that moves the session on the screen. A menu is walked with the arrow keys. */
async function openMove(hand: Hand): Promise<Locator> {
  const { page } = hand;
  await hand.press(main(hand).getByRole('button', { name: 'Session actions' }));
  const item = page.getByRole('menuitem', { name: 'Move to a project…' });
  await hand.sees(item);
  if (hand.kind === 'pointer') await hand.press(item);
  else {
    const isThere = (): Promise<boolean> => item.evaluate((element) => element === document.activeElement);
    for (let step = 0; step < 20 && !(await isThere()); step += 1) await hand.keys('ArrowDown');
    await hand.keys('Enter');
  }
  const dialog = page.getByRole('dialog', { name: 'Move to a project' });
  await hand.sees(dialog);
  return dialog;
}

const moved: Journey = {
  name: 'moving a talk into a project',
  prepare: async (bed) => use(bed, await bed.script('books', [{ text: 'Begin with a short one.' }])),
  walk: async (hand) => {
    const { page } = hand;
    await begin(hand, 'What should we read next month?');
    await hand.sees(answer(hand, 'Begin with a short one.'));
    await hand.press(page.getByRole('button', { name: 'New project' }));
    const making = page.getByRole('dialog', { name: 'New project' });
    await hand.type(making.getByLabel('Name'), 'Book club');
    await hand.stage('new project');
    await hand.press(making.getByRole('button', { name: 'Make project' }));
    await hand.sees(page.getByRole('heading', { level: 1, name: 'Book club' }));
    await hand.stage('empty project');
    await instruct(hand, 'We read one book a month.');
    await hand.press(page.locator('[data-session]', { hasText: 'What should we read next month?' }).first());
    const moving = await openMove(hand);
    await hand.select(moving.getByLabel('Project'), 'Book club');
    await hand.sees(moving.getByText('its instructions come with each message'));
    await hand.stage('before the move');
    await hand.press(moving.getByRole('button', { name: 'Move', exact: true }));
    await hand.sees(main(hand).getByText(/^Moved into the project Book club/u));
    await say(hand, 'And after that?');
    await hand.sees(answer(hand, 'Begin with a short one.'));
    await seesInstructions(hand);
    await hand.stage('moved');
    const back = await openMove(hand);
    await hand.select(back.getByLabel('Project'), 'No project');
    await hand.sees(back.getByText('no longer come with it'));
    await hand.press(back.getByRole('button', { name: 'Move', exact: true }));
    await hand.sees(main(hand).getByText(/^Moved out of its project/u));
    await hand.stage('back');
  },
};

/** Walked before there is a project. */
export const talkJourneys: readonly Journey[] = [limited, web, fourTasks, moved];

export const laterJourneys: readonly Journey[] = [offline, receipt, guessed, knowledge];
