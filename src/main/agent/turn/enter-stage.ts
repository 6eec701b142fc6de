import type { Recipe } from '../../recipes/define.ts';
import type { EnteredStage } from '../../routing/cascade/cascade.ts';
import type { Turn } from './turn.ts';

/** Logs that another model or strategy continues, and why. Repeated calls are counted anew. */
export async function enterStage(
  { log, limits }: Pick<Turn, 'log' | 'limits'>,
  { stage, index, cause }: EnteredStage,
  { recipe, reason }: { readonly recipe: Pick<Recipe, 'id' | 'giveUpSeconds'> | null; readonly reason: string },
): Promise<void> {
  const own = recipe?.giveUpSeconds === undefined ? {} : { giveUpSeconds: recipe.giveUpSeconds };
  await log.append({ type: 'stage-chosen', stage, recipe: recipe?.id ?? null, reason, index, cause, ...own });
  limits.forgetCalls();
}
