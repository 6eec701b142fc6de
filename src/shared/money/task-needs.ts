import type { TurnEndReason } from '@shared/events/turn-events.ts';
import type { StepState, TurnState } from '@shared/session/session-state.ts';
import type { FoundInterval } from './found-interval.ts';
import { foundInterval } from './found-interval.ts';
import { promptTokensOf } from './token-cost.ts';
import { asides } from '@shared/session/asides.ts';

/** What a turn was: only of like ones does what one took say something of another. */
export type TaskKind = 'question' | 'repair' | 'change';

/** A task as it is asked about: what kind it is, and how large by the first prompt of the way in which it was worked on. */
export interface TaskShape {
  readonly kind: TaskKind;
  /** The recipe, or the loop: a first prompt of another way says nothing of the size. */
  readonly way: string;
  /** Tokens of that first prompt. */
  readonly size: number;
}

/** A task that one model did alone, and what it took of something: dollars or seconds. */
export interface TaskNeed extends TaskShape {
  readonly value: number;
}

/** Only what came to an end by itself says what a task takes. */
const ownEnds: ReadonlySet<TurnEndReason> = new Set<TurnEndReason>([
  'done',
  'answered',
  'gave-up',
  'criterion-unmet',
  'time-limit',
  'step-limit',
]);

/** A turn that has ended, as a task; null: it did not end by itself, took no model, or has more steps than are kept. */
export function taskOf(turn: TurnState, steps: readonly StepState[]): TaskShape | null {
  if (turn.reason === null || !ownEnds.has(turn.reason) || turn.plan) return null;
  const own = steps.filter(({ turnId }) => turnId === turn.id);
  const first = own.find(({ purpose }) => !asides.has(purpose));
  if (first === undefined || own.length < turn.steps) return null;
  const size = first.promptTokens ?? (first.end === null ? 0 : promptTokensOf(first.end.usage));
  const stage = turn.stages.findLast(({ at }) => at <= first.startedAt) ?? turn.stages[0];
  return size === 0 ? null : { kind: kindOf(turn), way: stage?.recipe ?? 'loop', size };
}

function kindOf({ mode, before, reason }: TurnState): TaskKind {
  if (mode === 'ask' || mode === 'chat' || reason === 'answered') return 'question';
  return before?.passed === false ? 'repair' : 'change';
}

/** What a turn cost that one model did alone, in the cloud. Null: another one helped, or its price is not known. */
export function needOf(turn: TurnState, steps: readonly StepState[]): (TaskNeed & { readonly model: string }) | null {
  const shape = taskOf(turn, steps);
  const own = steps.filter(({ turnId }) => turnId === turn.id);
  const [first] = own;
  if (shape === null || first === undefined || own.some(({ stage }) => stage.model !== first.stage.model)) return null;
  if (first.where !== 'cloud' || own.some(({ end }) => end?.costUsd === null)) return null;
  const value = own.reduce((sum, { end }) => sum + (end?.costUsd ?? 0), 0);
  return { ...shape, model: first.stage.model, value };
}

export interface Needed {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** How many tasks of this kind it was learned from. */
  readonly tasks: number;
}

/** Of fewer tasks of a kind nothing is said. */
const leastTasks = 5;
/** The latest so many are looked at. */
const mostTasks = 60;
/** What a task takes is believed to grow with its size, as much as so much spread of sizes (in logarithms, squared) would show it. */
const proportional = 0.2;
/** All other kinds count for a kind as much as one more task of it. */
const otherKinds = 1;

/**
 * What a model would need for a task, by what it needed for others: never by what another model spent on this one. In
 * logarithms a line through the tasks of each kind with one slope for all; the interval is as wide as the same line,
 * drawn without each of these tasks in turn, missed it (`found-interval.ts`). `record`: of that model alone, the oldest
 * first. Null: its record of this kind is too thin.
 */
export function neededBy(record: readonly TaskNeed[]): (asked: TaskShape) => Needed | null {
  const known = record.filter(({ value, size }) => value > 0 && size > 0).slice(-mostTasks);
  const line = lineThrough(known);
  let found: FoundInterval | null | undefined;
  return (asked) => {
    const tasks = known.filter(({ kind }) => kind === asked.kind).length;
    if (tasks < leastTasks) return null;
    found = found === undefined ? missed(known) : found;
    const value = line(asked);
    return found === null ? null : { value, low: value * found.low, high: value * found.high, tasks };
  };
}

function missed(known: readonly TaskNeed[]): FoundInterval | null {
  return foundInterval(
    known.map((one) => ({ value: lineThrough(known.filter((other) => other !== one))(one), real: one.value })),
  );
}

interface Point {
  readonly kind: TaskKind;
  readonly way: string;
  readonly x: number;
  readonly y: number;
}

function lineThrough(known: readonly TaskNeed[]): (asked: TaskShape) => number {
  const points = known.map(({ kind, way, size, value }): Point => ({
    kind,
    way,
    x: Math.log(size),
    y: Math.log(value),
  }));
  const groups = new Map<string, readonly Point[]>();
  for (const point of points) groups.set(point.kind, [...(groups.get(point.kind) ?? []), point]);
  const slope = slopeIn([...groups.values()]);
  const height = (some: readonly Point[]): number => mean(some.map(({ x, y }) => y - slope * x));
  return ({ kind, way, size }) => {
    const own = groups.get(kind) ?? [];
    const heights = own.length * (own.length === 0 ? 0 : height(own)) + otherKinds * height(points);
    const alike = own.filter((point) => point.way === way);
    const x = alike.length === 0 && own.length > 0 ? mean(own.map((point) => point.x)) : Math.log(size);
    return Math.exp(heights / (own.length + otherKinds) + slope * x);
  };
}

/** One for all kinds, each around its own middle; with little to see it is 1. */
function slopeIn(groups: readonly (readonly Point[])[]): number {
  let [rise, run] = [proportional, proportional];
  for (const group of groups) {
    const [x, y] = [mean(group.map((one) => one.x)), mean(group.map((one) => one.y))];
    for (const one of group) {
      rise += (one.x - x) * (one.y - y);
      run += (one.x - x) ** 2;
    }
  }
  return rise / run;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length;
}
