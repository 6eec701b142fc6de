import { AppError } from '@shared/errors.ts';

/** A screen or a window that can be captured. */
export interface ScreenSource {
  readonly id: string;
  readonly kind: 'screen' | 'window';
  /** The title of a window is foreign text. */
  readonly name: string;
}

/** What a system offers for screenshots. */
export interface ScreenParts {
  /** The system asks the user itself what Dewpoint may see (Wayland), so Dewpoint neither lists nor asks. */
  readonly asksItself: boolean;
  /** The user has told the system that Dewpoint may not see the screen. */
  readonly isRefused: () => boolean;
  /** Names alone. Nothing is captured for it. */
  readonly sources: () => Promise<readonly ScreenSource[]>;
  /** Null: the user closed the list. */
  readonly choose: (sources: readonly ScreenSource[], signal: AbortSignal) => Promise<ScreenSource | null>;
  /**
   * A PNG of the source that was chosen; without a source, of what the user chooses in the dialog of the system. Null:
   * there is no picture.
   */
  readonly capture: (source: ScreenSource | null) => Promise<Buffer | null>;
}

const otherWay = 'Take it with a program of the system, then paste or attach it. Your message is as it was.';

/**
 * Asks the user for a screen or a window, in a list that no page can draw or answer, and captures it once. Null: nothing
 * was chosen, so nothing was captured. Throws `AppError` with what to do where there is no picture.
 */
export async function takeScreenshot(parts: ScreenParts, signal: AbortSignal): Promise<Buffer | null> {
  if (parts.isRefused())
    throw new AppError('refused', 'The system does not let Dewpoint see the screen, so nothing was captured.', {
      hint: 'Allow it in the settings of the system, under screen recording, and start Dewpoint again. Or paste a picture.',
    });
  if (parts.asksItself) {
    const picture = await parts.capture(null);
    signal.throwIfAborted();
    if (picture !== null) return picture;
    throw new AppError('not-found', 'The system gave no picture: the choice was closed, or is not allowed.', {
      hint: otherWay,
    });
  }
  const sources = await parts.sources();
  signal.throwIfAborted();
  if (sources.length === 0)
    throw new AppError('not-found', 'The system shows Dewpoint no screen and no window.', { hint: otherWay });
  const chosen = await parts.choose(sources, signal);
  signal.throwIfAborted();
  if (chosen === null) return null;
  const picture = await parts.capture(chosen);
  signal.throwIfAborted();
  if (picture !== null) return picture;
  const what = chosen.kind === 'window' ? 'The window' : 'The screen';
  throw new AppError('not-found', `${what} that you chose shows no picture any more: it was closed or hidden.`, {
    hint: 'Choose another one.',
  });
}
