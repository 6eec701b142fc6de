import { createSharedValue, useSharedValue } from '../window/shared-value.ts';

/** Something that was done, or was not, and what can be done about it. */
export interface Announcement {
  readonly kind: 'info' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Milliseconds after which it goes by itself, where its action no longer works then. */
  readonly goesAfterMs?: number;
}

const shown = createSharedValue<readonly Announcement[]>([]);

/** Long enough to read two lines twice. */
const shownMs = 12_000;
/** What offers a way back, or the like, stays beside what comes after it; so many at once lie over the view. */
const mostActions = 3;

/**
 * Shown until the next one comes or it is closed; what offers something to do stays beside the next ones. What offers
 * nothing goes by itself: it lies over other things.
 */
export function announce(announcement: Announcement): void {
  const offers = shown.get().filter(({ action }) => action !== undefined);
  const room = mostActions - (announcement.action === undefined ? 0 : 1);
  shown.set([...offers.slice(-room), announcement]);
  const goesAfterMs =
    announcement.goesAfterMs ??
    (announcement.kind === 'info' && announcement.action === undefined ? shownMs : Number.POSITIVE_INFINITY);
  if (Number.isFinite(goesAfterMs)) setTimeout(() => dismissAnnouncement(announcement), goesAfterMs);
}

export function dismissAnnouncement(announcement: Announcement): void {
  if (shown.get().includes(announcement)) shown.set(shown.get().filter((one) => one !== announcement));
}

/** Does what an announcement offers; it is done once. */
export function runAnnouncedAction(announcement: Announcement): void {
  dismissAnnouncement(announcement);
  announcement.action?.run();
}

/** Another view is shown: what was said of the one before goes, but for a way back. What is said of the next one is said after this. */
export function dropStaleAnnouncements(): void {
  shown.set(shown.get().filter(({ action }) => action !== undefined));
}

/** The oldest first. */
export function useAnnouncements(): readonly Announcement[] {
  return useSharedValue(shown);
}
