import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBlobs } from '../../../../src/main/sessions/blobs/blob-store.ts';
import { makeHome } from '../session-fixtures.ts';

describe('the store of blobs', () => {
  it('keeps equal bytes once under their hash', async () => {
    await using home = await makeHome();
    const ref = await home.blobs.put(Buffer.from('hello'));
    expect(ref).toEqual({ sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', bytes: 5 });
    expect(await home.blobs.put(Buffer.from('hello'))).toEqual(ref);
    const sink = home.blobs.open();
    for (const part of ['he', '', 'llo']) sink.write(Buffer.from(part));
    expect(await sink.end()).toEqual(ref);
    expect(await readdir(join(home.path, 'blobs'))).toEqual([ref.sha256]);
  });

  it('keeps nothing of a discarded write, and keeps an empty blob', async () => {
    await using home = await makeHome();
    const dropped = home.blobs.open();
    dropped.write(Buffer.from('x'));
    await dropped.discard();
    const empty = await home.blobs.open().end();
    expect(empty.bytes).toBe(0);
    expect(await home.blobs.get(empty)).toHaveLength(0);
    expect(await readdir(join(home.path, 'blobs'))).toEqual([empty.sha256]);
  });

  it('returns null for a damaged blob, and replaces it with a good one', async () => {
    await using home = await makeHome();
    const ref = await home.blobs.put(Buffer.from('hello'));
    const path = join(home.path, 'blobs', ref.sha256);
    for (const bad of ['', 'hell', 'jello']) {
      await writeFile(path, bad);
      expect(await home.blobs.get(ref)).toBeNull();
    }
    // The same for content in pieces, such as the output of a command.
    const sink = home.blobs.open();
    for (const piece of ['spil', 'led']) sink.write(Buffer.from(piece));
    const spilled = await sink.end();
    expect(Buffer.from((await home.blobs.get(spilled)) ?? []).toString()).toBe('spilled');
    await writeFile(join(home.path, 'blobs', spilled.sha256), 'spoiled');
    expect(await home.blobs.get(spilled)).toBeNull();
    const fresh = createBlobs(join(home.path, 'blobs'));
    await fresh.put(Buffer.from('hello'));
    expect(Buffer.from((await fresh.get(ref)) ?? []).toString()).toBe('hello');
    await rm(path);
    expect(await home.blobs.get(ref)).toBeNull();
    await home.blobs.sync(ref);
    expect(await home.blobs.get({ sha256: '../../etc/passwd', bytes: 1 })).toBeNull();
  });

  it('removes half-written files of a killed process, and nothing else', async () => {
    await using home = await makeHome();
    await home.blobs.clean();
    const ref = await home.blobs.put(Buffer.from('hello'));
    const folder = join(home.path, 'blobs');
    const now = '.0123456789ac.tmp';
    for (const name of ['.0123456789ab.tmp', 'of-a-person.tmp', now]) await writeFile(join(folder, name), 'half');
    for (const name of ['.0123456789ab.tmp', 'of-a-person.tmp']) await utimes(join(folder, name), 1000, 1000);
    await home.blobs.clean();
    // Files begun since the start may still be written by somebody.
    expect((await readdir(folder)).sort()).toEqual([ref.sha256, 'of-a-person.tmp', now].sort());
  });

  it('writes 50 MB without holding it in memory', async () => {
    await using home = await makeHome();
    const sink = home.blobs.open();
    const part = Buffer.alloc(1024 * 1024, 97);
    for (let index = 0; index < 50; index += 1) sink.write(part);
    const ref = await sink.end();
    expect((await stat(join(home.path, 'blobs', ref.sha256))).size).toBe(ref.bytes);
  });

  it('reports a failed write at the end, and leaves nothing behind', async () => {
    await using home = await makeHome();
    // A file in place of the folder makes every write fail.
    await writeFile(join(home.path, 'blobs'), '');
    const sink = home.blobs.open();
    sink.write(Buffer.from('x'));
    await expect(sink.end()).rejects.toMatchObject({ name: 'AppError' });
    await expect(home.blobs.put(Buffer.from('x'))).rejects.toMatchObject({ name: 'AppError' });
  });
});
