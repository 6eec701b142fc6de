import type { ModelInfo } from '@shared/models/model-info.ts';
import { memo } from '../../lib/memo.ts';
import type { CallingTurn } from '../turn/turn.ts';

/** Models that a turn has been told about. */
const noticesGiven = memo((_turn: CallingTurn) => new Set<string>());

/**
 * Says once a turn that a service answers with another model than was asked for: it may be weaker, and cost otherwise.
 * The event of every call has the name; a server on this machine may call its only model what it likes.
 */
export async function noteOtherModel(turn: CallingTurn, info: ModelInfo, answered: string | undefined): Promise<void> {
  if (answered === undefined || info.where === 'local' || isSameModel(info.name, answered)) return;
  const key = `${info.id} ${answered}`;
  if (noticesGiven(turn).has(key)) return;
  noticesGiven(turn).add(key);
  await turn.log.append({
    type: 'notice-added',
    level: 'warning',
    code: 'other-model',
    text: `${info.id} was requested, but ${answered} answered. Costs use the price of the requested model.`,
  });
}

/** Whether a name is that of the model that was asked for, with a date or a place that the service adds. */
export function isSameModel(asked: string, answered: string): boolean {
  return asked.endsWith('-latest') || bare(asked) === bare(answered);
}

function bare(name: string): string {
  const last = name.toLowerCase().replace(/^.*\//, '');
  return last.replace(/:[\s\S]*/, '').replace(/[-@](\d{8}|\d{6}|\d{4}-\d{2}-\d{2}|\d{3,4})$/, '');
}
