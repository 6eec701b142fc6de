import { describe, expect, it } from 'vitest';
import { meetServer, serverTroubles } from '../fakes/tool-server-troubles.ts';
import { sampled } from '../fakes/sampled.ts';

const rows = serverTroubles.flatMap((trouble) =>
  (trouble.ways ?? (['pipes', 'http'] as const)).map((way) => ({ trouble, way, mode: trouble.mode })),
);
/** Every so many of them. */
const step = sampled(1, 8);

describe('a hostile tool server', () => {
  // Each catches: memory or time without end, an unclear end, a session that stops, what runs unapproved, what is left.
  it.each(rows.filter((_row, at) => at % step === 0))(
    'that is $mode, over $way, harms nobody but itself',
    async ({ trouble, way }) => {
      expect(await meetServer(trouble, way)).toEqual([]);
    },
    120_000,
  );
});
