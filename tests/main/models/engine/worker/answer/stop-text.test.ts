import { describe, expect, it } from 'vitest';
import { createStopText } from '../../../../../../src/main/models/engine/worker/answer/stop-text.ts';

function through(
  pieces: readonly string[],
  stops: readonly string[],
): { readonly shown: readonly string[]; readonly stopped: boolean } {
  const stop = createStopText(stops);
  const results = pieces.map((piece) => stop.push(piece));
  const stopped = results.some((result) => result.stopped);
  return { shown: [...results.map((result) => result.text), stopped ? '' : stop.flush()], stopped };
}

describe('the stop text', () => {
  it('never shows a stop string that arrives in pieces', () => {
    expect(through(['a = 1\n`', '``', '\nmore'], ['```'])).toEqual({ shown: ['a = 1\n', '', '', ''], stopped: true });
  });

  it('shows a text that only began like a stop string', () => {
    expect(through(['x `', 'y` z'], ['```'])).toEqual({ shown: ['x ', '`y` z', ''], stopped: false });
    expect(through(['ends with ``'], ['```'])).toEqual({ shown: ['ends with ', '``'], stopped: false });
  });

  it('stops at the first of several stop strings, however the text is cut', () => {
    for (let cut = 0; cut <= 12; cut += 1) {
      const text = 'abcSTOPdefEND';
      const { shown, stopped } = through([text.slice(0, cut), text.slice(cut)], ['END', 'STOP']);
      expect({ text: shown.join(''), stopped }).toEqual({ text: 'abc', stopped: true });
    }
  });

  it('shows everything when there is no stop string', () => {
    expect(through(['a', 'b'], ['', ''])).toEqual({ shown: ['a', 'b', ''], stopped: false });
  });
});
