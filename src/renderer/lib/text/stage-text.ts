import type { Stage } from '@shared/models.ts';
import { seenName } from '@shared/seen-text.ts';
import type { TextKey } from './translate.ts';
import { t } from './translate.ts';

const recipes: Readonly<Record<string, TextKey>> = {
  answer: 'recipe.answer',
  direct: 'recipe.direct',
  edit: 'recipe.edit',
  'fix-failing-tests': 'recipe.fix-failing-tests',
  probe: 'recipe.probe',
  write: 'recipe.write',
};

/** What drives which model. A recipe that this page does not know yet keeps the name that it has in the log. */
export function stageText({ strategy, model }: Pick<Stage, 'strategy' | 'model'>, recipe: string | null): string {
  const known = recipe === null ? (`route.strategy.${strategy}` as const) : recipes[recipe];
  const driver = known === undefined ? seenName(recipe ?? '') : t(known);
  return t('turn.stage', { strategy: driver, model: seenName(model) });
}
