import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tryLock, withFileLock } from '../../../../src/main/lib/files/file-lock.ts';
import { isRunning, thisProcess } from '../../../../src/main/lib/files/lock-owner.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-lock-'));
  path = join(folder, 'a.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const nobody = { pid: 999_999_999, startedAt: '1', boot: null };

describe('a file lock', () => {
  it('is held by one process at a time, names it, and leaves nothing when released', async () => {
    const first = await tryLock(path);
    if (first.type !== 'taken') throw new Error('not taken');
    expect(await tryLock(path)).toEqual({ type: 'held', pid: process.pid });
    await first.lock.release();
    await first.lock.release();
    expect(await readdir(folder)).toEqual([]);
    expect((await tryLock(path)).type).toBe('taken');
  });

  it.each([
    ['a process that is gone', JSON.stringify(nobody)],
    ['nobody who can be read', 'half a reco'],
    ['a number alone', String(process.pid)],
  ])('is taken over from %s', async (_, text) => {
    await writeFile(path, text);
    expect((await tryLock(path)).type).toBe('taken');
    expect(await readdir(folder)).toEqual(['a.lock']);
  });

  it('is taken over by only one of many, also after an unfinished take-over', async () => {
    for (const name of ['', '.break', '.break.break']) await writeFile(`${path}${name}`, JSON.stringify(nobody));
    await writeFile(`${path}.0a1b2c.tmp`, JSON.stringify(nobody));
    const attempts = await Promise.all(Array.from({ length: 20 }, () => tryLock(path)));
    expect(attempts.filter(({ type }) => type === 'taken')).toHaveLength(1);
    expect(attempts.filter((attempt) => attempt.type === 'held').map(({ pid }) => pid)).toEqual(
      Array(19).fill(process.pid),
    );
    expect(await readdir(folder)).toEqual(['a.lock']);
  });

  /** Catches: an empty lock that nobody holds, and that is held for as long as the clock was put back. */
  it('is taken when it is empty and its time is in the future', async () => {
    await writeFile(path, '');
    const later = new Date(Date.now() + 3_600_000);
    await utimes(path, later, later);
    expect((await tryLock(path)).type).toBe('taken');
  });

  it('is not released by an owner whose lock was replaced', async () => {
    const first = await tryLock(path);
    await writeFile(path, 'of another');
    if (first.type === 'taken') await first.lock.release();
    expect(await readFile(path, 'utf8')).toBe('of another');
  });

  it('is not taken over when it is empty but new', async () => {
    await writeFile(path, '');
    setTimeout(() => void rm(path), 100);
    expect((await tryLock(path)).type).toBe('taken');
  });

  it("is waited for until the other's work is done, with one notice", async () => {
    const order: string[] = [];
    const signal = new AbortController().signal;
    const deep = join(folder, 'deep', 'b.lock');
    let second: Promise<void> = Promise.resolve();
    await withFileLock(deep, { signal, onWait: () => order.push('first waits') }, async () => {
      order.push('first begins');
      await new Promise<void>((waits) => {
        const onWait = (): void => {
          order.push('second waits');
          waits();
        };
        second = withFileLock(deep, { signal, onWait }, async () => void order.push('second begins', 'second ends'));
      });
      order.push('first ends');
    });
    await second;
    expect(order).toEqual(['first begins', 'second waits', 'first ends', 'second begins', 'second ends']);
  });
});

describe('the owner of a lock', () => {
  it('counts as running only while that very process runs', async () => {
    const me = await thisProcess();
    expect(await isRunning(me)).toBe(true);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const other = { ...nobody, pid: child.pid ?? 0, startedAt: null };
    expect(await isRunning(other)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await isRunning(other)).toBe(false);
    // Only Linux reports when a process began.
    if (me.startedAt === null) return;
    expect(await isRunning({ ...me, startedAt: `${Number(me.startedAt) - 1}` })).toBe(false);
    expect(await isRunning({ ...me, boot: 'another' })).toBe(false);
  });
});
