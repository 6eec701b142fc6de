import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { noteFailure } from '../../lib/log.ts';

const placeSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(200).max(20_000),
  height: z.number().int().min(200).max(20_000),
  isMaximized: z.boolean(),
});
/** The position of a window, in desktop pixels. */
export type WindowPlace = z.infer<typeof placeSchema>;

const keptSchema = z.object({
  /** Null: the system chooses the position. */
  place: placeSchema.nullable(),
  /** The view in the words of its page. Empty: the view of a first window. */
  view: z.string().max(200),
});
/** A window that will be reopened. */
export type KeptWindow = z.infer<typeof keptSchema>;

const fileSchema = z.object({ windows: z.array(keptSchema).max(20) });

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Empty if no windows were stored, or the file cannot be read. */
export function readWindowState(path: string): readonly KeptWindow[] {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).windows;
  } catch {
    return [];
  }
}

/** Writes synchronously and as a whole: the app may be closing. After a failure, the next start is like the first. */
export function saveWindowState(path: string, windows: readonly KeptWindow[]): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, `${JSON.stringify({ windows })}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (error) {
    // Not essential.
    noteFailure('desktop: the places of the windows were not saved', error);
  }
}

/** How much of its top edge must be on a screen, so that the user can drag it. */
const minimumVisible = { width: 120, height: 32 };

/** The stored position if enough of it is on a current screen, else null. */
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

/** The position of a window that is opened from another: offset, so that both titles are visible. */
export function placeBeside(place: WindowPlace): WindowPlace {
  return { ...place, x: place.x + cascadePx, y: place.y + cascadePx, isMaximized: false };
}
