/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The items in an order that only the seed decides. */
export function inDrawnOrder<Item>(items: readonly Item[], seed: number): readonly Item[] {
  const draw = seededNumbers(seed);
  return items
    .map((item) => ({ item, place: draw() }))
    .sort((left, right) => left.place - right.place)
    .map(({ item }) => item);
}
