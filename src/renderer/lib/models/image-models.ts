import type { MessageState, TurnState } from '@shared/session/session-state.ts';
import type { SendOptions } from '../session/session-commands.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

export interface ImageModels {
  /** Those that can be called now and see pictures, where the message may go. */
  readonly offered: readonly ModelEntry[];
  /** How many others see them, in the cloud, where the message was not to go. */
  readonly kept: number;
}

/**
 * Of a turn that ended because none of its models sees the picture of its message; null for any other. A model of the
 * cloud is offered only where the turn might have gone there itself.
 */
export function imageModelsFor(
  turn: TurnState,
  message: MessageState | undefined,
  models: readonly ModelEntry[],
): ImageModels | null {
  if (turn.reason !== 'missing' || turn.failure?.code !== 'missing-model') return null;
  if (message?.attachments?.some(({ kind }) => kind === 'image') !== true) return null;
  const own = turn.cascade.map(({ model }) => models.find(({ id }) => id === model)?.info ?? null);
  // A model that is not known is missing itself, and one that sees was not what was missing.
  if (own.some((info) => info === null || info.capabilities.images === true)) return null;
  const seeing = models.filter(({ state, info }) => state === 'ready' && info?.capabilities.images === true);
  const offered = seeing.filter(({ where }) => where === 'local' || goesToCloud(turn));
  return { offered, kept: seeing.length - offered.length };
}

/** What the message is sent with so that the model gets it: nothing goes to the cloud that was not to go there. */
export function sendOptionsFor({ id, where }: ModelEntry, turn: TurnState): SendOptions {
  if (where === 'local') return { policy: 'local', local: id };
  return { policy: turn.cascade.some((stage) => stage.where === 'local') ? 'hybrid' : 'cloud', cloud: id };
}

function goesToCloud({ cascade }: TurnState): boolean {
  return cascade.some(({ where }) => where === 'cloud');
}
