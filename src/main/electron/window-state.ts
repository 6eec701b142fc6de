import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

const stateSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(200).max(20_000),
  height: z.number().int().min(200).max(20_000),
  isMaximized: z.boolean(),
});
/** Where a window was, in pixels of the desktop. */
export type WindowState = z.infer<typeof stateSchema>;

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Null: none was kept, or it cannot be read. */
export function readWindowState(path: string): WindowState | null {
  try {
    return stateSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

/** At once, for the window is closing. Where it cannot be kept, the next one opens as the first did. */
export function keepWindowState(path: string, state: WindowState): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(state)}\n`);
  } catch {
    // Nothing hangs on it.
  }
}

/** How much of its top edge must be on a screen, so that it can be taken hold of. */
const grip = { width: 120, height: 32 };

/** The place as it was kept, if enough of it is on one of the screens that there are now. */
export function placeOn(state: WindowState | null, screens: readonly Area[]): WindowState | null {
  if (state === null) return null;
  const isSeen = screens.some((screen) => {
    const width = Math.min(state.x + state.width, screen.x + screen.width) - Math.max(state.x, screen.x);
    return (
      width >= grip.width && state.y >= screen.y - grip.height && state.y + grip.height <= screen.y + screen.height
    );
  });
  return isSeen ? state : null;
}
