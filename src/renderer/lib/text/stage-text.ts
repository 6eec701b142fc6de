import type { Stage } from '@shared/models/model-info.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
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

/**
 * The strategy or recipe with the model. `model` is its displayed name. An unknown recipe keeps its name from the log.
 */
export function stageText({ strategy }: Pick<Stage, 'strategy'>, recipe: string | null, model: string): string {
  const known = recipe === null ? (`route.strategy.${strategy}` as const) : recipes[recipe];
  const driver = known === undefined ? seenName(recipe ?? '') : t(known);
  return t('turn.stage', { strategy: driver, model });
}

const phases: Readonly<Record<string, TextKey>> = {
  accept: 'phase.accept',
  accepted: 'phase.accepted',
  agree: 'phase.agree',
  calls: 'phase.calls',
  edits: 'phase.edits',
  facts: 'phase.facts',
  'gave-up': 'phase.gave-up',
  judge: 'phase.judge',
  keep: 'phase.keep',
  locate: 'phase.locate',
  mechanical: 'phase.mechanical',
  reject: 'phase.reject',
  rename: 'phase.rename',
  speed: 'phase.speed',
  vary: 'phase.vary',
  window: 'phase.window',
};

/** The phase of a recipe. An unknown phase keeps its name from the log. */
export function phaseText(phase: string): string {
  const known = phases[phase];
  return known === undefined ? seenWords(phase) : t(known);
}
