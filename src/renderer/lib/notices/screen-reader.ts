import { createSharedValue, useSharedValue } from '../window/shared-value.ts';

/** A message for screen readers. `assertive` interrupts what is being read; `polite` waits for a pause. */
export interface SpokenMessage {
  readonly how: 'polite' | 'assertive';
  readonly text: string;
}

/** Each message is a new element, so that the same words can be read twice. */
interface NumberedSaid extends SpokenMessage {
  readonly id: number;
}

/** The most messages that may queue while one is being read. */
const kept = 6;

const spoken = createSharedValue<readonly NumberedSaid[]>([]);
let count = 0;

export function speakToScreenReader(said: SpokenMessage): void {
  count += 1;
  spoken.set([...spoken.get(), { ...said, id: count }].slice(-kept));
}

/** Sessions that began here and were not shown yet. */
const begun = new Set<string>();

/** Events before the session is first shown will be announced, too. */
export function expectNewsOf(sessionId: string): void {
  begun.add(sessionId);
}

/** Whether all events of a session are to be announced. Returns true once, when the session is shown. */
export function takeExpectedNews(sessionId: string): boolean {
  return begun.delete(sessionId);
}

/** Clears messages about something that is no longer shown. */
export function clearSpeech(): void {
  spoken.set([]);
}

export function useSpokenMessages(): readonly NumberedSaid[] {
  return useSharedValue(spoken);
}
