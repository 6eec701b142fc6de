import type { Recipe } from '../../recipes/define.ts';
import type { EnteredStage } from '../../routing/cascade/cascade.ts';
import type { Turn } from './turn.ts';

/** Logs that another model or strategy continues, and why. Repeated calls are counted anew. */
export async function enterStage(
  { log, limits, dependencies }: Pick<Turn, 'log' | 'limits' | 'dependencies'>,
  { stage, index, cause }: EnteredStage,
  { recipe, reason }: { readonly recipe: Pick<Recipe, 'id' | 'giveUpSeconds'> | null; readonly reason: string },
): Promise<void> {
  const seconds = recipe?.giveUpSeconds?.(dependencies.config.conduct ?? 1);
  const own = seconds === undefined ? {} : { giveUpSeconds: seconds };
  await log.append({ type: 'stage-chosen', stage, recipe: recipe?.id ?? null, reason, index, cause, ...own });
  limits.forgetCalls();
}
