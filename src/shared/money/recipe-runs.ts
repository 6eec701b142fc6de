import type { SessionEvent } from '@shared/events/events.ts';
import type { Where } from '@shared/models/model-info.ts';
import type { StepState, TurnState } from '@shared/session/session-state.ts';
import type { TurnEndReason } from '@shared/events/turn-events.ts';

/** The time limit of a recipe in seconds, by its id. Other recipes have the time of their turn. */
export const recipeTimeLimitSeconds = { 'fix-failing-tests': 250 } as const;

/** Sums over recipe runs of one stage, so that the runs of a day add up like those of a turn. */
export interface RecipeRunTotals {
  readonly runs: number;
  readonly calls: number;
  /** Tokens that the model wrote in these calls. */
  readonly written: number;
  /** Milliseconds spent waiting for something other than the model, such as tests and copies. */
  readonly otherMs: number;
  /** The time limits of the runs together, in milliseconds. */
  readonly limitMs: number;
  /** Calls that the same recipe made in the other place in the same turn. */
  readonly madeThere: number;
  /**
   * Calls per second of model time, added up over the runs. Sums of times would let one busy hour outweigh all others.
   */
  readonly rate: number;
}

/**
 * Recipe runs by how they ended. A recipe asks another model the same questions until one solves the task. So the
 * number of questions, and why it stopped, tell how many there would be elsewhere.
 */
export interface RecipeRunsByEnd {
  /** Asked everything without success. */
  readonly exhausted: RecipeRunTotals;
  /** Ran out of time before everything was asked. */
  readonly timedOut: RecipeRunTotals;
  readonly solved: RecipeRunTotals;
  /** Gave an answer that no check judges. */
  readonly answered: RecipeRunTotals;
  /** Failed here and in the other place, which was asked afterwards in the same turn. */
  readonly unsolvedInBoth: RecipeRunTotals;
  /** The other place was really asked in the same turn, so nothing must be estimated. */
  readonly ranInBoth: RecipeRunTotals;
  /**
   * Work that this machine began and the cloud's loop then did: calls here that were of no use to it, and calls there
   * that this machine alone would not have made. Only calls and tokens; such runs do not count as usual.
   */
  readonly takenOver: RecipeRunTotals;
}

const none: RecipeRunTotals = { runs: 0, calls: 0, written: 0, otherMs: 0, limitMs: 0, madeThere: 0, rate: 0 };
export const noRecipeRuns: RecipeRunsByEnd = {
  exhausted: none,
  timedOut: none,
  solved: none,
  answered: none,
  unsolvedInBoth: none,
  ranInBoth: none,
  takenOver: none,
};

export function addRecipeRuns(left: RecipeRunsByEnd, right: RecipeRunsByEnd): RecipeRunsByEnd {
  const both = (kind: keyof RecipeRunsByEnd): RecipeRunTotals => ({
    runs: left[kind].runs + right[kind].runs,
    calls: left[kind].calls + right[kind].calls,
    written: left[kind].written + right[kind].written,
    otherMs: left[kind].otherMs + right[kind].otherMs,
    limitMs: left[kind].limitMs + right[kind].limitMs,
    madeThere: left[kind].madeThere + right[kind].madeThere,
    rate: left[kind].rate + right[kind].rate,
  });
  return {
    exhausted: both('exhausted'),
    timedOut: both('timedOut'),
    solved: both('solved'),
    answered: both('answered'),
    unsolvedInBoth: both('unsolvedInBoth'),
    ranInBoth: both('ranInBoth'),
    takenOver: both('takenOver'),
  };
}

/** One ended run of a recipe, or of the loop. */
export interface RecipeRun {
  /** Null: the loop, in which the model chooses for itself. Only calls in the place of its stage count. */
  readonly recipe: string | null;
  readonly model: string;
  readonly where: Where;
  readonly tookMs: number;
  readonly calls: number;
  /** Tokens written in these calls. */
  readonly written: number;
  /** Model time of these calls. */
  readonly modelMs: number;
  /** The time after which it gave up, in seconds, if its log says so. */
  readonly giveUpSeconds?: number | undefined;
}

/** A recipe run as an addition to the sums. */
export interface EndedRecipeRun {
  readonly model: string;
  readonly where: Where;
  readonly recipeRuns: RecipeRunsByEnd;
}

/** The recipe runs of one turn, in order. All but the last gave up; `reason` says how the last one ended. */
export function recipeRunsOf(
  runs: readonly RecipeRun[],
  reason: TurnEndReason,
  maxMinutes: number,
): readonly EndedRecipeRun[] {
  const programs = runs.filter(({ recipe }) => recipe !== null);
  const made = (where: Where): number =>
    programs.reduce((sum, run) => (run.where === where ? sum + run.calls : sum), 0);
  return runs
    .filter(({ calls }) => calls > 0)
    .flatMap((run): readonly EndedRecipeRun[] => {
      const { model, where, recipe, tookMs, calls, written, modelMs } = run;
      if (isOfTakeover(runs, run))
        return [{ model, where, recipeRuns: { ...noRecipeRuns, takenOver: { ...none, calls, written } } }];
      if (recipe === null) return [];
      const whole = Object.entries(recipeTimeLimitSeconds).find(([id]) => id === recipe)?.[1] ?? Infinity;
      const own = run.giveUpSeconds ?? whole;
      const limitMs = Math.min(own, maxMinutes * 60) * 1000;
      const madeThere = made(where === 'local' ? 'cloud' : 'local');
      const sum: RecipeRunTotals = {
        runs: 1,
        calls,
        written,
        otherMs: Math.max(0, tookMs - modelMs),
        limitMs,
        madeThere,
        rate: (calls * 1000) / Math.max(1, modelMs),
      };
      const end = run === runs.at(-1) ? endOf(reason) : 'gave-up';
      if (end === null) return [{ model, where, recipeRuns: noRecipeRuns }];
      if (madeThere > 0) {
        // This machine had already asked everything. The cloud run began with what was known by then, and would have
        // asked more.
        const isAgain = where === 'local' && end === 'gave-up' && endOf(reason) === 'gave-up';
        return [{ model, where, recipeRuns: { ...noRecipeRuns, [isAgain ? 'unsolvedInBoth' : 'ranInBoth']: sum } }];
      }
      const kind = end !== 'gave-up' ? end : tookMs >= limitMs || reason === 'time-limit' ? 'timedOut' : 'exhausted';
      return [{ model, where, recipeRuns: { ...noRecipeRuns, [kind]: sum } }];
    });
}

/** Whether a run is the cloud's loop after work on this machine, or the work that was done here before it. */
function isOfTakeover(runs: readonly RecipeRun[], run: RecipeRun): boolean {
  const at = runs.indexOf(run);
  if (run.where === 'local') return runs.slice(at + 1).some(isCloudLoop);
  return isCloudLoop(run) && runs.slice(0, at).some(({ where, calls }) => where === 'local' && calls > 0);
}

function isCloudLoop({ where, recipe, calls }: RecipeRun): boolean {
  return where === 'cloud' && recipe === null && calls > 0;
}

/** Null when somebody or something else ended the run. Then the number of missing questions is unknown. */
function endOf(reason: TurnEndReason): 'solved' | 'answered' | 'gave-up' | null {
  switch (reason) {
    case 'done':
      return 'solved';
    case 'answered':
    case 'planned':
      return 'answered';
    case 'gave-up':
    case 'check-failed':
    case 'time-limit':
      return 'gave-up';
    default:
      return null;
  }
}

interface OpenRun {
  readonly recipe: string | null;
  readonly model: string;
  readonly where: Where;
  readonly startedAt: number;
  readonly giveUpSeconds?: number | undefined;
  calls: number;
  written: number;
  modelMs: number;
}

/** Folds a log event by event. The end of a turn returns its recipe runs. */
export function createRecipeRunFold(): (event: SessionEvent) => readonly EndedRecipeRun[] {
  let maxMinutes = Infinity;
  let runs: RecipeRun[] = [];
  let open: OpenRun | null = null;
  const places = new Map<string, Where>();
  const close = (at: number): void => {
    if (open !== null) {
      const { startedAt, ...run } = open;
      runs.push({ ...run, tookMs: Math.max(0, at - startedAt) });
    }
    open = null;
  };
  return (event) => {
    switch (event.type) {
      case 'turn-started':
        maxMinutes = event.limits.maxMinutes;
        runs = [];
        open = null;
        return [];
      case 'stage-chosen': {
        close(event.at);
        const { stage, recipe, at, giveUpSeconds: own } = event;
        const { model, where } = stage;
        open = { recipe, model, where, startedAt: at, giveUpSeconds: own, calls: 0, written: 0, modelMs: 0 };
        return [];
      }
      case 'model-call-started':
        places.set(event.callId, event.stage.where);
        return [];
      case 'model-call-ended': {
        const place = places.get(event.callId);
        places.delete(event.callId);
        if (open !== null && isOwnCall(open, place)) {
          open.calls += 1;
          open.written += event.usage.output;
          open.modelMs += event.timings.totalMs;
        }
        return [];
      }
      case 'turn-ended':
        close(event.at);
        return recipeRunsOf(runs, event.reason, maxMinutes);
      default:
        return [];
    }
  };
}

/** The same from the folded state of a turn; empty while it runs. */
export function recipeRunsInTurn(turn: TurnState, steps: readonly StepState[]): readonly EndedRecipeRun[] {
  const { endedAt, reason } = turn;
  if (endedAt === null || reason === null) return [];
  const runs = turn.stages.map(({ stage, recipe, at, giveUpSeconds: limit }, index): RecipeRun => {
    const until = turn.stages[index + 1]?.at ?? endedAt;
    const own = steps.filter(
      (step) =>
        step.turnId === turn.id && isBetween(step, at, until) && isOwnCall({ recipe, where: stage.where }, step.where),
    );
    const modelMs = own.reduce((sum, step) => sum + (step.end?.timings.totalMs ?? 0), 0);
    const written = own.reduce((sum, step) => sum + (step.end?.usage.output ?? 0), 0);
    const { model, where } = stage;
    return {
      recipe,
      model,
      where,
      tookMs: Math.max(0, until - at),
      calls: own.length,
      written,
      modelMs,
      giveUpSeconds: limit,
    };
  });
  return recipeRunsOf(runs, reason, turn.limits.maxMinutes);
}

/**
 * In the loop, the router may send single steps elsewhere, and those do not count. All questions of a recipe count as
 * its own.
 */
function isOwnCall({ recipe, where }: Pick<RecipeRun, 'recipe' | 'where'>, place: Where | undefined): boolean {
  return recipe !== null || place === where;
}

function isBetween({ startedAt, end }: StepState, from: number, to: number): boolean {
  return end !== null && startedAt >= from && startedAt < to;
}
