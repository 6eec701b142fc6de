import type { Priors, Tally } from '@shared/routing/priors.ts';
import type { StepState, TurnState } from '@shared/session/session-state.ts';
import type { TurnEndReason } from '@shared/events/turn-events.ts';
import { asides } from '@shared/session/asides.ts';

const HALF_LIFE_MS = 30 * 24 * 3600 * 1000;

/** The parts of a session's state that are used. */
interface Work {
  readonly turns: readonly (Pick<TurnState, 'id' | 'endedAt' | 'reason'> & {
    readonly before: { readonly passed: boolean } | null;
    readonly after: { readonly passed: boolean } | null;
  })[];
  readonly steps: readonly {
    readonly turnId: string | null;
    readonly purpose: StepState['purpose'];
    readonly stage: { readonly model: string };
    readonly end?: { readonly usage: { readonly output: number } } | null;
  }[];
}

/** Adds a session's last turn. Counts only a turn that ended by itself and whose check had failed before the work. */
export function learnPriors(priors: Priors, { turns, steps }: Work): Priors {
  const turn = turns.at(-1);
  if (turn === undefined || turn.endedAt === null) return priors;
  const { id, endedAt } = turn;
  const isSolved = wasSolved(turn);
  if (isSolved === null) return priors;
  const own = steps.filter((step) => step.turnId === id && !asides.has(step.purpose));
  /** The model of the last step of a purpose did the work. A model whose work was taken over did not. */
  const last = new Map(own.map(({ purpose, stage }) => [purpose, stage.model]));
  const made = new Map(
    own.map(({ purpose, stage }) => [`${stage.model}\n${purpose}`, { purpose, model: stage.model }]),
  );
  return [...made.values()].reduce<Priors>((sum, { purpose, model }) => {
    const before = sum[model]?.[purpose];
    const made = own.filter((step) => step.purpose === purpose && step.stage.model === model);
    const written = made.reduce<number | null>(
      (total, { end }) => (end === null || end === undefined ? total : (total ?? 0) + end.usage.output),
      null,
    );
    const isOwn = isSolved && last.get(purpose) === model;
    const counted = count(before, { isSolved: isOwn, calls: made.length, written, at: endedAt });
    return { ...sum, [model]: { ...sum[model], [purpose]: counted } };
  }, priors);
}

/** So many turns of the whole home stand in where a project has few of its own. */
const LENT = 6;

/**
 * What is known for work in a project: its own counts, filled up by those of the whole home. Without counts of its own,
 * those of the home.
 */
export function priorsIn(home: Priors, project: Priors | undefined): Priors {
  if (project === undefined) return home;
  const entries = Object.entries(home).map(([model, purposes]) => {
    const own = project[model] ?? {};
    const tallies = Object.entries(purposes).map(([purpose, all]) => [purpose, filledUp(all, own[purpose])] as const);
    return [model, Object.fromEntries(tallies)] as const;
  });
  return Object.fromEntries(entries);
}

function filledUp(all: Tally, own: Tally | undefined): Tally {
  if (own === undefined) return all;
  // The counts of the home hold those of the project, too.
  const faded = fading(all.at - own.at);
  const rest = (name: CountName): number => Math.max(0, (all[name] ?? 0) - (own[name] ?? 0) * faded);
  const factor = Math.min(1, LENT / Math.max(LENT, rest('tries')));
  const sum = (name: CountName): number => (own[name] ?? 0) * faded + rest(name) * factor;
  const isKnown = (name: CountName): boolean => all[name] !== undefined && own[name] !== undefined;
  return {
    tries: sum('tries'),
    solved: Math.min(sum('solved'), sum('tries')),
    ...(isKnown('calls') ? { calls: sum('calls') } : {}),
    ...(isKnown('written') ? { written: sum('written') } : {}),
    at: all.at,
  };
}

type CountName = Exclude<keyof Tally, 'at'>;

/** What is left of a count after so long. A clock that was set back must not increase old counts. */
function fading(ms: number): number {
  return 0.5 ** (Math.max(0, ms) / HALF_LIFE_MS);
}

interface Counted {
  readonly isSolved: boolean;
  readonly calls: number;
  /** Null: no call came to an end. */
  readonly written: number | null;
  readonly at: number;
}

function count(before: Tally | undefined, { isSolved, calls, written, at }: Counted): Tally {
  const factor = before === undefined ? 0 : fading(at - before.at);
  // Old counts without a number of calls make the new sum of calls too low, so it is left out.
  const areKnown = before === undefined || before.calls !== undefined;
  const isWritten = written !== null && (before === undefined || before.written !== undefined);
  return {
    tries: (before?.tries ?? 0) * factor + 1,
    solved: (before?.solved ?? 0) * factor + (isSolved ? 1 : 0),
    ...(areKnown ? { calls: (before?.calls ?? 0) * factor + calls } : {}),
    ...(areKnown && isWritten ? { written: (before?.written ?? 0) * factor + written } : {}),
    at,
  };
}

const failed: ReadonlySet<TurnEndReason> = new Set([
  'gave-up',
  'check-failed',
  'step-limit',
  'time-limit',
  'output-limit',
  'repeated-call',
  'alternating-calls',
  'repeated-rejection',
]);

/** Null when no check judged the turn, or when somebody else ended it. */
function wasSolved({ reason, before, after }: Work['turns'][number]): boolean | null {
  if (reason === null || before?.passed !== false) return null;
  if (reason === 'done') return after?.passed === true ? true : null;
  return failed.has(reason) ? false : null;
}
