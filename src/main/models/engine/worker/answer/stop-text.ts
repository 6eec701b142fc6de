/**
 * Passes text on up to the first stop string. Holds back what may be the beginning of one, so that a stop string in
 * two tokens is never shown.
 */
export interface StopText {
  /** The text that may be shown now. After `stopped`, it is always empty. */
  push(text: string): { readonly text: string; readonly stopped: boolean };
  /** The text that was held back, once nothing follows. */
  flush(): string;
}

export function createStopText(stops: readonly string[]): StopText {
  const wanted = stops.filter((stop) => stop.length > 0);
  let held = '';
  let stopped = false;
  return {
    push(text) {
      if (stopped) return { text: '', stopped };
      held += text;
      const at = firstStop(held, wanted);
      if (at !== null) {
        const shown = held.slice(0, at);
        held = '';
        stopped = true;
        return { text: shown, stopped };
      }
      const keep = longestOpening(held, wanted);
      const shown = held.slice(0, held.length - keep);
      held = held.slice(held.length - keep);
      return { text: shown, stopped };
    },
    flush() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

function firstStop(text: string, stops: readonly string[]): number | null {
  let first: number | null = null;
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at !== -1 && (first === null || at < first)) first = at;
  }
  return first;
}

/** The length of the longest end of `text` that begins a stop string. */
function longestOpening(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(stop.slice(0, length))) {
        longest = length;
        break;
      }
    }
  }
  return longest;
}
