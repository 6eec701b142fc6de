import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../scripts/setup/lock.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the lock of the scripts', () => {
  it('is released when the work fails', async () => {
    const file = join(folder, 'deep', 'a.lock');
    const work = withLock(file, 'working', () => {
      expect(existsSync(file)).toBe(true);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(existsSync(file)).toBe(false);
  });

  it('is taken over from a process that is gone', async () => {
    const file = join(folder, 'a.lock');
    writeFileSync(file, String(spawnSync(process.execPath, ['-e', '']).pid));
    expect(await withLock(file, 'working', () => 'done')).toBe('done');
  });

  it('makes the second process wait for the first', async () => {
    const file = join(folder, 'a.lock');
    const order = [];
    const work = (name) => async () => {
      order.push(`${name} starts`);
      await new Promise((done) => setTimeout(done, 50));
      order.push(`${name} ends`);
    };
    await Promise.all([withLock(file, 'working', work('a')), withLock(file, 'working', work('b'))]);
    expect(order).toEqual(['a starts', 'a ends', 'b starts', 'b ends']);
  });
});
