import { join } from 'node:path';
import { hiddenFinder } from './compose-folders.ts';
import type { createHomeMoney } from './money/home-money.ts';
import { gatherFacts } from './projects/facts/gather-project-facts.ts';
import { withTestCommand } from './projects/facts/own-test-command.ts';
import type { ProjectSetup } from './projects/configure-project.ts';
import type { RouteRecord } from './routing/record/route-record.ts';
import type { HiddenValues } from './safety/hidden-values.ts';
import type { RuleFiles } from './safety/rule-files.ts';
import type { SandboxFactory } from './sandbox/sandbox-factory.ts';
import { prepareWorkspace } from './sandbox/workspace/prepare-workspace.ts';
import type { Blobs } from './sessions/blobs/blob-store.ts';
import { createCalibrationStore } from './sessions/calibrations/calibration-store.ts';
import { createCalibrationRunner, type CalibrationRunnerOptions } from './sessions/calibrations/run-calibrations.ts';
import { createComparisonStore } from './sessions/comparisons/comparison-store.ts';
import { answerOfRun, type AskJudge } from './sessions/comparisons/judge-runs.ts';
import { createRoutingSnapshotTaker } from './sessions/comparisons/routing-snapshot.ts';
import { createComparisonRunner, type ComparisonRunnerOptions } from './sessions/comparisons/run-comparisons.ts';
import { keepTask } from './sessions/library/capsule/keep-task.ts';
import type { SessionStore } from './sessions/store/session-store.ts';
import type { SettingsStore } from './settings/settings-store.ts';

interface CalibrationBase {
  readonly settings: SettingsStore;
  readonly rules: RuleFiles;
  readonly store: SessionStore;
  readonly blobs: Blobs;
  readonly setup: ProjectSetup;
  readonly hidden: HiddenValues;
  readonly now: () => number;
}

interface CalibrationNeeds
  extends
    Pick<ComparisonRunnerOptions, 'sessions' | 'modelInfo'>,
    Pick<CalibrationRunnerOptions, 'symbols' | 'runGit'> {
  readonly record: RouteRecord;
  readonly startSandbox: SandboxFactory;
  readonly money: ReturnType<typeof createHomeMoney>;
  readonly askJudge: AskJudge['once'];
  /** How many turns run in sessions. */
  readonly runningTurns: () => number;
}

/** Comparisons of the person, and calibrations, which work by comparisons of their own. */
export function createComparingParts(
  {
    home,
    version,
    onNotice,
  }: { readonly home: string; readonly version: string; readonly onNotice: (text: string) => void },
  base: CalibrationBase,
  { record, startSandbox, money, askJudge, runningTurns, ...needs }: CalibrationNeeds,
) {
  const { settings, rules, store, blobs, setup, now } = base;
  const trial: CalibrationRunnerOptions['trial'] = {
    startSandbox,
    settings: () => settings.current().sandbox,
    masks: async (projectPath) => (await rules.activeRules(projectPath)).masks,
    gatherFacts: (projectPath, files, signal) =>
      withTestCommand(gatherFacts, async () => (await setup.show(projectPath)).testCommand)(files, signal),
    onProgress: onNotice,
  };
  const keeping = {
    ...base,
    home,
    version,
    settings: () => settings.current(),
    hiddenIn: hiddenFinder({ home }, base),
  };
  const comparisonsIn = (folder: readonly string[], learnRun: RouteRecord['learnRun']) =>
    createComparisonRunner({
      settings: () => settings.current(),
      prepareWorkspace,
      home,
      store: createComparisonStore(join(home, ...folder)),
      sessionStore: store,
      blobs,
      sessions: needs.sessions,
      modelInfo: needs.modelInfo,
      reference: money.reference,
      routes: createRoutingSnapshotTaker({ settings: () => settings.current(), rules: rules.activeRules, record }),
      ask: { once: askJudge, answerOf: (sessionId, most) => answerOfRun(needs.sessions, sessionId, most) },
      trial: { ...trial, home, prepareWorkspace },
      learnRun,
      now,
    });
  const comparisons = comparisonsIn(['comparisons'], record.learnRun);
  // A calibration judges its runs itself, and counts them once.
  const own = comparisonsIn(['calibrations', 'runs'], async () => undefined);
  const calibrations = createCalibrationRunner({
    ...needs,
    home,
    store: createCalibrationStore(join(home, 'calibrations')),
    logOf: (sessionId) => store.view(sessionId),
    newId: () => store.newSessionId(),
    settings: () => settings.current(),
    now,
    quiet: { isWorking: () => runningTurns() > 0 || comparisons.running() > 0, now },
    prepareWorkspace,
    comparisons: own,
    record,
    trial,
    keepTask: (path, task, signal) => keepTask(keeping, path, task, signal),
    folderOfTasks: (id) => join(home, 'calibrations', id),
  });
  return {
    comparisons,
    calibrations: {
      ...calibrations,
      dispose: async () => {
        await calibrations.dispose();
        await own.dispose();
      },
    },
  };
}
