import type { StepState } from '@shared/session/session-state.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { t } from '../text/translate.ts';

/** What a step did, in one line; its purpose while that is unknown. Text is shown without Markdown marks. */
export function stepLabel({ label, purpose }: Pick<StepState, 'label' | 'purpose'>): string {
  if (label === purpose) return t(`purpose.${purpose}`);
  // A proposal is code, which the opened step shows.
  if (purpose === 'propose' && label.startsWith('propose: ')) return t('step.proposed');
  const said = `${purpose}: `;
  return seenWords(label.startsWith(said) ? label.slice(said.length).replaceAll(/\*\*|`/gu, '') : label);
}

/** Proposals and choices are for the recipe. Everything else is text for the user. */
export function isProse({ purpose }: StepState): boolean {
  return ['act', 'answer', 'plan', 'summarize'].includes(purpose);
}

/** Whether a step has text besides its calls. A call that is written out as text does not count. */
export function isSaying(step: StepState): boolean {
  return isProse(step) && spokenWords(step.end?.text ?? '') !== '';
}

/** The text of an answer without a call that is written out in it. */
export function spokenWords(text: string): string {
  const words = text.split(/^TOOL_CALL$/mu)[0]?.trim() ?? '';
  return /^(?:[{[<]|```(?:json|tool))/u.test(words) ? '' : words;
}

/** Whether a text, which may be cut to its beginning, is the turn's final text. */
export function isSameText(text: string, lastSaid: string | null): boolean {
  return lastSaid !== null && lastSaid.trim().startsWith(text.replace(/…$/u, '').trim());
}
