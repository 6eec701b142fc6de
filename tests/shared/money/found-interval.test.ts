import { describe, expect, it } from 'vitest';
import { coverage, foundInterval } from '../../../src/shared/money/found-interval.ts';
import { seeded } from '../../../bench/lib/seeded.ts';

/** A pair whose real value is e^distance times the estimate. */
const off = (distance: number) => ({ value: 2, real: 2 * Math.exp(distance) });
const highOf = (distances: readonly number[]): number => Math.log(foundInterval(distances.map(off))?.high ?? 0);

describe('the interval found from real runs', () => {
  it('covers one more task with its stated probability, on both sides', () => {
    const nine = [0.1, -0.9, 0.3, 0.4, -0.2, 0.5, 0.6, -0.7, 0.8];
    expect(highOf(nine)).toBeCloseTo(0.9, 9);
    expect(Math.log(foundInterval(nine.map(off))?.low ?? 0)).toBeCloseTo(-0.9, 9);
    // The eighteenth of nineteen: one in ten may be outside.
    expect(highOf(Array.from({ length: 19 }, (_, index) => (index + 1) / 100))).toBeCloseTo(0.18, 9);
  });

  it('is widened for a few tasks, and does not exist for two', () => {
    const six = [0.1, 0.1, -0.1, 0.1, -0.1, 0.1];
    expect(foundInterval(six.map(off))).toMatchObject({ tasks: 6, isWidened: true });
    expect(highOf(six)).toBeGreaterThan(0.15);
    expect(highOf([0.01, 0.01, 0.01, 0.01, 0.01, 1])).toBeGreaterThanOrEqual(1);
    expect(foundInterval([off(0.1), off(0.1)])).toBeNull();
  });

  it('keeps its stated coverage for few tasks and skewed differences', () => {
    const random = seeded(7);
    // Most values are close, and one in six is far off.
    const draw = () => off((random() < 1 / 6 ? 2 : 0.1) * (random() - 0.5));
    for (const tasks of [6, 9, 13, 30]) {
      const rounds = 800;
      let held = 0;
      for (let round = 0; round < rounds; round += 1) {
        const found = foundInterval(Array.from({ length: tasks }, draw));
        const next = draw();
        const ratio = next.real / next.value;
        if (found !== null && ratio >= found.low && ratio <= found.high) held += 1;
      }
      // Six tasks can cover at most six in seven by their order alone.
      expect({ tasks, isHeld: held / rounds > (tasks < 9 ? 6 / 7 : coverage) - 0.03 }).toEqual({ tasks, isHeld: true });
    }
  });
});
