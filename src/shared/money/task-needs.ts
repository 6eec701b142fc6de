import type { TurnEndReason } from '@shared/events/turn-events.ts';
import type { StepState, TurnState } from '@shared/session/session-state.ts';
import type { FoundInterval } from './found-interval.ts';
import { foundInterval } from './found-interval.ts';
import { promptTokensOf } from './token-cost.ts';
import { asides } from '@shared/session/asides.ts';

/** The kind of a turn. What one turn took says something only about turns of the same kind. */
export const taskKinds = ['chat', 'question', 'repair', 'change'] as const;
export type TaskKind = (typeof taskKinds)[number];

/** The kind of a task and its size, measured by the first prompt of the way in which it was worked on. */
export interface TaskShape {
  readonly kind: TaskKind;
  /** The recipe, or the loop. The first prompt of another way says nothing about the size. */
  readonly way: string;
  /** Tokens of that first prompt. */
  readonly size: number;
}

/** A task that one model did alone, and what it took, in dollars or seconds. */
export interface TaskNeed extends TaskShape {
  readonly value: number;
}

/** Only a task that ended by itself says what such a task takes. */
const ownEnds: ReadonlySet<TurnEndReason> = new Set<TurnEndReason>([
  'done',
  'answered',
  'gave-up',
  'check-failed',
  'time-limit',
  'step-limit',
]);

/**
 * An ended turn as a task; null when it did not end by itself, used no model, or has more steps than the state keeps.
 */
export function taskOf(turn: TurnState, steps: readonly StepState[]): TaskShape | null {
  return turn.reason === null || !ownEnds.has(turn.reason) ? null : shapeOf(turn, steps);
}

/**
 * A turn as a task, whether or not it ended by itself; null when it used no model, or has more steps than the state
 * keeps.
 */
export function shapeOf(turn: TurnState, steps: readonly StepState[]): TaskShape | null {
  if (turn.mode === 'plan') return null;
  const own = steps.filter(({ turnId }) => turnId === turn.id);
  const first = own.find(({ purpose }) => !asides.has(purpose));
  if (first === undefined || own.length < turn.steps) return null;
  const size = first.promptTokens ?? (first.end === null ? 0 : promptTokensOf(first.end.usage));
  const stage = turn.stages.findLast(({ at }) => at <= first.startedAt) ?? turn.stages[0];
  return size === 0 ? null : { kind: kindOf(turn), way: stage?.recipe ?? 'loop', size };
}

function kindOf({ mode, before, reason }: TurnState): TaskKind {
  if (mode === 'chat') return 'chat';
  if (mode === 'ask' || reason === 'answered') return 'question';
  return before?.passed === false ? 'repair' : 'change';
}

/** The cost of a turn that one cloud model did alone. Null when another model helped, or when the price is unknown. */
export function needOf(turn: TurnState, steps: readonly StepState[]): (TaskNeed & { readonly model: string }) | null {
  const shape = taskOf(turn, steps);
  const own = steps.filter(({ turnId }) => turnId === turn.id);
  const [first] = own;
  if (shape === null || first === undefined || own.some(({ stage }) => stage.model !== first.stage.model)) return null;
  if (first.where !== 'cloud' || own.some(({ end }) => end?.costUsd === null)) return null;
  const value = own.reduce((sum, { end }) => sum + (end?.costUsd ?? 0), 0);
  return { ...shape, model: first.stage.model, value };
}

export interface NeedEstimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Number of tasks of this kind in the record. */
  readonly tasks: number;
}

/** Fewer tasks of a kind give no estimate. */
const leastTasks = 5;
/** The most recent tasks that are used. */
const mostTasks = 60;
/** A prior for the slope: need grows with size, weighted like tasks whose log sizes have this sum of squares. */
const proportional = 0.2;
/** All other kinds together weigh as much as one more task of this kind. */
const otherKinds = 1;

/**
 * Estimates a model's need for a task from its own record of other tasks, never from what another model spent on this
 * one. Fits a line in logarithms through the tasks of each kind, with one slope for all. The interval is as wide as the
 * errors of the same line when each task in turn is left out (`found-interval.ts`). `record` is that model's alone,
 * oldest first. Null when it has too few tasks of this kind.
 */
export function neededBy(record: readonly TaskNeed[]): (asked: TaskShape) => NeedEstimate | null {
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

/** One slope for all kinds, each around its own mean. With little data it is close to 1. */
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
