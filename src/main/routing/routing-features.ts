import type { Features, ChoiceFacts, ModelOption, TaskFeatures } from './define.ts';
import type { Trajectory } from './trajectory/trajectory.ts';
import type { Purpose } from '@shared/events/call-events.ts';

const risky =
  /\b(?:race|deadlock|concurren\w*|thread-?safe\w*|async\w*|security|vulnerab\w*|injection|migrat\w*|architect\w*|redesign|refactor\w*|performance|memory leak)\b/giu;
const rote =
  /\b(?:rename|typos?|comments?|docstrings?|readme|changelog|wording|spelling|format(?:ting)?|lint|imports?)\b/giu;
const trace = /(?:^|\n)[ \t]*(?:Traceback \(most recent|at \S+ \(|File "[^"]+", line \d+|panicked at|E\s{2,}\w+Error)/u;
const paths = /(?:^|[\s`'"(])[\w./-]+\.[a-z]{1,4}(?=$|[\s`'",:;)])/giu;

/** Only this much of a longer text counts, because a pasted log is not the task. */
const READ_CHARACTERS = 20_000;

/** The task in numbers, from its words. A weak signal, but cheap. */
export function taskFeatures(task: string, known: Pick<TaskFeatures, 'hasCheck'>): Omit<TaskFeatures, 'isQuestion'> {
  const text = task.slice(0, READ_CHARACTERS);
  return {
    characters: task.length,
    files: new Set([...text.matchAll(paths)].map((match) => match[0].trim())).size,
    hasTrace: trace.test(text),
    riskyWords: text.match(risky)?.length ?? 0,
    roteWords: text.match(rote)?.length ?? 0,
    ...known,
  };
}

/**
 * The facts of a pair as plain numbers, for the votes of rules and for learning. `local…` is the weaker of the two,
 * `cloud…` the stronger. Names are stable (docs/routing-data.md): new
 * ones may be added, but none may change its meaning. Flags are 0 or 1.
 */
export function featuresOf(
  facts: ChoiceFacts,
  { weaker: local, stronger }: { readonly weaker: ModelOption | null; readonly stronger: ModelOption | null },
): Features {
  const { trajectory, task } = facts;
  const { counts } = trajectory;
  const promptTokens = local?.promptTokens ?? stronger?.promptTokens ?? 0;
  return {
    ...purposeFlags[facts.purpose],
    ...surenessOf(trajectory, local),
    ...recordOf(facts, local, stronger),
    promptTokens,
    localWindowShare: local === null ? 1 : promptTokens / local.info.contextTokens,
    localParametersB: local?.info.parametersB ?? 0,
    isRecipe: flag(local?.strategy === 'recipe' && facts.isRecipeChecked),
    taskCharacters: task.characters,
    taskFiles: task.files,
    taskHasTrace: flag(task.hasTrace),
    taskHasCheck: flag(task.hasCheck),
    taskIsQuestion: flag(task.isQuestion),
    taskRiskyWords: task.riskyWords,
    taskRoteWords: task.roteWords,
    ...(task.makesNew === undefined ? {} : { taskMakesNew: flag(task.makesNew) }),
    steps: trajectory.steps,
    ...(facts.numbers.score === undefined
      ? {}
      : { stepShare: trajectory.steps / facts.numbers.taskSteps, emptyResults: counts.emptyResults }),
    stepsSinceSwitch: trajectory.stepsSinceSwitch,
    takeovers: trajectory.takeovers,
    consecutiveFailures: trajectory.consecutiveFailures,
    severity: trajectory.window.reduce((sum, one) => sum + one, 0),
    isExploring: flag(trajectory.steps > 0 && counts.writes === 0),
    writes: counts.writes,
    rejectedEdits: counts.rejectedEdits,
    stepsWithoutWrite: counts.stepsWithoutWrite,
    repeatedCalls: counts.repeatedCalls,
    sameErrors: counts.sameErrors,
    formatFailures: counts.formatFailures,
    failedChecks: counts.failedChecks,
    compactions: counts.compactions,
    testsGreen: flag(trajectory.isGreen === true),
    testsRed: flag(trajectory.isGreen === false),
    testsGreenBefore: flag(trajectory.wasGreenBefore === true),
  };
}

/** How likely the local model took the words of its last answer to be, 0 to 1; all 0 if that is not reported. */
function surenessOf({ models }: Trajectory, local: ModelOption | null): Features {
  const sureness = local === null ? null : (models[local.info.id]?.sureness ?? null);
  return {
    hasLocalSureness: flag(sureness !== null),
    localLeastSure: sureness === null ? 0 : Math.exp(sureness.least),
    localTenthSure: sureness === null ? 0 : Math.exp(sureness.tenth),
    localQuarterSure: sureness === null ? 0 : Math.exp(sureness.quarter),
  };
}

/** Counted turns with steps of this kind that a check judged; 0: none, or not counted. */
function recordOf(
  { numbers, purpose }: ChoiceFacts,
  weaker: ModelOption | null,
  stronger: ModelOption | null,
): Features {
  const of = (option: ModelOption | null) =>
    option === null ? undefined : numbers.priors?.[option.info.id]?.[purpose];
  const [here, there] = [of(weaker), of(stronger)];
  return {
    localTries: here?.tries ?? 0,
    localSolved: here?.solved ?? 0,
    cloudTries: there?.tries ?? 0,
    cloudSolved: there?.solved ?? 0,
  };
}

const kinds = { isReading: 0, isPlanning: 0, isRote: 0 } as const;

const purposeFlags: Readonly<Record<Purpose, Readonly<Record<keyof typeof kinds, number>>>> = {
  act: kinds,
  locate: { ...kinds, isReading: 1 },
  propose: kinds,
  answer: kinds,
  embed: kinds,
  plan: { ...kinds, isPlanning: 1 },
  summarize: { ...kinds, isRote: 1 },
  choose: { ...kinds, isReading: 1 },
  title: { ...kinds, isRote: 1 },
  advise: { ...kinds, isPlanning: 1 },
  review: kinds,
  sample: kinds,
};

function flag(value: boolean): number {
  return value ? 1 : 0;
}
