import type { Priors } from '@shared/routing/priors.ts';
import type { TaskOutcome } from '@shared/routing/outcomes.ts';
import { chooseModel } from '../../src/main/routing/choose-model.ts';
import { priorsOf } from '../../src/main/routing/record/count-outcomes.ts';
import { discoverRules } from '../../src/main/routing/registry.ts';
import {
  chanceFor,
  drawMadeTask,
  factsOfTask,
  type MadeModel,
  type MadeTask,
  madeWorlds,
  trueCost,
} from '../../tests/main/routing/made-world.ts';
import { seeded } from '../lib/seeded.ts';

const DAY = 24 * 3600 * 1000;
/** The middles of five equal parts of a normal distribution. */
const middles = [-1.28, -0.52, 0, 0.52, 1.28] as const;
/** How many decisions are judged around a number of outcomes. */
const WINDOW = 10;

export interface MadeWorld {
  readonly seed: number;
  /** How much tasks of one repository differ, and the strength of a model from one repository to the next, in log odds. */
  readonly spread: number;
  readonly strength: number;
}

/** The world that the weight of a guess was chosen in. */
const tuned: MadeWorld = { seed: 11, spread: 0.7, strength: 1.2 };

export interface Regret {
  readonly outcomes: number;
  /** What a task cost more than with the best model, in US dollars: by what was learned, and without learning. */
  readonly learned: number;
  readonly never: number;
}

/**
 * Many made repositories, each with six models whose true strength there differs from what their size and price suggest.
 * Only the outcome of the chosen model is seen. Three outcomes a day.
 */
export function playMadeHomes(
  repositories: number,
  after: readonly number[],
  { seed, spread, strength: differ }: MadeWorld = tuned,
): readonly Regret[] {
  const random = seeded(seed);
  const rules = discoverRules();
  const sums = after.map((outcomes) => ({ outcomes, learned: 0, never: 0 }));
  const most = Math.max(...after) + WINDOW;
  for (let repository = 0; repository < repositories; repository += 1) {
    const models = madeWorlds['6'].map((model) => ({ ...model, strength: model.strength + differ * normal(random) }));
    const center = normal(random);
    const outcomes: TaskOutcome[] = [];
    for (let count = 0; count < most; count += 1) {
      const task: MadeTask = { ...drawMadeTask(random), difficulty: center + spread * normal(random) };
      const choice = (known: Priors): number => {
        const facts = factsOfTask(models, task);
        const numbers = { ...facts.numbers, priors: known };
        const { chosen } = chooseModel({ ...facts, numbers, now: count * (DAY / 3) }, rules);
        return Math.max(
          0,
          models.findIndex(({ name }) => name === chosen?.info.name),
        );
      };
      const at = count * (DAY / 3);
      const place = choice(priorsOf(outcomes, { project: 'p', versionOf: () => '' }));
      const judged = sums.filter(({ outcomes }) => count >= outcomes && count < outcomes + WINDOW);
      if (judged.length > 0) {
        const costs = models.map((model) => expectedCost(model, task, { center, spread }));
        const best = Math.min(...costs);
        const plain = choice({});
        for (const sum of judged) {
          sum.learned += ((costs[place] ?? best) - best) / WINDOW / repositories;
          sum.never += ((costs[plain] ?? best) - best) / WINDOW / repositories;
        }
      }
      outcomes.push(...outcomeOf(models[place], { task, at, isSolved: random() < solves(models[place], task) }));
    }
  }
  return sums;
}

/** What such a task costs with a model, for somebody who knows the repository but not how hard this task is. */
function expectedCost(
  model: MadeModel,
  task: MadeTask,
  { center, spread }: { readonly center: number; readonly spread: number },
): number {
  const costs = middles.map((place) => trueCost(model, { ...task, difficulty: center + spread * place }));
  return costs.reduce((sum, one) => sum + one, 0) / costs.length;
}

function solves(model: MadeModel | undefined, task: MadeTask): number {
  return model === undefined ? 0 : chanceFor(model, task);
}

function outcomeOf(
  model: MadeModel | undefined,
  { task, at, isSolved }: { readonly task: MadeTask; readonly at: number; readonly isSolved: boolean },
): readonly TaskOutcome[] {
  if (model === undefined) return [];
  const id = `${model.where}/${model.name}`;
  const work = {
    model: id,
    version: '',
    purpose: 'act',
    solved: isSolved,
    calls: task.steps,
    written: 400 * task.steps,
  } as const;
  return [
    {
      id: `task ${at}`,
      at,
      project: 'p',
      language: '',
      kind: 'repair',
      solved: isSolved,
      by: 'check',
      policy: 'hybrid',
      first: { model: id, version: '', where: model.where },
      fails: null,
      hasCloudTried: model.where === 'cloud',
      usd: null,
      seconds: null,
      work: [work],
    },
  ];
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
}
