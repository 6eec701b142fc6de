import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  Comparison,
  ComparisonInput,
  ComparisonRun,
  RunFigures,
} from '../../src/shared/comparisons/comparison.ts';
import { plannedRuns } from '../../src/shared/comparisons/comparison.ts';
import { AppError } from '../../src/shared/errors.ts';
import type { PushQueue } from '../../src/main/lib/async/push-queue.ts';
import { createPushQueue, latestOf } from '../../src/main/lib/async/push-queue.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let sessionId: string;
const asked: ComparisonInput[] = [];
const cancelled: string[] = [];
const configured: unknown[] = [];
let current: Comparison | null = null;
let watcher: PushQueue<Comparison> | null = null;

const figures: RunFigures = {
  status: 'done',
  reason: 'done',
  passedBefore: false,
  steps: 4,
  localSteps: 4,
  seconds: 42,
  tokens: { freshInput: 3_400, cacheRead: 12_000, cacheWrite: 0, output: 600 },
  costUsd: 0,
  energyWh: null,
  elsewhere: { cloudUsd: { value: 0.05, low: 0.03, high: 0.08 }, localSeconds: { value: 40, low: 40, high: 40 } },
};

const ended = (passed: boolean, more: Partial<RunFigures>): Partial<ComparisonRun> => ({
  state: 'ended',
  sessionId,
  check: { command: 'npm test', passed, seconds: 1, summary: '' },
  figures: { ...figures, ...more },
});

/** Sends the next state of the comparison, as the core would: the first runs with the given changes. */
function push(...changes: readonly Partial<ComparisonRun>[]): void {
  if (current === null) throw new Error('Nothing was begun.');
  current = { ...current, runs: current.runs.map((run, index) => ({ ...run, ...changes[index] })) };
  void watcher?.push(current);
}

const section = (page: ServedPage['page'], name: string) =>
  page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name, exact: true }) })
    .last();

beforeAll(async () => {
  const core = createPageCore();
  furnish(core);
  ({ sessionId } = await fixScene(core));
  core.replace({
    comparisons: {
      list: () => (current === null ? [] : [current]),
      create: ({ input }) => {
        if (input.projectPath === '/nowhere') throw new AppError('not-found', 'The folder /nowhere was not found.');
        asked.push(input);
        current = { id: 'c1', createdAt: Date.now(), input, runs: plannedRuns(input), judgements: [], abandoned: [] };
        return { id: 'c1' };
      },
      start: () => push({ state: 'running', sessionId }),
      watch: ({ signal }) => {
        watcher = createPushQueue<Comparison>(signal, Number.POSITIVE_INFINITY);
        if (current !== null) void watcher.push(current);
        return latestOf(watcher);
      },
      tasks: () => ({
        form: 'kept',
        tasks: [
          {
            id: 't1',
            kind: 'fault',
            prompt: 'The test fails.',
            projectPath: '/home/ada/projects/api-server',
            check: 'npm test',
            hidden: { command: 'npm test' },
          },
        ],
        skipped: [{ id: 'broken.capsule', why: 'This is not a capsule.' }],
      }),
      cancel: ({ input }) => void cancelled.push(input.id),
      judge: ({ input: { pair, verdict } }) => {
        if (current === null) throw new Error('Nothing was begun.');
        const said = { ...pair, verdict, by: 'you', why: '', costUsd: 0 } as const;
        current = { ...current, judgements: [...current.judgements, said] };
        return current;
      },
    },
    projects: {
      configure: ({ input }) => {
        configured.push(input.change);
        return core.client.projects.settings({ projectPath: input.projectPath });
      },
    },
  });
  served = await servePage(core);
  await served.resize(1200, 900);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

describe('the comparison of ways in the window', () => {
  it('begins, says first what is wrong, and shows each run as it ends', async () => {
    const { page } = served;
    await page.getByRole('navigation').getByRole('button', { name: 'Compare' }).click();
    await page.getByText('No comparisons yet.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'New comparison' }).click();
    const form = page.getByRole('form', { name: 'New comparison' });
    await form.getByLabel('Task').fill('Make the week tests pass.');
    await form.getByLabel('Project folder').fill('/nowhere');
    await form.getByLabel('Success check').fill('npm test');
    // One of the ways that are there at first goes, and another one gets a strategy.
    await form.getByRole('button', { name: 'Remove way 2' }).click();
    await form.getByRole('listitem', { name: 'Way 2' }).getByLabel('Strategy').selectOption('loop');
    await form.getByRole('button', { name: 'Add a task' }).click();
    await form.getByLabel('Task 2', { exact: true }).fill('Make the day tests pass.');
    await form.getByRole('button', { name: 'Remove task 2' }).click();
    await form.getByRole('button', { name: 'Start' }).click();
    await form.getByRole('alert').getByText('The folder /nowhere was not found.').waitFor();
    expect(await violations(page)).toEqual([]);
    await form.getByLabel('Project folder').fill('/home/ada/projects/api-server');
    await form.getByRole('button', { name: 'Start' }).click();
    await page.getByText('working', { exact: true }).waitFor();
    expect(asked).toMatchObject([
      {
        tasks: [{ name: 'Make the week tests pass.', text: 'Make the week tests pass.' }],
        ways: [{ policy: 'local' }, { policy: 'cloud', strategy: 'loop' }],
        check: 'npm test',
        repeat: 1,
        approve: 'deny',
      },
    ]);
    push(ended(false, {}), { state: 'running', sessionId });
    await page.getByText('check failed').waitFor();
    const bill = { value: 0.0421, low: 0.0421, high: 0.0421 };
    const elsewhere = { cloudUsd: bill, localSeconds: null };
    push({}, ended(true, { localSteps: 0, seconds: 18, costUsd: 0.0421, steps: 3, elsewhere }));
    watcher?.end();
    const table = section(page, 'Results by way');
    const rows = async (): Promise<readonly string[]> =>
      (await table.getByRole('row').allInnerTexts()).map((row) => row.replaceAll(/\s+/gu, ' ').trim());
    await expect
      .poll(rows)
      .toEqual([
        'Way Solved Preferred Time Money If all cloud If all local Steps On this machine Tokens in / out Tokens per second Electricity Hardware share',
        'local 0 of 1 – 42 s $0 $0.0500 $0.0300 to $0.0800 40 s 4 100% 15.4k / 600 – – –',
        'cloud,strategy=loop 1 of 1 – 18 s $0.0421 $0.0421 – 3 0% 15.4k / 600 – – –',
      ]);
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await page
      .getByText('cloud,strategy=loop solved 1 of 1, local solved 0 of 1. With so few runs, that can be chance.')
      .waitFor();
    for (const scheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      expect(await violations(page)).toEqual([]);
    }
  });

  it('shows both answers without names, takes a verdict by one key, and makes a way the usual one', async () => {
    const { page } = served;
    const pairs = section(page, 'Answers beside each other');
    await pairs.getByRole('region', { name: 'Answer of cloud,strategy=loop' }).waitFor();
    await pairs.getByRole('button', { name: 'Judge without names' }).click();
    await pairs.getByRole('region', { name: 'Left answer' }).waitFor();
    expect(await pairs.getByText(/local|cloud/u).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    // A key that is held down scrolls, as elsewhere.
    await page.evaluate(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', repeat: true })));
    await page.keyboard.press('ArrowDown');
    await pairs.getByText('You: Both are as good.').waitFor();
    expect(current?.judgements).toMatchObject([{ verdict: 'same', left: 'local', right: 'cloud,strategy=loop' }]);
    const use = section(page, 'Use a way from now on');
    await use.getByLabel('Way').selectOption('cloud,strategy=loop');
    await use.getByRole('button', { name: /^Use in api-server/u }).click();
    await use.getByText('cloud,strategy=loop is now the default in api-server.').waitFor();
    expect(configured).toMatchObject([{ type: 'choose', choices: { policy: 'cloud' } }]);
    await use.getByLabel('For').selectOption('Fixes');
    await use.getByRole('button', { name: 'Use in all projects' }).click();
    await use.getByText(/^cloud,strategy=loop now does Fixes in all projects/u).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('stops, resumes, and leads to the session of a run', async () => {
    const { page } = served;
    push({ state: 'waiting', check: null, figures: null, why: 'stopped' });
    await page.getByRole('button', { name: 'All comparisons' }).click();
    await page.getByRole('button', { name: /Make the week tests pass/u }).click();
    await page.getByText('stopped').waitFor();
    watcher?.end();
    await page.getByText('1 run left.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => cancelled).toEqual(['c1']);
    await page.getByRole('button', { name: 'Open session' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Fix the failing date test' }).waitFor();
    expect(served.complaints).toEqual([]);
  });

  it('takes the tasks of a folder, and says what of a folder cannot be run', async () => {
    const { page } = served;
    await page.getByRole('navigation').getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'New comparison' }).click();
    const form = page.getByRole('form', { name: 'New comparison' });
    await form.getByLabel('Project folder').fill('/home/ada/projects/api-server');
    await form.getByLabel('Source').selectOption('A capsule or a folder of tasks');
    await form.getByLabel('Folder or file').fill('/home/ada/tasks');
    await form.getByRole('button', { name: 'Read tasks' }).click();
    await form.getByText('1 task: t1 (fault)').waitFor();
    await form.getByText('Not run: broken.capsule: This is not a capsule.').waitFor();
    expect(await violations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Start' }).click();
    await expect.poll(() => asked.at(-1)?.tasks).toMatchObject([{ name: 't1', text: 'The test fails.' }]);
    await page.getByText('working', { exact: true }).waitFor();
  });
});
