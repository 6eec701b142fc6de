import type { Price } from '@shared/money/token-cost.ts';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import type { ChoiceFacts, Rule, ModelOption } from '../../src/main/routing/define.ts';
import { chooseModel } from '../../src/main/routing/choose-model.ts';
import { createTrajectory } from '../../src/main/routing/trajectory/trajectory.ts';
import { profiles } from '@shared/routing/routing-profiles.ts';
import { callEnded, callStarted, modelOf, noTask, toolRequested, turnStarted } from '../../bench/lib/route-events.ts';

/**
 * A task as a row of steps. This machine can do easy steps, but not hard ones. Hard steps come in stretches, and some
 * steps begin at a safe place for a switch. The row is drawn beforehand, so that every way to run it can be priced: the
 * router's, all-cloud, and the cheapest possible one.
 */
export interface Task {
  readonly prefixTokens: number;
  readonly lifeMs: number;
  readonly price: Price;
  readonly steps: readonly Step[];
  /** The chance that a hard step follows an easy one, and the expected number of steps between safe places. */
  readonly hazard: number;
  readonly blockSteps: number;
  readonly meanSteps: number;
  /** The chance that a hard stretch ends at a step, and the mean time of a local step. */
  readonly ends: number;
  readonly localMs: number;
}

interface Step {
  readonly isHard: boolean;
  readonly isSafe: boolean;
  /** Tokens added before the step, and tokens of its answer. */
  readonly addedTokens: number;
  readonly outputTokens: number;
  readonly localMs: number;
  readonly cloudMs: number;
}

export type Random = () => number;

const MEAN_STEPS = 60;

export function drawTask(random: Random, prefixTokens: number, lifeMs: number): Task {
  const between = (low: number, high: number): number => low + (high - low) * random();
  const hazard = between(0.01, 0.15);
  const ends = between(0.1, 0.5);
  const safe = between(0.15, 0.6);
  const localMs = between(5_000, 45_000);
  const cloudMs = between(3_000, 15_000);
  const steps: Step[] = [];
  let isHard = false;
  const count = Math.round(between(MEAN_STEPS / 2, MEAN_STEPS * 1.5));
  for (let index = 0; index < count; index += 1) {
    isHard = isHard ? random() >= ends : index > 0 && random() < hazard;
    steps.push({
      isHard,
      isSafe: index === 0 || random() < safe,
      addedTokens: Math.round(between(100, 1_500)),
      outputTokens: Math.round(between(100, 900)),
      localMs: localMs * between(0.8, 1.2),
      cloudMs: cloudMs * between(0.8, 1.2),
    });
  }
  const price = priceOf(random, lifeMs);
  return { prefixTokens, lifeMs, price, steps, hazard, blockSteps: 1 / safe, meanSteps: MEAN_STEPS, ends, localMs };
}

/**
 * Published rates: a cache write costs a quarter more for five minutes, twice as much for an hour, or nothing extra.
 */
function priceOf(random: Random, lifeMs: number): Price {
  const named = { source: 'bench', date: '2026-11-21' };
  const input = random() < 0.5 ? 3 : 5;
  const writing = lifeMs > 600_000 ? 2 : 1.25;
  if (random() < 0.3) return { input, cacheRead: input / 10, output: input * 5, ...named };
  return { input, cacheRead: input / 10, cacheWrite: input * writing, output: input * 5, ...named };
}

/** The prompt tokens of each step, whichever model made the steps before it. */
function promptsOf({ prefixTokens, steps }: Task): readonly number[] {
  let tokens = prefixTokens;
  return steps.map(({ addedTokens, outputTokens }) => {
    tokens += addedTokens;
    const prompt = tokens;
    tokens += outputTokens;
    return prompt;
  });
}

/** The cost in US dollars, computed independently of the router's code. */
function stepUsd({ price }: Task, prompt: number, output: number, kept: number): number {
  const read = Math.min(kept, prompt);
  const rest = prompt - read;
  const write = price.cacheWrite ?? price.input;
  return (read * (price.cacheRead ?? price.input) + rest * write + output * price.output) / 1e6;
}

/** The cost of a plan, which has one place for each step. Infinite if a hard step is placed on this machine. */
export function costOfPlan(task: Task, inCloud: readonly boolean[]): number {
  const prompts = promptsOf(task);
  let usd = 0;
  let kept = 0;
  let age = 0;
  for (const [index, step] of task.steps.entries()) {
    const prompt = prompts[index] ?? 0;
    if (inCloud[index] === true) {
      usd += stepUsd(task, prompt, step.outputTokens, age < task.lifeMs ? kept : 0);
      kept = prompt + step.outputTokens;
      age = 0;
    } else {
      if (step.isHard) return Number.POSITIVE_INFINITY;
      age += step.localMs;
    }
  }
  return usd;
}

/**
 * The cheapest plan for an oracle that knows all steps, by dynamic programming over the step and the last step in the
 * cloud. It switches where the router may: up at a safe place or a hard step, down at a safe place.
 */
export function cheapestUsd(task: Task): number {
  const { steps } = task;
  const prompts = promptsOf(task);
  const count = steps.length;
  const localUntil = [0];
  for (const { localMs } of steps) localUntil.push((localUntil.at(-1) ?? 0) + localMs);
  let next: number[] = Array.from({ length: count + 1 }, () => 0);
  for (let index = count - 1; index >= 0; index -= 1) {
    const step = steps[index];
    if (step === undefined) continue;
    const here: number[] = [];
    // `last`: 1 + the index of the last step in the cloud. 0: there was none.
    for (let last = 0; last <= index; last += 1) {
      const isThere = last === index && index > 0;
      const mayStayHere = !step.isHard && (!isThere || step.isSafe);
      const mayGoThere = isThere || step.isSafe || step.isHard;
      const age = (localUntil[index] ?? 0) - (localUntil[last] ?? 0);
      const before = last === 0 ? undefined : steps[last - 1];
      const kept = before === undefined || age >= task.lifeMs ? 0 : (prompts[last - 1] ?? 0) + before.outputTokens;
      const there = stepUsd(task, prompts[index] ?? 0, step.outputTokens, kept) + (next[index + 1] ?? 0);
      const stay = next[last] ?? 0;
      here.push(Math.min(mayGoThere ? there : Number.POSITIVE_INFINITY, mayStayHere ? stay : Number.POSITIVE_INFINITY));
    }
    next = here;
  }
  return next[0] ?? 0;
}

/** Mean token counts of a step, and the range of a task's number of steps. */
const MIDDLE = { addedTokens: 800, outputTokens: 500, from: MEAN_STEPS / 2, to: MEAN_STEPS * 1.5 } as const;

/**
 * The best plan for someone who knows how tasks are drawn, but not the coming steps of this one. Dynamic programming
 * over the step, the last step in the cloud, whether the step is hard and whether its place is safe, with mean sizes
 * and times.
 */
export function bestGuessPlan(task: Task): readonly boolean[] {
  const choices = guessTable(task);
  const plan: boolean[] = [];
  let last = 0;
  for (const [index, { isHard, isSafe }] of task.steps.entries()) {
    const inCloud = choices.get(keyOf(index, last, isHard, isSafe)) ?? isHard;
    plan.push(inCloud);
    if (inCloud) last = index + 1;
  }
  return plan;
}

function keyOf(index: number, last: number, isHard: boolean, isSafe: boolean): number {
  return (index * 1_000 + last) * 4 + (isHard ? 2 : 0) + (isSafe ? 1 : 0);
}

function guessTable(task: Task): ReadonlyMap<number, boolean> {
  const { hazard, ends, localMs, lifeMs } = task;
  const safe = 1 / task.blockSteps;
  const choices = new Map<number, boolean>();
  const promptAt = (index: number): number =>
    task.prefixTokens + index * (MIDDLE.addedTokens + MIDDLE.outputTokens) + MIDDLE.addedTokens;
  // The expected remaining cost, by the last step in the cloud and whether the step before was hard.
  let next: (readonly [number, number])[] = [];
  for (let index = MIDDLE.to - 1; index >= 0; index -= 1) {
    const goesOn = index + 1 < MIDDLE.from ? 1 : 1 - 1 / Math.max(1, MIDDLE.to - index);
    const here: (readonly [number, number])[] = [];
    for (let last = 0; last <= index; last += 1) {
      const isThere = last === index && index > 0;
      const isKept = last > 0 && (index - last) * localMs < lifeMs;
      const kept = isKept ? promptAt(last - 1) + MIDDLE.outputTokens : 0;
      const usd = stepUsd(task, promptAt(index), MIDDLE.outputTokens, kept);
      const values = [false, true].map((isHard) =>
        [false, true].map((isSafe) => {
          const there = usd + goesOn * (next[index + 1]?.[isHard ? 1 : 0] ?? 0);
          const stay = goesOn * (next[last]?.[isHard ? 1 : 0] ?? 0);
          const mayStay = !isHard && (!isThere || isSafe);
          const mayGo = isThere || isSafe || isHard;
          const inCloud = !mayStay || (mayGo && there < stay);
          choices.set(keyOf(index, last, isHard, isSafe), inCloud);
          return inCloud ? there : stay;
        }),
      );
      const middle = (chanceHard: number): number => {
        const of = (isHard: number): number =>
          (1 - safe) * (values[isHard]?.[0] ?? 0) + safe * (values[isHard]?.[1] ?? 0);
        return (1 - chanceHard) * of(0) + chanceHard * of(1);
      };
      here.push([middle(hazard), middle(1 - ends)]);
    }
    next = here;
  }
  return choices;
}

/** The router's plan for a task when it knows how hard the work is now, but nothing about later steps. */
export function routedPlan(task: Task): readonly boolean[] {
  const trajectory = createTrajectory();
  const prompts = promptsOf(task);
  let at = 1_700_000_000_000;
  let seq = 0;
  const add = (event: NewEvent): void => {
    seq += 1;
    const stamped: SessionEvent = { ...event, v: 2, seq, at };
    trajectory.add(stamped);
  };
  add(turnStarted);
  const plan: boolean[] = [];
  for (const [index, step] of task.steps.entries()) {
    const prompt = prompts[index] ?? 0;
    if (step.isSafe && index > 0) add({ type: 'message-delivered', messageId: `m${index}` });
    const inCloud = step.isHard || decide(task, { trajectory: trajectory.now(), prompt, now: at });
    plan.push(inCloud);
    const candidate = inCloud ? cloudOf(task) : local;
    const kept = trajectory.now().models[candidate.id];
    const isKept = kept !== undefined && at - kept.cachedAt < task.lifeMs;
    const cacheRead = isKept ? Math.min(kept.cachedTokens, prompt) : 0;
    const usage = { freshInput: prompt - cacheRead, cacheRead, cacheWrite: 0, output: step.outputTokens };
    const callId = `c${index}`;
    add({
      ...callStarted,
      callId,
      step: index + 1,
      stage: { strategy: 'loop', model: candidate.id, where: candidate.where },
    });
    add({ ...callEnded, callId, usage: { ...usage, reasoning: 0, estimated: false } });
    add({ ...toolRequested, toolCallId: `t${index}`, callId, input: { index } });
    at += Math.round(inCloud ? step.cloudMs : step.localMs);
  }
  return plan;
}

const window = 2_000_000;
const local = modelOf('local', window, null, false);

function cloudOf({ price }: Task): ModelOption['info'] {
  return modelOf('cloud', window, price, false);
}

function decide(
  task: Task,
  {
    trajectory,
    prompt,
    now,
  }: { readonly trajectory: ChoiceFacts['trajectory']; readonly prompt: number; readonly now: number },
): boolean {
  const numbers = {
    ...profiles.balanced,
    valueUsd: 0,
    marginUsd: 0,
    holdSteps: 0,
    maxTakeovers: 20,
    taskSteps: task.meanSteps,
    blockSteps: Math.max(1, Math.round(task.blockSteps)),
    cacheLifeSeconds: task.lifeMs / 1000,
  };
  const stepsLeft = Math.max(numbers.blockSteps, numbers.taskSteps - trajectory.steps);
  const gain = 1 - (1 - task.hazard) ** stepsLeft;
  const options = [local, cloudOf(task)].map((info) => ({
    info,
    promptTokens: prompt,
    maxOutputTokens: 1_000,
    canDrive: true,
    strategy: 'loop' as const,
  }));
  const facts: ChoiceFacts = {
    purpose: 'act',
    policy: 'hybrid',
    numbers,
    options,
    spent: [],
    isRecipeChecked: false,
    taint: [],
    shut: null,
    pin: null,
    needs: { images: false },
    budgetLeftUsd: null,
    task: noTask,
    // How often the cloud was needed is random here, so it must not be a reason to stay there.
    trajectory: { ...trajectory, takeovers: 0, consecutiveFailures: 0 },
    trouble: null,
    now,
  };
  return chooseModel(facts, [told(gain)]).chosen?.info.where === 'cloud';
}

/** The only rule here, which votes the truth. */
function told(gain: number): Rule {
  const odds = Math.log(gain / (1 - gain)) + 0.4;
  const toward = odds > 0 ? 'cloud' : 'local';
  return { id: 'told', vote: () => [{ toward, weight: Math.abs(odds), reason: '' }] };
}
