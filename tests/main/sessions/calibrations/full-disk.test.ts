import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { calibrationInputSchema, type Calibration } from '../../../../src/shared/calibration/calibration.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { createCalibrationRunner } from '../../../../src/main/sessions/calibrations/run-calibrations.ts';

const never = (): never => {
  throw new Error('Nobody asks for this.');
};

const stored: Calibration = {
  id: 'one',
  createdAt: 1,
  input: calibrationInputSchema.parse({ projectPath: '/project' }),
  state: 'working',
  why: null,
  project: null,
  tasks: [],
  tried: { commit: 0, fault: 0, question: 0 },
  dropped: {},
  runs: [
    {
      taskId: 't1',
      model: 'a/b',
      where: 'local',
      state: 'waiting',
      comparisonId: null,
      sessionId: null,
      solved: null,
      why: null,
      seconds: null,
      costUsd: null,
      energyWh: null,
    },
  ],
  workedSeconds: 0,
  kept: null,
};

// Catches: "It was interrupted." after a full disk, which also took the reason.
it('a calibration says that the disk is full, although that could not be written, until it goes on', async () => {
  let isFull = true;
  const runner = createCalibrationRunner({
    home: join(tmpdir(), 'dewpoint-no-such-home'),
    store: {
      load: async () => stored,
      list: async () => [stored],
      save: async () => {
        if (isFull) throw new AppError('disk-full', 'The disk is full.');
      },
    },
    newId: never,
    settings: never,
    now: never,
    quiet: { now: never, isWorking: never, busyShare: never },
    keepTask: never,
    folderOfTasks: never,
    prepareWorkspace: never,
    runGit: never,
    symbols: never,
    trial: { startSandbox: never, settings: never, masks: never, gatherFacts: never, onProgress: never },
    logOf: never,
    record: { add: never },
    comparisons: {
      create: never,
      start: never,
      watch: never,
      cancel: never,
      giveUp: never,
      judge: never,
      show: never,
      list: never,
      unread: never,
      running: never,
      idle: never,
      dispose: never,
    },
  });
  await runner.start('one', {});
  await runner.idle();
  expect(await runner.show('one')).toMatchObject({ state: 'stopped', why: 'The disk is full.' });
  isFull = false;
  await runner.start('one', {});
  await runner.idle();
  expect(await runner.show('one')).toMatchObject({ state: 'stopped', why: 'It was interrupted.' });
});
