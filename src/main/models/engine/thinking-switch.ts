import type { Effort } from '@shared/models/model-info.ts';

/** Between which marks a family thinks, at the beginning of its answer. */
export interface ThoughtStyle {
  readonly opening: string;
  readonly closing: string;
  /** What stands between the mark that closes the thoughts and the answer. */
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

/** What a template lets a person choose. */
export interface ThinkingSwitch {
  readonly style: ThoughtStyle;
  /** Least first. */
  readonly efforts: readonly Effort[];
  /** The family wants its thoughts back from step to step; all others do better without. */
  readonly keeps: boolean;
}

/** The names under which templates ask whether to think. */
const onOff = ['enable_thinking', 'if thinking', 'not thinking'];
/** Every engine of ours ends thoughts after so many tokens, so a family that only knows on and off has all of them. */
const levels = ['low', 'medium', 'high'] as const;

/** Null: the model does not think, or nothing says how that is chosen. By the words of the template, which is never run here. */
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
