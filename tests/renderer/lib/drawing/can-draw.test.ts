import { describe, expect, it } from 'vitest';
import { canDraw } from '../../../../src/renderer/lib/drawing/can-draw.ts';

const box = (): string => 'box';

describe('whether a sign can be drawn', () => {
  it('is no where the sign looks like one that no font has, and is found out once', () => {
    const drawn: string[] = [];
    const draw = (sign: string): string => {
      drawn.push(sign);
      return 'box';
    };
    expect([canDraw('🦉 owl', draw), canDraw('🦉', draw)]).toEqual([false, false]);
    expect(drawn).toEqual(['🦉', '\u{10FFFE}']);
  });

  it('is yes where it looks like itself, or where nothing can be drawn to find out', () => {
    expect(canDraw('🐝', (sign) => sign)).toBe(true);
    expect(canDraw('🐜', () => null)).toBe(true);
  });

  it('is yes for letters and digits of any script without a look', () => {
    expect(['D', '7', '文', 'ß', ''].map((sign) => canDraw(sign, box))).toEqual([true, true, true, true, true]);
  });
});
