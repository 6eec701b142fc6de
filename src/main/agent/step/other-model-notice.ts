import type { ModelInfo } from '@shared/models/model-info.ts';
import { memo } from '../../lib/memo.ts';
import type { CallingTurn } from '../turn/turn.ts';

/** Models that a turn has already reported. */
const noticesGiven = memo((_turn: CallingTurn) => new Set<string>());

/**
 * Tells the user once per turn that a service answered with a different model, which may be weaker or cost more. The
 * event of every call has the name. Local servers are left out: they may call their only model anything.
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

/** Whether the answering model is the requested one, ignoring a date or place that the service adds. */
export function isSameModel(asked: string, answered: string): boolean {
  return asked.endsWith('-latest') || bare(asked) === bare(answered);
}

function bare(name: string): string {
  const last = name.toLowerCase().replace(/^.*\//, '');
  return last.replace(/:[\s\S]*/, '').replace(/[-@](\d{8}|\d{6}|\d{4}-\d{2}-\d{2}|\d{3,4})$/, '');
}
