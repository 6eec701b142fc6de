import type { ModelInfo } from '@shared/models/model-info.ts';
import type { SessionModels } from '../turn/agent-dependencies.ts';
import type { TurnFacts } from './turn-facts.ts';

/** A cloud model and whether its service can be reached; null: unknown. */
export interface CloudReach {
  readonly info: ModelInfo | null;
  readonly reach: 'there' | 'away' | null;
}

/** Looking up a model asks its service, unless that happened recently, and so shows whether it can be reached. */
export async function checkCloudReach(
  { models }: { readonly models: Pick<SessionModels, 'info' | 'provider'> },
  id: string,
  signal: AbortSignal,
): Promise<CloudReach> {
  const info = await models.info(id, signal);
  return { info, reach: info === null ? null : (models.provider(info.provider)?.reach?.() ?? null) };
}

/** As a fact of the turn. Empty: nothing is known, or it runs on this machine. */
export function reachOf({ info, reach }: CloudReach): NonNullable<TurnFacts['reach']> {
  return info === null || reach === null || info.where === 'local' ? {} : { [info.provider]: reach };
}
