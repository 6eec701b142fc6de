import { fullShare, promptRoom } from '@shared/models/prompt-room.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { SessionState, StepState } from '@shared/session/session-state.ts';
import type { PickedModel } from '../models/model-options.ts';

/** How full the next model's context is with the conversation so far, in tokens. */
export interface ContextFill {
  readonly used: number;
  readonly all: number;
  /** `near`: older results will soon be shortened. `over`: the next message does that. */
  readonly level: 'free' | 'near' | 'over';
}

/** A share of the level at which results are shortened. */
const nearShare = 0.8;

/** Calls that carry the conversation. Other calls have their own prompts. */
const ofTalk: ReadonlySet<StepState['purpose']> = new Set<StepState['purpose']>(['act', 'answer', 'plan']);

/** Null: the conversation is empty, or the context size is unknown. */
export function contextFill(
  steps: SessionState['steps'],
  models: readonly ModelEntry[],
  picked: PickedModel | null,
): ContextFill | null {
  const last = steps.findLast(({ end, purpose }) => ofTalk.has(purpose) && end !== null && end.error === null);
  if (last === undefined || last.end === null) return null;
  const id = picked?.type === 'model' ? picked.id : last.model;
  const info = models.find((model) => model.id === id)?.info ?? null;
  if (info === null) return null;
  const { cacheRead, freshInput, cacheWrite, output } = last.end.usage;
  const used = cacheRead + freshInput + cacheWrite + output;
  const cut = promptRoom(info) * fullShare;
  return { used, all: info.contextTokens, level: used > cut ? 'over' : used > cut * nearShare ? 'near' : 'free' };
}
