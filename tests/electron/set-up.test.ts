import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** Catches: a check that sends or starts something by itself, or a red line that leads nowhere. */
let served: ServedPage;
const tried: string[] = [];

beforeAll(async () => {
  const core = createPageCore();
  furnish(core);
  core.trials = [
    {
      trial: { id: 'sandbox', area: 'sandbox', text: 'Run a first command in the sandbox', mostUsd: 0 },
      finding: { area: 'sandbox', status: 'ok', text: 'The first command ran in 1.2 s.', hint: null },
    },
    {
      trial: { id: 'server tracker', area: 'tools', text: 'Start tracker and list its tools', mostUsd: 0 },
      finding: { area: 'tools', status: 'missing', text: 'tracker: it ended.', hint: 'dewpoint tools test tracker' },
    },
    {
      trial: { id: 'model sky/large', area: 'model', text: 'Ask sky/large a test question', mostUsd: 0.0312 },
      finding: { area: 'model', status: 'ok', text: 'sky/large answered in 1.4 s. It cost $0.0004.', hint: null },
    },
  ];
  const found = core.trials;
  core.replace({
    setup: {
      try: ({ input: { id } }) => {
        tried.push(id);
        const one = found.find(({ trial }) => trial.id === id);
        return one?.finding ?? { area: id, status: 'missing', text: id, hint: null };
      },
    },
  });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(() => served?.close());

const group = () => served.page.getByRole('region', { name: 'Setup', exact: true });
const show = async (): Promise<void> => {
  await served.page.getByRole('button', { name: 'Settings', exact: true }).click();
  await group().getByRole('heading', { name: 'Try it' }).waitFor();
};

it('the page Setup tries nothing before a button is pressed, and says what a cloud model would cost', async () => {
  await show();
  await group().getByText('(at most $0.0312)').waitFor();
  expect(tried).toEqual([]);
  await group().getByRole('button', { name: 'Try: Ask sky/large a test question' }).click();
  await group().getByText('sky/large answered in 1.4 s. It cost $0.0004.').waitFor();
  expect(tried).toEqual(['model sky/large']);
});

it('the page Setup tries all that costs nothing with one button, and each red line leads to its place', async () => {
  tried.length = 0;
  await show();
  await group().getByRole('button', { name: 'Try all 2 that cost nothing' }).click();
  await group().getByText('tracker: it ended.').waitFor();
  expect(tried).toEqual(['sandbox', 'server tracker']);
  expect(await violations(served.page)).toEqual([]);
  for (const [width, height, scheme] of [
    [1360, 860, 'light'],
    [1360, 860, 'dark'],
    [900, 700, 'light'],
  ] as const) {
    await served.resize(width, height);
    await served.page.emulateMedia({ colorScheme: scheme });
    await group().getByText('Try it').scrollIntoViewIfNeeded();
    await keepScreenshot(served.page, `set-up-${width}-${scheme}`);
  }
  await group().getByRole('button', { name: 'Open tools' }).click();
  await served.page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
});
