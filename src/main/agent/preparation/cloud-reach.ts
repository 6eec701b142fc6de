import type { ModelInfo } from '@shared/models/model-info.ts';
import type { AgentDependencies } from '../turn/agent-dependencies.ts';

/** A model of the cloud, and whether its service is there; null: nobody can say. */
export interface CloudReach {
  readonly info: ModelInfo | null;
  readonly reach: 'there' | 'away' | null;
}

/** To look a model up is to ask its service, where that was not done a little while ago: so it is known whether it is there. */
export async function checkCloudReach(
  { modelInfo, provider }: Pick<AgentDependencies, 'modelInfo' | 'provider'>,
  id: string,
  signal: AbortSignal,
): Promise<CloudReach> {
  const info = await modelInfo(id, signal);
  return { info, reach: info === null ? null : (provider(info.provider)?.reach?.() ?? null) };
}
