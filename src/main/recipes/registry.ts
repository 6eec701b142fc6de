import { collectDefinitions } from '../lib/discovered-definitions.ts';
import type { Recipe } from './define.ts';

/** Recipes in the order of their ids. A duplicate id, or a file without a recipe, stops the start. */
export function createRecipeRegistry(modules: Readonly<Record<string, unknown>>): readonly Recipe[] {
  const recipes = collectDefinitions<Recipe>(modules, {
    what: 'recipe',
    parts: { id: 'string', fits: 'function', run: 'function' },
    nameOf: ({ id }) => id,
  });
  return [...recipes.values()];
}

/** Every `*.recipe.ts` of this folder. */
export function discoverRecipes(): readonly Recipe[] {
  return createRecipeRegistry(import.meta.glob('./*.recipe.ts', { eager: true, import: 'default' }));
}
