import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CalibrationRun, CalibrationView } from '../../src/shared/calibration/calibration.ts';
import { calibrationInputSchema } from '../../src/shared/calibration/calibration.ts';
import { createPageCore, type PageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import { servePage, type ServedPage } from './page-kit.ts';

const project = '/home/ada/projects/api-server';
const model = 'llama-cpp/qwen2.5-coder-1.5b-instruct';

let served: ServedPage;
let core: PageCore;
const asked: string[] = [];

const kinds = ['commit', 'fault', 'question'] as const;
const tasks: CalibrationView['tasks'] = Array.from({ length: 18 }, (_, at) => ({
  id: `t${at + 1}`,
  kind: kinds[at % 3] ?? 'fault',
  size: at % 2 === 0 ? 'small' : 'medium',
  language: 'python',
  title: 'one',
  request: 'Fix it.',
  check: 'python3 -m pytest -q',
  verified: { failedBefore: 2, passedAfter: 2 },
}));
const runOf = (at: number): CalibrationRun => ({
  taskId: `t${at + 1}`,
  model,
  where: 'local',
  state: 'ended',
  comparisonId: null,
  sessionId: null,
  solved: at % 3 === 2 || at % 5 === 0,
  why: null,
  seconds: 40 + at,
  costUsd: 0,
  energyWh: null,
});
const done: CalibrationView = {
  id: 'one',
  createdAt: 1,
  input: calibrationInputSchema.parse({ projectPath: project, locals: [model] }),
  state: 'ended',
  why: null,
  project: {
    testCommand: 'pytest',
    suiteSeconds: 3,
    notes: ['The history is shallow: older commits are only at the remote.'],
  },
  tasks,
  tried: { commit: 9, fault: 20, question: 9 },
  dropped: { 'no test noticed the fault': 7 },
  runs: tasks.map((_, at) => runOf(at)),
  workedSeconds: 900,
  kept: null,
};
let now: CalibrationView | null = null;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  core.replace({
    calibrations: {
      list: () => (now === null ? [] : [now]),
      create: ({ input }) => {
        asked.push(`create ${input.projectPath}`);
        now = { ...done, state: 'making', tasks: tasks.slice(0, 3), runs: [] };
        return { id: 'one' };
      },
      start: ({ input }) => void asked.push(input.time === undefined ? 'start' : `start at ${input.time.at ?? 'once'}`),
      cancel: () => {
        asked.push('cancel');
        now = { ...done, state: 'stopped', why: 'It was stopped.', runs: [] };
      },
      watch: async function* () {
        if (now !== null) yield now;
      },
    },
  });
  await fixScene(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

it('the settings of a project find out what the local model is worth, and stop it', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Settings of api-server' }).click();
  const group = page.getByRole('region', { name: 'What your local model is worth here', exact: true });
  await group.getByRole('button', { name: 'Find out' }).click();
  await group.getByText('Making tasks: 3 so far').waitFor();
  await group.getByRole('button', { name: 'Stop' }).click();
  await group.getByText('Stopped. It was stopped.').waitFor();
  now = done;
  await group.getByRole('combobox', { name: 'Begin' }).selectOption('At 23:00, when this machine is idle');
  await group.getByRole('button', { name: 'Resume' }).click();
  await group.getByText('9 of 18').first().waitFor();
  expect(asked).toEqual([`create ${project}`, 'start', 'cancel', 'start at 23:00']);
});

it('the settings of a project show the solved tasks with their intervals, and what is unknown', async () => {
  const { page } = served;
  const group = page.getByRole('region', { name: 'What your local model is worth here', exact: true });
  const rows = group.getByRole('list', { name: 'Tasks solved by each model' }).getByRole('listitem');
  expect(await rows.count()).toBe(6);
  expect(await rows.nth(3).innerText()).toMatch(/questions[\s\S]*6 of 6[\s\S]*61% to 100%/u);
  await group.getByText('What this does not say').click();
  await group.getByText('The history is shallow').waitFor();
  await group.scrollIntoViewIfNeeded();
  await keepScreenshot(page, 'calibration');
  expect(await violations(page)).toEqual([]);
});
