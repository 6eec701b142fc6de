import { useState } from 'react';
import type { ModelPick } from './model-options.ts';

/** Kept for as long as the window is open. */
const picks = new Map<string, ModelPick>();

/** Sets the model choice that a session begins with. */
export function keepPick(sessionId: string, pick: ModelPick): void {
  picks.set(sessionId, pick);
}

/** The user's model choice for the messages of a session. It stays when the user comes back to it. */
export function useSessionPick(
  sessionId: string,
): readonly [ModelPick, (change: (before: ModelPick) => ModelPick) => void] {
  const [pick, setPick] = useState<ModelPick>(() => picks.get(sessionId) ?? { policy: null });
  const set = (change: (before: ModelPick) => ModelPick): void =>
    setPick((before) => {
      const after = change(before);
      keepPick(sessionId, after);
      return after;
    });
  return [pick, set];
}
