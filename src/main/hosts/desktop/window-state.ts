import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

const placeSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(200).max(20_000),
  height: z.number().int().min(200).max(20_000),
  isMaximized: z.boolean(),
});
/** Where a window was, in pixels of the desktop. */
export type WindowPlace = z.infer<typeof placeSchema>;

const keptSchema = z.object({
  /** Null: where the system puts a new one. */
  place: placeSchema.nullable(),
  /** What it showed, in the words of its page; empty: what a first window shows. */
  view: z.string().max(200),
});
/** A window as it is opened again. */
export type KeptWindow = z.infer<typeof keptSchema>;

const fileSchema = z.object({ windows: z.array(keptSchema).max(20) });

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Empty: none were kept, or they cannot be read. */
export function readWindowState(path: string): readonly KeptWindow[] {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).windows;
  } catch {
    return [];
  }
}

/**
 * At once and as a whole, for the app may be closing or be killed. Where they cannot be kept, the next start opens
 * as the first did.
 */
export function saveWindowState(path: string, windows: readonly KeptWindow[]): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, `${JSON.stringify({ windows })}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // Nothing hangs on it.
  }
}

/** How much of its top edge must be on a screen, so that it can be taken hold of. */
const minimumVisible = { width: 120, height: 32 };

/** The place as it was kept, if enough of it is on one of the screens that there are now. */
export function placeWithinScreens(place: WindowPlace | null, screens: readonly Area[]): WindowPlace | null {
  if (place === null) return null;
  const isSeen = screens.some((screen) => {
    const width = Math.min(place.x + place.width, screen.x + screen.width) - Math.max(place.x, screen.x);
    return (
      width >= minimumVisible.width &&
      place.y >= screen.y - minimumVisible.height &&
      place.y + minimumVisible.height <= screen.y + screen.height
    );
  });
  return isSeen ? place : null;
}

const cascadePx = 28;

/** Where a window opened from another comes to lie: beside its title, and not over it. */
export function placeBeside(place: WindowPlace): WindowPlace {
  return { ...place, x: place.x + cascadePx, y: place.y + cascadePx, isMaximized: false };
}
