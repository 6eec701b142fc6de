import type { SessionEvent } from '@shared/events/events.ts';
import type { Where } from '@shared/models/model-info.ts';
import type { StepState, TurnState } from '@shared/session/session-state.ts';
import type { TurnEndReason } from '@shared/events/turn-events.ts';

/** How long a program may take in all, in seconds, by its id; others have the time of their turn. */
export const recipeTimeLimitSeconds = { 'fix-failing-tests': 250 } as const;

/** Runs of programs on one stage: sums, so that a day adds up like a turn. */
export interface RecipeRunTotals {
  readonly runs: number;
  readonly calls: number;
  /** Tokens that the model wrote in these calls. */
  readonly written: number;
  /** Waiting for anything but the model: tests, copies. Milliseconds. */
  readonly otherMs: number;
  /** The time that they had. Milliseconds. */
  readonly limitMs: number;
  /** Calls that the same program made in the other place in the same turn. */
  readonly madeThere: number;
  /** Calls in a second of the model's time, added up over the runs: a busy hour does not outweigh all others, as it would in a sum of times. */
  readonly rate: number;
}

/**
 * How the questions of programs ended. The same program asks another model the same questions while nothing solves the
 * task, so how many there were, and why there were no more, says how many there would be elsewhere.
 */
export interface RecipeRunsByEnd {
  /** All was asked, to no end. */
  readonly exhausted: RecipeRunTotals;
  /** Time was up before all was asked. */
  readonly timedOut: RecipeRunTotals;
  readonly solved: RecipeRunTotals;
  /** Told something that nothing judges. */
  readonly answered: RecipeRunTotals;
  /** To no end, and the other place was asked after it in the same turn, to no end either. */
  readonly unsolvedInBoth: RecipeRunTotals;
  /** The other place has really been asked in the same turn: there is nothing to imagine. */
  readonly ranInBoth: RecipeRunTotals;
  /**
   * Of work that this machine began and that the cloud then did by its loop: calls here that were of no use to it, and
   * calls there that this machine alone would not have come to. Calls and tokens alone; no run that says what is usual.
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

/** One run of a program as it ended, or of the loop. */
export interface RecipeRun {
  /** Null: the loop, in which the model chooses for itself. Its calls are those in the place of its stage. */
  readonly recipe: string | null;
  readonly model: string;
  readonly where: Where;
  readonly tookMs: number;
  readonly calls: number;
  /** Tokens, of these calls. */
  readonly written: number;
  /** Of these calls. */
  readonly modelMs: number;
  /** After this it gave up, in seconds, where its log says so. */
  readonly giveUpSeconds?: number | undefined;
}

/** A run of a program, as what it counts. */
export interface EndedRecipeRun {
  readonly model: string;
  readonly where: Where;
  readonly recipeRuns: RecipeRunsByEnd;
}

/** The runs of one turn in their order. All but the last gave up; `reason` says how that one ended. */
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
        // Here all was asked already; there it began with what was known by then, and would have asked more.
        const isAgain = where === 'local' && end === 'gave-up' && endOf(reason) === 'gave-up';
        return [{ model, where, recipeRuns: { ...noRecipeRuns, [isAgain ? 'unsolvedInBoth' : 'ranInBoth']: sum } }];
      }
      const kind = end !== 'gave-up' ? end : tookMs >= limitMs || reason === 'time-limit' ? 'timedOut' : 'exhausted';
      return [{ model, where, recipeRuns: { ...noRecipeRuns, [kind]: sum } }];
    });
}

/** The loop of the cloud after this machine, and what this machine had done before it. */
function isOfTakeover(runs: readonly RecipeRun[], run: RecipeRun): boolean {
  const at = runs.indexOf(run);
  if (run.where === 'local') return runs.slice(at + 1).some(isCloudLoop);
  return isCloudLoop(run) && runs.slice(0, at).some(({ where, calls }) => where === 'local' && calls > 0);
}

function isCloudLoop({ where, recipe, calls }: RecipeRun): boolean {
  return where === 'cloud' && recipe === null && calls > 0;
}

/** Null: somebody, or something else, ended it; how many more questions there would have been it does not say. */
function endOf(reason: TurnEndReason): 'solved' | 'answered' | 'gave-up' | null {
  switch (reason) {
    case 'done':
      return 'solved';
    case 'answered':
    case 'planned':
      return 'answered';
    case 'gave-up':
    case 'criterion-unmet':
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

/** Folds a log event by event; the end of a turn gives the runs of programs in it. */
export function createRecipeRunFold(): (event: SessionEvent) => readonly EndedRecipeRun[] {
  let maxMinutes = Infinity;
  let runs: RecipeRun[] = [];
  let open: OpenRun | null = null;
  const places = new Map<string, Where>();
  const close = (at: number): void => {
    if (open !== null) {
      const { startedAt, ...run } = open;
      runs.push({ ...run, tookMs: at - startedAt });
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

/** The same from what is kept of a turn; none while it runs. */
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
    return { recipe, model, where, tookMs: until - at, calls: own.length, written, modelMs, giveUpSeconds: limit };
  });
  return recipeRunsOf(runs, reason, turn.limits.maxMinutes);
}

/** In the loop the router may send single steps elsewhere; what a program asks is counted as its own. */
function isOwnCall({ recipe, where }: Pick<RecipeRun, 'recipe' | 'where'>, place: Where | undefined): boolean {
  return recipe !== null || place === where;
}

function isBetween({ startedAt, end }: StepState, from: number, to: number): boolean {
  return end !== null && startedAt >= from && startedAt < to;
}
