import { describe, expect, it } from 'vitest';
import { cardMarkdown, cardRows } from '../../bench/lib/card/card-report.ts';
import type { CardStep } from '../../bench/lib/card/card-steps.ts';
import { runCardSteps } from '../../bench/lib/card/card-steps.ts';
import type { SimulatedCard } from '../../bench/lib/card/simulated-bed.ts';
import { createSimulatedBed } from '../../bench/lib/card/simulated-bed.ts';
import { simulatedCards, simulatedFiles } from '../../bench/lib/card/simulated-cards.ts';

/** Catches: a card test that passes a card on which something is wrong, or fails one on which nothing is. */
const [card] = Object.values(simulatedCards);
const stepsOn = (changes: Partial<SimulatedCard> = {}): Promise<readonly CardStep[]> => {
  if (card === undefined) throw new Error('no card is simulated');
  const tried = { ...card, ...changes };
  return runCardSteps({
    bed: createSimulatedBed(tried),
    files: simulatedFiles(tried),
    bare: null,
    onStep: async () => undefined,
    settle: async () => undefined,
  });
};
const wrongIn = (steps: readonly CardStep[]): readonly string[] => [
  ...new Set(steps.filter(({ isOk }) => !isOk).map(({ step }) => step)),
];

describe('the card test', () => {
  it.each(Object.entries(simulatedCards))('passes on a card that behaves as planned: %s', async (_name, sound) => {
    const steps = await stepsOn(sound);
    expect(steps.filter(({ isOk }) => !isOk)).toEqual([]);
    expect(new Set(steps.map(({ step }) => step))).toEqual(
      new Set(['as planned', 'largest context', 'spill', 'two models', 'out of memory', 'abort', 'kill']),
    );
    expect(
      cardRows(steps).every(({ value, target }) => target !== null && 'atLeast' in target && value === target.atLeast),
    ).toBe(true);
  });

  it.each<[string, Partial<SimulatedCard>, string]>([
    ['more memory is taken than planned', { taken: 1.4 }, 'as planned'],
    ['the engine quietly uses the processor', { usesProcessor: true }, 'as planned'],
    ['a killed engine leaves its memory taken', { leaks: true }, 'kill'],
    ['a killed engine is not told of', { hidesKill: true }, 'kill'],
    ['an abort takes a second', { abortMs: 1_000 }, 'abort'],
  ])('reports that %s', async (_name, changes, step) => {
    expect(wrongIn(await stepsOn(changes))).toContain(step);
  });

  it('says whether the card holds more or less context than the plan grants', async () => {
    const largest = (steps: readonly CardStep[]): CardStep | undefined =>
      steps.findLast(({ step }) => step === 'largest context');
    const sound = largest(await stepsOn());
    expect(Number(sound?.figures['held tokens'])).toBeGreaterThanOrEqual(Number(sound?.figures['granted tokens']));
    const hungry = largest(await stepsOn({ taken: 1.15 }));
    expect(hungry?.why).toBe('what the plan granted does not hold');
    expect(Number(hungry?.figures['held tokens'])).toBeLessThan(Number(hungry?.figures['granted tokens']));
  });

  it('writes a report that lists every step and every fault', async () => {
    const steps = await stepsOn({ abortMs: 1_000 });
    const text = cardMarkdown({
      setting: { date: '2026-11-25T00:00:00.000Z', machine: 'a machine', commit: 'abc' },
      engine: '1.2.3',
      hardware: { devices: [], host: { totalBytes: 1, freeBytes: 1, source: 'test' } },
      facts: {
        platform: 'linux',
        arch: 'x64',
        cards: [],
        nvidia: { driver: '590.1', capability: 8.9 },
        loadable: ['libcuda.so.1'],
        lookedUp: [],
      },
      plan: { use: 'engine/cuda', reason: 'It has all.', advice: null },
      tool: null,
      files: [],
      steps,
    });
    for (const part of ['590.1', 'libcuda.so.1', 'the abort took more than 200 ms', 'largest context'])
      expect(text).toContain(part);
  });
});
