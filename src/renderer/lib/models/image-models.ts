import type { MessageState, TurnState } from '@shared/session/session-state.ts';
import type { SendOptions } from '../session/session-commands.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

export interface ImageModels {
  /** Models that are ready and can see images, in places where the message may go. */
  readonly offered: readonly ModelEntry[];
  /** The number of further ones in the cloud, where the message may not go. */
  readonly kept: number;
}

/**
 * For a turn that ended because none of its models can see the image of its message; null for any other turn. Cloud
 * models are offered only if the turn was allowed to use the cloud.
 */
export function imageModelsFor(
  turn: TurnState,
  message: MessageState | undefined,
  models: readonly ModelEntry[],
): ImageModels | null {
  if (turn.reason !== 'missing' || turn.failure?.code !== 'missing-model') return null;
  if (message?.attachments?.some(({ kind }) => kind === 'image') !== true) return null;
  const own = turn.cascade.map(({ model }) => models.find(({ id }) => id === model)?.info ?? null);
  // An unknown model is itself the problem, and a model that can see images was not.
  if (own.some((info) => info === null || info.capabilities.images === true)) return null;
  const seeing = models.filter(({ state, info }) => state === 'ready' && info?.capabilities.images === true);
  const offered = seeing.filter(({ where }) => where === 'local' || goesToCloud(turn));
  return { offered, kept: seeing.length - offered.length };
}

/** The options that send the message to this model. With a local model, nothing goes to the cloud. */
export function sendOptionsFor({ id, where }: ModelEntry, turn: TurnState): SendOptions {
  if (where === 'local') return { policy: 'local', local: id };
  return { policy: turn.cascade.some((stage) => stage.where === 'local') ? 'hybrid' : 'cloud', cloud: id };
}

function goesToCloud({ cascade }: TurnState): boolean {
  return cascade.some(({ where }) => where === 'cloud');
}
