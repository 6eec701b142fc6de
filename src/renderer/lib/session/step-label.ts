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

/** Proposals and choices are for the program; the rest is said to the person. */
export function isProse({ purpose }: StepState): boolean {
  return ['act', 'answer', 'plan', 'summarize'].includes(purpose);
}

/** Words beside the calls of a step, where they are words and not a call written out. */
export function isSaying(step: StepState): boolean {
  return isProse(step) && spokenWords(step.end?.text ?? '') !== '';
}

/** What of an answer is words: a call that is written out in it is none. */
export function spokenWords(text: string): string {
  const words = text.split(/^TOOL_CALL$/mu)[0]?.trim() ?? '';
  return /^(?:[{[<]|```(?:json|tool))/u.test(words) ? '' : words;
}

/** Whether a text, of which the fold keeps only the beginning, is that of the turn. */
export function isSameText(text: string, lastSaid: string | null): boolean {
  return lastSaid !== null && lastSaid.trim().startsWith(text.replace(/…$/u, '').trim());
}
