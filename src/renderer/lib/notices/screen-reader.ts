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

/** Sessions that began here and were not shown yet. */
const begun = new Set<string>();

/** What went on in it before it is shown is news, too. */
export function expectNewsOf(sessionId: string): void {
  begun.add(sessionId);
}

/** Whether all that goes on in a session is news; asked once, when it is shown. */
export function takeExpectedNews(sessionId: string): boolean {
  return begun.delete(sessionId);
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
