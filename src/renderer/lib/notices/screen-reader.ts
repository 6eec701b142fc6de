import { createSharedValue, useSharedValue } from '../window/shared-value.ts';

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

const spoken = createSharedValue<readonly NumberedSaid[]>([]);
let count = 0;

export function speakToScreenReader(said: SpokenMessage): void {
  count += 1;
  spoken.set([...spoken.get(), { ...said, id: count }].slice(-kept));
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
  spoken.set([]);
}

export function useSpokenMessages(): readonly NumberedSaid[] {
  return useSharedValue(spoken);
}
