import { createSharedValue, useSharedValue } from '../window/shared-value.ts';

/** Something that was done or failed, and what can be done about it. */
export interface Announcement {
  readonly kind: 'info' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Milliseconds after which it disappears, if its action stops working then. */
  readonly goesAfterMs?: number;
}

const shown = createSharedValue<readonly Announcement[]>([]);

/** Long enough to read two lines twice. */
const shownMs = 12_000;
/** Long enough to decide about what it offers. */
const offeredMs = 60_000;
/** Announcements with an action stay beside later ones. At most this many cover the view. */
const mostActions = 3;

/**
 * Shows an announcement until the next one comes or it is closed. One with an action stays beside later ones. Each but
 * an error disappears after a while, because it covers other things.
 */
export function announce(announcement: Announcement): void {
  const offers = shown.get().filter(({ action }) => action !== undefined);
  const room = mostActions - (announcement.action === undefined ? 0 : 1);
  shown.set([...offers.slice(-room), announcement]);
  const goesAfterMs =
    announcement.goesAfterMs ??
    (announcement.kind === 'error'
      ? Number.POSITIVE_INFINITY
      : announcement.action === undefined
        ? shownMs
        : offeredMs);
  if (Number.isFinite(goesAfterMs)) setTimeout(() => dismissAnnouncement(announcement), goesAfterMs);
}

export function dismissAnnouncement(announcement: Announcement): void {
  if (shown.get().includes(announcement)) shown.set(shown.get().filter((one) => one !== announcement));
}

/** Runs the action of an announcement, once. */
export function runAnnouncedAction(announcement: Announcement): void {
  dismissAnnouncement(announcement);
  announcement.action?.run();
}

/**
 * Called when another view is shown. Removes old announcements without an action. Announce things about the new view
 * after this.
 */
export function dropStaleAnnouncements(): void {
  shown.set(shown.get().filter(({ action }) => action !== undefined));
}

/** Oldest first. */
export function useAnnouncements(): readonly Announcement[] {
  return useSharedValue(shown);
}
