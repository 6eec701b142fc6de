import type { RecipeContext } from '../../define.ts';

/** One step of the search: what is tried, on how many suspects or lines, and at which temperature. */
export type SearchStep =
  | {
      readonly arm: 'insert';
      readonly samples: number;
      readonly together?: number;
      readonly temperature: number;
    }
  | {
      readonly arm: 'mechanical';
      readonly limit: number;
      readonly suspects: number;
      /** The step has this time to itself, whatever share of the total it is. */
      readonly seconds?: number;
    }
  /** Small changes on top of the model's nearest misses. */
  | { readonly arm: 'polish'; readonly limit: number; readonly misses: number }
  | {
      readonly arm: 'fix' | 'body' | 'steps';
      /** Constants, tables and patterns instead of functions. */
      readonly only?: 'constants';
      readonly from: number;
      readonly to: number;
      readonly samples: number;
      /** The number of parallel answers per suspect, if the engine can write them. */
      readonly together?: number;
      readonly temperature: number;
    };

/**
 * The order that worked best on the development tasks (`docs/measurements/recipes.md`): the first rewrites come before
 * small changes without a model, because in code that nobody examined those pass the tests wrongly more often.
 */
export const defaultPlan: readonly SearchStep[] = [
  { arm: 'insert', samples: 1, temperature: 0 },
  { arm: 'insert', samples: 2, together: 12, temperature: 0.8 },
  { arm: 'fix', from: 0, to: 5, samples: 1, temperature: 0 },
  { arm: 'fix', only: 'constants', from: 0, to: 2, samples: 1, temperature: 0 },
  { arm: 'body', from: 0, to: 5, samples: 1, temperature: 0 },
  { arm: 'mechanical', limit: 500, suspects: 10 },
  { arm: 'polish', limit: 120, misses: 3 },
  { arm: 'fix', from: 0, to: 3, samples: 2, together: 16, temperature: 0.8 },
  { arm: 'polish', limit: 120, misses: 3 },
  { arm: 'body', from: 0, to: 3, samples: 2, together: 12, temperature: 0.9 },
  { arm: 'polish', limit: 120, misses: 3 },
  { arm: 'steps', from: 0, to: 3, samples: 2, together: 8, temperature: 1 },
  { arm: 'body', from: 0, to: 3, samples: 2, temperature: 1 },
];

/**
 * Runs before any model is asked. In real runs the right change was one of these, and the search found it only after 49
 * and 215 seconds of model calls. What is not tried here comes at its old place. What passes is compared and doubted as
 * usual.
 */
const withoutModel: SearchStep = { arm: 'mechanical', limit: 500, suspects: 10, seconds: 40 };

/**
 * Used after another model found nothing. A model that solves such a task does so with one of its first greedy answers
 * or hardly ever (`docs/measurements/recipes.md`), and the small changes without a model would be the same.
 */
export const retryPlan: readonly SearchStep[] = [
  { arm: 'insert', samples: 1, temperature: 0 },
  { arm: 'fix', from: 0, to: 2, samples: 1, temperature: 0 },
  { arm: 'fix', only: 'constants', from: 0, to: 1, samples: 1, temperature: 0 },
  { arm: 'body', from: 0, to: 1, samples: 1, temperature: 0 },
  { arm: 'fix', from: 2, to: 5, samples: 1, temperature: 0 },
];

/** Used if the only check is one example from the text. */
const examplePlan: readonly SearchStep[] = [
  { arm: 'fix', from: 0, to: 2, samples: 1, temperature: 0 },
  { arm: 'body', from: 0, to: 2, samples: 1, temperature: 0 },
  { arm: 'mechanical', limit: 300, suspects: 4 },
  { arm: 'fix', from: 0, to: 2, samples: 2, temperature: 0.8 },
];

/** The plan for the first or a later model, with the switches of a measurement. */
export function planFor({
  settings,
  before,
  model,
}: Pick<RecipeContext, 'settings' | 'before' | 'model'>): readonly SearchStep[] {
  if (before !== null && before.tries !== null) {
    const untried = defaultPlan.filter(({ arm }) => arm === 'mechanical');
    return before.isCut && settings.mechanicalChanges ? [...retryPlan, ...untried] : retryPlan;
  }
  const plan = model.capabilities.together === true ? defaultPlan.filter((step) => !isOneInsert(step)) : defaultPlan;
  return underSwitches([withoutModel, ...plan], settings);
}

/**
 * A half-right insertion would be built upon, so where many can be written in parallel, the best of them is used
 * instead.
 */
const isOneInsert = (step: SearchStep): boolean => step.arm === 'insert' && step.temperature === 0;

export function planForExample({ settings }: Pick<RecipeContext, 'settings'>): readonly SearchStep[] {
  return underSwitches(examplePlan, settings);
}

function underSwitches(plan: readonly SearchStep[], settings: RecipeContext['settings']): readonly SearchStep[] {
  return plan.filter(({ arm }) => settings.mechanicalChanges || (arm !== 'mechanical' && arm !== 'polish'));
}
