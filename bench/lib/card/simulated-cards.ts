import type { CardFile } from './card-bed.ts';
import { bytesOfShape, largeShapes } from './shaped-model.ts';
import type { SimulatedCard } from './simulated-bed.ts';

const gib = 2 ** 30;
const contextBytesPerToken = 57_344;

/** Usual sizes of cards, with their approximate bandwidth. */
export const simulatedCards: Readonly<Record<string, SimulatedCard>> = {
  '8 GiB simulated': { totalBytes: 8 * gib, bytesPerSecond: 270e9, contextBytesPerToken },
  '24 GiB simulated': { totalBytes: 24 * gib, bytesPerSecond: 1_000e9, contextBytesPerToken },
  '80 GiB simulated': { totalBytes: 80 * gib, bytesPerSecond: 3_300e9, contextBytesPerToken },
};

/** A small real model, and the large shapes that fit the card. */
export function simulatedFiles({ totalBytes }: SimulatedCard): readonly CardFile[] {
  const small = { name: 'small', path: '', bytes: gib, activeBytes: gib, trainedTokens: 32_768 };
  const made = largeShapes.map((shape): CardFile => {
    const { all, active } = bytesOfShape(shape, 151_936);
    return {
      name: shape.name,
      path: '',
      bytes: all,
      activeBytes: shape.experts === undefined ? all : active,
      trainedTokens: 131_072,
    };
  });
  return [small, ...made.filter(({ bytes }) => bytes < totalBytes)];
}
