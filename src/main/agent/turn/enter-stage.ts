import type { EnteredStage } from '../../routing/cascade/cascade.ts';
import type { Turn } from './turn.ts';

/** Another model goes on, or the same in another way: the log says which and why, and its calls are counted anew. */
export async function enterStage(
  { log, limits }: Pick<Turn, 'log' | 'limits'>,
  { stage, index, cause }: EnteredStage,
  { recipe, reason }: { readonly recipe: string | null; readonly reason: string },
): Promise<void> {
  await log.append({ type: 'stage-chosen', stage, recipe, reason, index, cause });
  limits.forgetCalls();
}
