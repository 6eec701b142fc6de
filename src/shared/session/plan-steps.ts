import type { PlanItem } from '@shared/events/conversation-events.ts';
import { shortenText, lineLimit } from '@shared/text/shorten-text.ts';

/** How many items of a plan a model may tell of. */
export const mostPlanItems = 30;

/** The steps of a plan as a model wrote it: the items of its list, with what belongs to each. Without a list it is one step. */
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
    // After an empty line only what is set in belongs to the step: a closing sentence does not.
    const isInside = line.startsWith(' '.repeat(depth + 1));
    if (isClosed && !isInside) break;
    const last = steps.length - 1;
    steps[last] = `${steps[last] ?? ''}\n${line.trim()}`;
  }
  const found = steps.filter((step) => step !== '');
  return found.length > 0 ? found : [text.trim()].filter((step) => step !== '');
}

const opening = 'Carry out this plan, step by step:\n\n';

/** The plan as the task that a model is given. */
export function planMessage(steps: readonly string[]): string {
  const lines = steps.map((step, index) => `${index + 1}. ${step.replaceAll('\n', '\n   ')}`);
  return `${opening}${lines.join('\n')}`;
}

/** The steps that a message wants carried out; null: it is no plan. The other way round of `planMessage`. */
export function carriedSteps(message: string): readonly string[] | null {
  return message.startsWith(opening) ? planSteps(message.slice(opening.length)) : null;
}

/** Items as the folded state keeps them. */
export function cappedItems(items: readonly PlanItem[]): readonly PlanItem[] {
  return items.slice(0, mostPlanItems).map(({ text, state }) => ({ text: shortenText(text, lineLimit), state }));
}

/** The plan as a text that a person edits, and back: lines that begin with `#` are notes. */
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
