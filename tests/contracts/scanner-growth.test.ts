import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measureScanners, steepRows } from './growth/pattern-growth.ts';

/** Catches the same as pattern-growth, in functions that read a text. It has its own file because both take minutes. */
describe('the cost per byte of a long text', () => {
  it('grows with no function that reads a text', { timeout: 600_000 }, async () => {
    const rows = await measureScanners(resolve(import.meta.dirname, '../..'));
    expect(rows.length).toBeGreaterThan(100);
    expect(steepRows(rows)).toBe('');
  });
});
