import { expect, it } from 'vitest';
import { calibrate } from '../../../../../../src/main/hosts/cli/commands/projects/calibrate.command.ts';
import { calibrationInputSchema, type CalibrationView } from '../../../../../../src/shared/calibration/calibration.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createFakeHandlers, emptyHandlers } from '../../../../../fakes/fake-handlers.ts';

const failing =
  'The tests fail as they are (1 of them). So there are questions at most, and this says nothing about changes of code.';
const made: CalibrationView = {
  id: 'c1',
  createdAt: 0,
  input: calibrationInputSchema.parse({ projectPath: '/project', locals: ['a/x'] }),
  state: 'making',
  why: null,
  project: null,
  tasks: [],
  tried: { commit: 0, fault: 0, question: 0 },
  dropped: {},
  runs: [],
  workedSeconds: 0,
  kept: null,
};

const unknown = { usd: null, why: 'no work yet' };

it('a calibration says what failing tests leave as soon as they were run, once, and before a model works', async () => {
  const tested: CalibrationView = { ...made, project: { testCommand: 'npm test', suiteSeconds: 3, notes: [failing] } };
  const ended: CalibrationView = { ...tested, state: 'ended' };
  const heard: string[] = [];
  const fake = createFakeHandlers(emptyHandlers, {
    monthCosts: async () => ({
      days: null,
      spent: unknown,
      forecast: unknown,
      asWorked: unknown,
      allCloud: unknown,
      allLocal: unknown,
      payback: { hardwareUsd: null, months: null, why: null },
    }),
    calibrations: {
      start: async () => undefined,
      show: async () => ended,
      watch: async () =>
        (async function* () {
          for (const view of [made, tested, ended]) {
            yield view;
            heard.push(said.err);
          }
        })(),
    },
  });
  const { context, said } = commandContext(fake);
  await calibrate(context, undefined, { resume: 'c1', json: true });
  const [first = '', second = '', third = ''] = heard;
  expect(heard).toHaveLength(3);
  expect(first).not.toContain(failing);
  expect(second.split(failing)).toHaveLength(2);
  expect(third).toBe(second);
});
