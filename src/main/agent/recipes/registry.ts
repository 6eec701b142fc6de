import type { Recipe } from './define.ts';

/** Recipes by id. A second one of the same id, or a file without a recipe, stops the start. */
export function createRecipeRegistry(modules: Readonly<Record<string, unknown>>): readonly Recipe[] {
  const registry = new Map<string, Recipe>();
  for (const [file, module] of Object.entries(modules)) {
    if (!isRecipe(module)) throw new Error(`${file} does not export a recipe`);
    if (registry.has(module.id)) throw new Error(`two recipes have the id ${module.id}; one of them is ${file}`);
    registry.set(module.id, module);
  }
  return [...registry.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** Every `*.recipe.ts` of this folder. */
export function discoverRecipes(): readonly Recipe[] {
  return createRecipeRegistry(import.meta.glob('./*.recipe.ts', { eager: true, import: 'default' }));
}

function isRecipe(value: unknown): value is Recipe {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'fits' in value &&
    typeof value.fits === 'function' &&
    'run' in value &&
    typeof value.run === 'function'
  );
}
