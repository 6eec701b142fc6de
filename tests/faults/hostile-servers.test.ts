import { describe, expect, it } from 'vitest';
import { meetServer, serverTroubles } from '../fakes/tool-server-troubles.ts';
import { sampled } from '../fakes/sampled.ts';

const rows = serverTroubles.flatMap((trouble) =>
  (trouble.ways ?? (['pipes', 'http'] as const)).map((way) => ({ trouble, way, mode: trouble.mode })),
);
/** Tests every `step`-th case. */
const step = sampled(1, 8);

describe('a hostile tool server', () => {
  // Each case catches: endless memory or time, an unclear end, a blocked session, unapproved runs, leftovers.
  it.each(rows.filter((_row, at) => at % step === 0))(
    'that is $mode, over $way, harms only itself',
    async ({ trouble, way }) => {
      expect(await meetServer(trouble, way)).toEqual([]);
    },
    120_000,
  );
});
