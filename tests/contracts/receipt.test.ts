import { describe, expect, it } from 'vitest';
import { compareReceipts, isEqual } from '../../bench/lib/receipt/sessions.ts';
import { ways } from '../../bench/lib/receipt/ways.ts';

describe('the receipts of sessions that send by every way at once', () => {
  it('have exactly the bytes that the hosts counted at their sockets', async () => {
    const outcomes = await compareReceipts(30, 20_261_130);
    const used = new Set(outcomes.flatMap((one) => one.ways));
    expect([...used].sort()).toEqual(Object.keys(ways).sort());
    expect(outcomes.filter((one) => !isEqual(one))).toEqual([]);
    expect(outcomes.reduce((sum, { counted }) => sum + counted.out, 0)).toBeGreaterThan(1_000_000);
  });
});
