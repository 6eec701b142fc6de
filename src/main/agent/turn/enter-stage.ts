import { giveUpSeconds } from '@shared/money/recipe-runs.ts';
import type { EnteredStage } from '../../routing/cascade/cascade.ts';
import type { Turn } from './turn.ts';

/** Another model goes on, or the same in another way: the log says which and why, and its calls are counted anew. */
export async function enterStage(
  { log, limits, dependencies }: Pick<Turn, 'log' | 'limits' | 'dependencies'>,
  { stage, index, cause }: EnteredStage,
  { recipe, reason }: { readonly recipe: string | null; readonly reason: string },
): Promise<void> {
  const seconds = giveUpSeconds(recipe, dependencies.config.conduct ?? 1);
  const own = seconds === undefined ? {} : { giveUpSeconds: seconds };
  await log.append({ type: 'stage-chosen', stage, recipe, reason, index, cause, ...own });
  limits.forgetCalls();
}
