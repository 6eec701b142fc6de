import type { RecipeContext } from '../../define.ts';

/** One step of the search: what is tried, and on how many suspects. */
export type SearchStep =
  | { readonly arm: 'insert' }
  | {
      readonly arm: 'mechanical';
      readonly limit: number;
      readonly suspects: number;
      /** The step has this time to itself, whatever share of the total it is. */
      readonly seconds?: number;
    }
  | {
      readonly arm: 'fix' | 'body';
      /** Constants, tables and patterns instead of functions. */
      readonly only?: 'constants';
      readonly from: number;
      readonly to: number;
    };

/**
 * The order that worked best on the development tasks (`docs/measurements/recipes.md`). Small changes run before any
 * model is asked: in real runs the right change was one of these, and the search found it only after 49 and 215 seconds
 * of model calls. What was not tried in that time comes again at the end. What passes is compared and doubted as usual.
 */
const defaultPlan: readonly SearchStep[] = [
  { arm: 'mechanical', limit: 500, suspects: 10, seconds: 40 },
  { arm: 'insert' },
  { arm: 'fix', from: 0, to: 5 },
  { arm: 'fix', only: 'constants', from: 0, to: 2 },
  { arm: 'body', from: 0, to: 5 },
  { arm: 'mechanical', limit: 500, suspects: 10 },
];

/** Used if the only check is one example from the text. */
const examplePlan: readonly SearchStep[] = [
  { arm: 'fix', from: 0, to: 2 },
  { arm: 'body', from: 0, to: 2 },
  { arm: 'mechanical', limit: 300, suspects: 4 },
];

/**
 * The plan for the first or a later model, with the switches of a measurement. After another model found nothing, the
 * small changes without a model would be the same, unless that one had no time for them.
 */
export function planFor({ settings, before }: Pick<RecipeContext, 'settings' | 'before'>): readonly SearchStep[] {
  if (before === null) return underSwitches(defaultPlan, settings);
  const asked = defaultPlan.filter(({ arm }) => arm !== 'mechanical');
  return before.isCut ? underSwitches([...asked, ...defaultPlan.slice(-1)], settings) : asked;
}

export function planForExample({ settings }: Pick<RecipeContext, 'settings'>): readonly SearchStep[] {
  return underSwitches(examplePlan, settings);
}

function underSwitches(plan: readonly SearchStep[], settings: RecipeContext['settings']): readonly SearchStep[] {
  return plan.filter(({ arm }) => settings.mechanicalChanges || arm !== 'mechanical');
}
