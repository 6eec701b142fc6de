import { emptyTrajectory } from '../../../src/main/routing/trajectory/trajectory.ts';
import type { ModelTrajectory } from '../../../src/main/routing/trajectory/model-trajectory.ts';
import type { ChoiceFacts, ModelOption } from '../../../src/main/routing/define.ts';
import type { ModelInfo, Where } from '../../../src/shared/models/model-info.ts';
import { profiles } from '../../../src/shared/routing/routing-profiles.ts';
import { modelOf, noTask } from '../../../bench/lib/route-events.ts';

/** A model of a made world, with what it really can do. */
export interface MadeModel {
  readonly name: string;
  readonly where: Where;
  readonly parametersB: number | null;
  /** Difficulty that it masters in half of the cases, in log odds. */
  readonly strength: number;
  /** US dollars for a million tokens read and written; null: nothing. */
  readonly rates: { readonly input: number; readonly output: number } | null;
  readonly stepMs: number;
}

const localSmall = { name: 'small', where: 'local', parametersB: 7, strength: 0, rates: null, stepMs: 12_000 } as const;
const localLarge = { ...localSmall, name: 'large', parametersB: 30, strength: 1, stepMs: 30_000 } as const;
const cloud = { where: 'cloud', parametersB: null } as const;
const cheap = { ...cloud, name: 'cheap', strength: 1.6, rates: { input: 0.1, output: 0.4 }, stepMs: 6_000 } as const;
const middle = { ...cloud, name: 'middle', strength: 2.5, rates: { input: 0.6, output: 2.5 }, stepMs: 7_000 } as const;
const strong = { ...cloud, name: 'strong', strength: 3.6, rates: { input: 3, output: 15 }, stepMs: 9_000 } as const;
const dear = { ...cloud, name: 'dear', strength: 4, rates: { input: 15, output: 75 }, stepMs: 15_000 } as const;

/** The smallest first, as a person orders them. */
export const madeWorlds: Readonly<Record<'2' | '3' | '6', readonly MadeModel[]>> = {
  '2': [localSmall, strong],
  '3': [localSmall, middle, strong],
  '6': [localSmall, localLarge, cheap, middle, strong, dear],
};

export interface MadeTask {
  /** In the log odds of `strength`. */
  readonly difficulty: number;
  readonly steps: number;
  readonly promptTokens: number;
  readonly hasCheck: boolean;
  readonly valueUsd: number;
  readonly minuteUsd: number;
}

export function drawMadeTask(random: () => number): MadeTask {
  const one = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0];
  return {
    difficulty: random() * 6 - 2,
    steps: 4 + Math.floor(random() * 36),
    promptTokens: Math.round(4_000 * 10 ** random()),
    hasCheck: random() < 0.5,
    valueUsd: one([0.2, 1, 1, 5]),
    minuteUsd: one([0, 0, 0.02, 0.1]),
  };
}

import { currentScore } from '../../../src/main/routing/learned-score.ts';
const SCORE = currentScore.digest;
const OUTPUT = 400;
const GROWN = 1_000;
const TRIES = 40;

export const chanceFor = ({ strength }: MadeModel, { difficulty }: MadeTask): number =>
  1 / (1 + Math.exp(difficulty - strength));

function infoOf({ name, where, parametersB, rates }: MadeModel): ModelInfo {
  const price = rates === null ? null : { ...rates, cacheRead: rates.input / 10, cacheWrite: rates.input * 1.25 };
  const info = modelOf(where, 1_000_000, price, false);
  return { ...info, id: `${where}/${name}`, name, label: name, parametersB };
}

/** What a task costs in all with a model, in US dollars: money, wrong results that nobody notices, and waiting. */
export function trueCost(model: MadeModel, task: MadeTask): number {
  let usd = 0;
  if (model.rates !== null) {
    const { input, output } = model.rates;
    for (let step = 0; step < task.steps; step += 1) {
      const known = step === 0 ? 0 : task.promptTokens + GROWN * (step - 1);
      const fresh = step === 0 ? task.promptTokens : GROWN;
      usd += (known * (input / 10) + fresh * input * 1.25 + OUTPUT * output) / 1_000_000;
    }
  }
  const undetected = task.hasCheck ? 0.15 : 0.5;
  const minutes = (model.stepMs * task.steps) / 60_000;
  return usd + (1 - chanceFor(model, task)) * undetected * task.valueUsd + minutes * task.minuteUsd;
}

export const seenAtWork = (stepMs: number): ModelTrajectory => ({
  cachedTokens: 0,
  cachedAt: 0,
  outputTokens: OUTPUT,
  prefillPerSecond: null,
  decodePerSecond: null,
  callMs: stepMs,
  stepMs,
  readTokens: 0,
  writtenTokens: 0,
  forgottenTokens: 0,
  sureness: null,
});

/** The facts of a task's first step in a home where tasks like it were counted. */
export function factsOfTask(models: readonly MadeModel[], task: MadeTask): ChoiceFacts {
  const infos = models.map(infoOf);
  const options = infos.map((info): ModelOption => ({
    info,
    promptTokens: task.promptTokens,
    maxOutputTokens: 4_000,
    canDrive: true,
    strategy: 'loop',
  }));
  const records = models.map((model, at) => {
    const act = { tries: TRIES, solved: TRIES * chanceFor(model, task), calls: TRIES * task.steps, at: 0 };
    return [infos[at]?.id ?? '', { act }];
  });
  const { valueUsd, minuteUsd, hasCheck } = task;
  return {
    purpose: 'act',
    policy: 'hybrid',
    numbers: { ...profiles.balanced, score: SCORE, valueUsd, minuteUsd, priors: Object.fromEntries(records) },
    options,
    spent: [],
    isRecipeChecked: false,
    taint: [],
    shut: null,
    pin: null,
    needs: { images: false },
    budgetLeftUsd: null,
    task: { ...noTask, hasCheck },
    trajectory: {
      ...emptyTrajectory,
      models: Object.fromEntries(models.map(({ stepMs }, at) => [infos[at]?.id ?? '', seenAtWork(stepMs)])),
    },
    trouble: null,
    now: 1_000_000,
  };
}
