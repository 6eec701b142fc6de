import type { SessionState, TurnState } from '@shared/session/session-state.ts';
import type { CloudReference, Counterfactual, Elsewhere, Interval } from './counterfactual.ts';
import { counterfactualOf } from './counterfactual.ts';
import type { TaskShape } from './task-needs.ts';
import { neededBy, shapeOf } from './task-needs.ts';
import { guessedNeed } from './usual-task.ts';
import type { SplitWorkload } from './workload.ts';
import { sessionWork } from './workload.ts';

type Session = Pick<SessionState, 'turns' | 'steps'>;

/**
 * What a session, or one of its turns, would have cost in one place alone. Work that this machine did alone is priced
 * by what the cloud does for such a task: by the record of the cloud model in this home, otherwise by what tasks of the
 * kind usually take. Never by the tokens that were used here: a recipe or a weak model asks other questions. Everything
 * else, and a plain chat, is estimated by `counterfactualOf`.
 */
export function counterfactualOfTurns(
  state: Session,
  reference: CloudReference | null,
  turnId: string | null = null,
): Counterfactual {
  const known = sessionWork(state);
  const plain = counterfactualOf(sessionWork(state, turnId), reference, known);
  if (reference === null) return plain;
  const turns = state.turns.filter(({ id }) => turnId === null || id === turnId);
  const tasks = tasksHere(state, turns);
  const needed = cloudNeedsOf(tasks, reference);
  const ids = new Set(tasks.filter((_, index) => needed.priced[index] === true).map((task) => task.turnId));
  if (ids.size === 0) return plain;
  const isRest = ({ turnId: id }: { readonly turnId: string | null }): boolean => id === null || !ids.has(id);
  const rest = { turns: turns.filter(({ id }) => !ids.has(id)), steps: state.steps.filter(isRest) };
  const work = sessionWork(rest, turnId);
  const hasRest = work.local.calls + work.cloud.calls > 0;
  const other = hasRest ? counterfactualOf(work, reference, known).allCloud : null;
  return { ...plain, allCloud: joined(plain.allCloud, needed, other) };
}

/** The task of a turn that this machine worked on alone; null: there is none, or its size is unknown. */
function taskHere(state: Session, turn: TurnState): TaskShape | null {
  const { local, cloud } = sessionWork(state, turn.id);
  return local.calls === 0 || cloud.calls > 0 ? null : shapeOf(turn, state.steps);
}

/** A task that this machine worked on alone, with the number of its calls. */
export interface TaskHere extends TaskShape {
  readonly calls: number;
}

/** The tasks of some turns that this machine worked on alone. */
export function tasksHere(
  state: Session,
  turns: readonly TurnState[],
): readonly (TaskHere & { readonly turnId: string })[] {
  return turns.flatMap((turn) => {
    const shape = taskHere(state, turn);
    const calls = state.steps.filter(({ turnId, end }) => turnId === turn.id && end !== null).length;
    return shape === null ? [] : [{ ...shape, calls, turnId: turn.id }];
  });
}

/** The same for sums over many sessions: their tasks by what the cloud needs, and the other local calls by tokens. */
export function counterfactualOfWork(
  { work, tasks }: { readonly work: SplitWorkload; readonly tasks: readonly TaskHere[] },
  reference: CloudReference | null,
  known: SplitWorkload,
): Counterfactual {
  const plain = counterfactualOf(work, reference, known);
  const { usd } = plain.allCloud;
  if (reference === null || usd === null) return plain;
  const needed = cloudNeedsOf(tasks, reference);
  const calls = tasks.reduce((sum, one, index) => sum + (needed.priced[index] === true ? one.calls : 0), 0);
  if (calls === 0) return plain;
  const others = Math.max(0, 1 - calls / Math.max(1, work.local.calls));
  const bill = work.cloud.costUsd;
  const part = (all: number): number => bill + Math.max(0, all - bill) * others;
  const rest = { value: part(usd.value), low: part(usd.low), high: part(usd.high) };
  return { ...plain, allCloud: joined(plain.allCloud, needed, { ...plain.allCloud, usd: rest }) };
}

/** What the cloud model would need for some tasks. */
export interface CloudNeeds {
  readonly usd: Interval;
  /** Whether each task is a part of the sum. A chat without a record is not. */
  readonly priced: readonly boolean[];
  readonly isGuess: boolean;
  readonly formula: string;
}

export function cloudNeedsOf(tasks: readonly TaskShape[], { model, price, needs = [] }: CloudReference): CloudNeeds {
  const needOf = neededBy(needs);
  const all = tasks.map((shape) => {
    const own = needOf(shape);
    if (own !== null) return { ...own, isGuess: false };
    return shape.kind === 'chat' ? null : { ...guessedNeed(shape.kind, price, needs), isGuess: true };
  });
  const known = all.flatMap((one) => (one === null || one.isGuess ? [] : [one]));
  const guessed = all.flatMap((one) => (one?.isGuess === true ? [one] : []));
  const least = (some: readonly { readonly tasks: number }[]): number => Math.min(...some.map((one) => one.tasks));
  const texts = [
    known.length === 0
      ? []
      : [`${counted(known)} by what ${model} needed for others of the kind and size (${least(known)} or more here)`],
    guessed.length === 0
      ? []
      : [
          `${counted(guessed)} by what such tasks usually take at the price of ${model}, a guess: too few were done here`,
        ],
  ];
  return {
    usd: [...known, ...guessed].reduce<Interval>(plus, { value: 0, low: 0, high: 0 }),
    priced: all.map((one) => one !== null),
    isGuess: guessed.length > 0,
    formula: texts.flat().join('; '),
  };
}

/** The tasks and the rest together; null: there is no rest. */
function joined(plain: Elsewhere, needed: CloudNeeds, rest: Elsewhere | null): Elsewhere {
  const restUsd = rest === null ? { value: 0, low: 0, high: 0 } : rest.usd;
  return {
    ...plain,
    basis: needed.isGuess ? 'guessed' : 'estimated',
    usd: restUsd === null ? null : plus(restUsd, needed.usd),
    why: restUsd === null ? (rest?.why ?? null) : null,
    formula: rest === null ? needed.formula : `${needed.formula}; the rest: ${rest.formula}`,
  };
}

function counted(some: readonly unknown[]): string {
  return some.length === 1 ? 'a task' : `${some.length} tasks`;
}

function plus(left: Interval, right: Interval): Interval {
  return { value: left.value + right.value, low: left.low + right.low, high: left.high + right.high };
}
