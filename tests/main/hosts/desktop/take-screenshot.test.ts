import { describe, expect, it } from 'vitest';
import type { ScreenParts, ScreenSource } from '../../../../src/main/hosts/desktop/take-screenshot.ts';
import { takeScreenshot } from '../../../../src/main/hosts/desktop/take-screenshot.ts';

const screen: ScreenSource = { id: 'screen:0:0', kind: 'screen', name: 'Entire screen' };
const letter: ScreenSource = { id: 'window:7:0', kind: 'window', name: 'A letter' };
const png = Buffer.from('a picture');
const never = new AbortController().signal;

/** A system whose user chooses `chosen`, and what was asked of it, in order. */
function system(chosen: ScreenSource | null, more: Partial<ScreenParts> = {}) {
  const asked: string[] = [];
  const parts: ScreenParts = {
    asksItself: false,
    isRefused: () => false,
    sources: async () => {
      asked.push('list');
      return [screen, letter];
    },
    choose: async () => {
      asked.push('ask');
      return chosen;
    },
    capture: async (source) => {
      asked.push(`capture ${source?.id ?? 'what the system asks for'}`);
      return png;
    },
    ...more,
  };
  return { parts, asked };
}

describe('a screenshot', () => {
  it('is of what the user chose, and nothing is captured before', async () => {
    const { parts, asked } = system(letter);
    expect(await takeScreenshot(parts, never)).toEqual(png);
    expect(asked).toEqual(['list', 'ask', 'capture window:7:0']);
  });

  it('is none where the list was closed, and nothing is captured', async () => {
    const { parts, asked } = system(null);
    expect(await takeScreenshot(parts, never)).toBeNull();
    expect(asked).toEqual(['list', 'ask']);
  });

  it('is left to the dialog of a system that asks itself', async () => {
    const { parts, asked } = system(null, { asksItself: true });
    expect(await takeScreenshot(parts, never)).toEqual(png);
    expect(asked).toEqual(['capture what the system asks for']);
  });

  it('says so where that dialog gave nothing', async () => {
    const { parts } = system(null, { asksItself: true, capture: async () => null });
    await expect(takeScreenshot(parts, never)).rejects.toThrow('The system gave no picture');
  });

  it('says so where the system refuses, and lists nothing', async () => {
    const { parts, asked } = system(screen, { isRefused: () => true });
    await expect(takeScreenshot(parts, never)).rejects.toThrow('does not let Dewpoint see the screen');
    expect(asked).toEqual([]);
  });

  it('says so where there is no screen and no window, and asks nothing', async () => {
    const { parts, asked } = system(screen, { sources: async () => [] });
    await expect(takeScreenshot(parts, never)).rejects.toThrow('no screen and no window');
    expect(asked).toEqual([]);
  });

  it('says so where the window was closed after it was chosen', async () => {
    const { parts } = system(letter, { capture: async () => null });
    await expect(takeScreenshot(parts, never)).rejects.toThrow('The window that you chose shows no picture any more');
  });

  it('captures nothing for a page that is gone', async () => {
    const gone = new AbortController();
    const { parts, asked } = system(letter, {
      choose: async () => {
        gone.abort();
        return letter;
      },
    });
    await expect(takeScreenshot(parts, gone.signal)).rejects.toThrow();
    expect(asked).toEqual(['list']);
  });
});
