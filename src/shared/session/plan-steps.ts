import type { PlanItem } from '@shared/events/conversation-events.ts';
import { shortenText, lineLimit } from '@shared/text/shorten-text.ts';

/** The most items of a plan that a model may report on. */
export const mostPlanItems = 30;

/** Splits a model's plan into its list items, each with its details. Without a list, the whole text is one step. */
export function planSteps(text: string): readonly string[] {
  const steps: string[] = [];
  let depth: number | null = null;
  let isClosed = false;
  for (const line of text.replaceAll('\r', '').split('\n')) {
    const item = /^(\s*)(?:\d{1,3}[.)]|[-*+])\s([\s\S]*)$/u.exec(line);
    const indent = item?.[1]?.length ?? 0;
    if (item !== null && (depth === null || indent <= depth)) {
      depth = indent;
      isClosed = false;
      steps.push((item[2] ?? '').trim());
      continue;
    }
    if (depth === null) continue;
    if (line.trim() === '') {
      isClosed = true;
      continue;
    }
    // After an empty line, only indented lines belong to the step. A closing sentence does not.
    const isInside = line.startsWith(' '.repeat(depth + 1));
    if (isClosed && !isInside) break;
    const last = steps.length - 1;
    steps[last] = `${steps[last] ?? ''}\n${line.trim()}`;
  }
  const found = steps.filter((step) => step !== '');
  return found.length > 0 ? found : [text.trim()].filter((step) => step !== '');
}

const opening = 'Carry out this plan, step by step:\n\n';

/** The plan as a task for a model. */
export function planMessage(steps: readonly string[]): string {
  const lines = steps.map((step, index) => `${index + 1}. ${step.replaceAll('\n', '\n   ')}`);
  return `${opening}${lines.join('\n')}`;
}

/** The steps that a message wants carried out; null when it is no plan. The inverse of `planMessage`. */
export function carriedSteps(message: string): readonly string[] | null {
  return message.startsWith(opening) ? planSteps(message.slice(opening.length)) : null;
}

/** The items as the folded state keeps them: capped. */
export function cappedItems(items: readonly PlanItem[]): readonly PlanItem[] {
  return items.slice(0, mostPlanItems).map(({ text, state }) => ({ text: shortenText(text, lineLimit), state }));
}

/** The plan as a text for the user to edit. Lines that begin with `#` are notes. */
export function planText(steps: readonly string[]): string {
  return `# The steps of the plan. Change, move, add or remove them, then save and leave.\n${steps
    .map((step, index) => `${index + 1}. ${step.replaceAll('\n', '\n   ')}`)
    .join('\n')}\n`;
}

export function editedSteps(text: string): readonly string[] {
  return planSteps(
    text
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .join('\n'),
  );
}
