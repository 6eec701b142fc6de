import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStateStore } from '../../../../../../src/main/models/engine/worker/prompt/system-state-store.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-states-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const tokens = [1, 2, 3];
const write = (path: string): Promise<void> => writeFile(path, 'state');

describe('the store of system states', () => {
  it('finds a kept state by its tokens', async () => {
    const store = createStateStore(dir, 'engine 1');
    expect(await store.keep(tokens, write)).toBe(true);
    expect(await store.find(tokens)).not.toBeNull();
    expect(await store.find([1, 2])).toBeNull();
  });

  it('never finds a state of another engine or model', async () => {
    await createStateStore(dir, 'engine 1').keep(tokens, write);
    expect(await createStateStore(dir, 'engine 2').find(tokens)).toBeNull();
  });

  it('refuses a file that was cut short', async () => {
    const store = createStateStore(dir, 'engine 1');
    await store.keep(tokens, write);
    const path = await store.find(tokens);
    await truncate(path ?? '', 2);
    expect(await store.find(tokens)).toBeNull();
  });

  it('leaves no file behind when writing fails', async () => {
    const store = createStateStore(dir, 'engine 1');
    const kept = await store.keep(tokens, async (path) => {
      await writeFile(path, 'half');
      throw new Error('ENOSPC');
    });
    expect(kept).toBe(false);
    expect(await readdir(dir)).toEqual([]);
  });

  it('keeps 512 MiB of states together, and drops the one unused for longest', async () => {
    const store = createStateStore(dir, 'engine 1');
    const keep = async (name: number, secondsAgo: number): Promise<void> => {
      // A sparse file: only its size matters, and nothing is written.
      await store.keep([name], async (path) => {
        await writeFile(path, '');
        await truncate(path, 200 * 1024 * 1024);
      });
      const at = new Date(Date.now() - secondsAgo * 1000);
      await utimes((await store.find([name])) ?? '', at, at);
    };
    await keep(1, 10);
    await keep(2, 20);
    await keep(3, 0);
    const found = await Promise.all([1, 2, 3].map(async (name) => (await store.find([name])) !== null));
    expect(found).toEqual([true, false, true]);
    expect((await readdir(dir)).length).toBe(4);
  });
});
