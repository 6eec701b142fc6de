import type { Effort } from '@shared/models/model-info.ts';

/** The marks around a family's thoughts, at the beginning of its answer. */
export interface ThoughtStyle {
  readonly opening: string;
  readonly closing: string;
  /** The text between the closing mark and the answer. */
  readonly after: string;
}

const styles: readonly ThoughtStyle[] = [
  { opening: '<think>\n', closing: '</think>', after: '\n\n' },
  { opening: '<|START_THINKING|>', closing: '<|END_THINKING|>', after: '' },
  { opening: '[THINK]', closing: '[/THINK]', after: '' },
  { opening: '<|channel>thought\n', closing: '<channel|>', after: '' },
  {
    opening: '<|channel|>analysis<|message|>',
    closing: '<|end|>',
    after: '<|start|>assistant<|channel|>final<|message|>',
  },
];

/** How thinking can be switched in a template. */
export interface ThinkingSwitch {
  readonly style: ThoughtStyle;
  /** Lowest first. */
  readonly efforts: readonly Effort[];
  /** The family needs its thoughts back in each step. All others work better without them. */
  readonly keeps: boolean;
}

/** The words in templates that ask whether to think. */
const onOff = ['enable_thinking', 'if thinking', 'not thinking'];
/**
 * All levels are offered even if a family only knows on and off, because our engines end thoughts after a number of
 * tokens.
 */
const levels = ['low', 'medium', 'high'] as const;

/**
 * Finds the switch by words in the template, which is not run here. Null: the model does not think, or its switch is
 * unknown.
 */
export function thinkingSwitchOf(template: string | null): ThinkingSwitch | null {
  const style = styles.find(({ opening, closing }) => isIn(template, opening.trim()) && isIn(template, closing));
  if (template === null || style === undefined) return null;
  const answerAt = template.lastIndexOf('add_generation_prompt');
  const opensItself = answerAt !== -1 && template.slice(answerAt).includes(style.opening.trim());
  const keeps = template.includes('preserve_thinking');
  if (onOff.some((word) => template.includes(word)) || opensItself)
    return { style, keeps, efforts: ['none', ...levels] };
  return template.includes('reasoning_effort') ? { style, keeps, efforts: levels } : null;
}

const isIn = (template: string | null, words: string): boolean => template?.includes(words) === true;
