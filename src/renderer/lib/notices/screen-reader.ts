import { useSyncExternalStore } from 'react';

/** Something for who cannot see the window. `assertive` interrupts what is being read; `polite` waits for a pause. */
export interface SpokenMessage {
  readonly how: 'polite' | 'assertive';
  readonly text: string;
}

/** Each time it is said it is another element: a reader says the same words twice, too. */
interface NumberedSaid extends SpokenMessage {
  readonly id: number;
}

/** As much as may come while one is being read. */
const kept = 6;

let spoken: readonly NumberedSaid[] = [];
let count = 0;
const listeners = new Set<() => void>();

export function speakToScreenReader(said: SpokenMessage): void {
  count += 1;
  change([...spoken, { ...said, id: count }].slice(-kept));
}

/** What was said belongs to something that is not shown any more. */
export function clearSpeech(): void {
  change([]);
}

export function useSpokenMessages(): readonly NumberedSaid[] {
  return useSyncExternalStore(subscribe, () => spoken);
}

function change(next: readonly NumberedSaid[]): void {
  spoken = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
