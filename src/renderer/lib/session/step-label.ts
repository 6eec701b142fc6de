import type { StepState } from '@shared/session/session-state.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { t } from '../text/translate.ts';

/** What a step did, in a line: while nothing is known of that, what it is for. What was said stands without marks. */
export function stepLabel({ label, purpose }: StepState): string {
  if (label === purpose) return t(`purpose.${purpose}`);
  // What was proposed is code: the step shows it when it is opened.
  if (purpose === 'propose' && label.startsWith('propose: ')) return t('step.proposed');
  return seenWords(label.startsWith(`${purpose}: `) ? label.replaceAll(/\*\*|`/gu, '') : label);
}
