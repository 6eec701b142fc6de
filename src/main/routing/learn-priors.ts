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

interface Counted {
  readonly isSolved: boolean;
  readonly calls: number;
  /** Null: no call came to an end. */
  readonly written: number | null;
  readonly at: number;
}

function count(before: Tally | undefined, { isSolved, calls, written, at }: Counted): Tally {
  // A clock that was set back must not increase old counts.
  const factor = before === undefined ? 0 : 0.5 ** (Math.max(0, at - before.at) / HALF_LIFE_MS);
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
