import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createBlobs } from '../../../../src/main/sessions/blobs/blob-store.ts';
import { findUnreferencedBlobs } from '../../../../src/main/sessions/blobs/unreferenced-blobs.ts';
import { makeHome } from '../session-fixtures.ts';

const none = new AbortController().signal;

it('the cleanup of blobs removes those that no file names, and keeps named, new and foreign ones', async () => {
  await using home = await makeHome();
  const folder = join(home.path, 'blobs');
  const put = async (text: string): Promise<string> => (await home.blobs.put(Buffer.from(text))).sha256;
  const [named, cut, binned, copied, gone, again] = await Promise.all(
    ['named', 'cut', 'binned', 'copied', 'gone', 'again'].map(put),
  );
  await writeFile(join(folder, 'note.txt'), 'of a person');
  for (const name of await readdir(folder)) await utimes(join(folder, name), 1000, 1000);
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(home.path, path, '..'), { recursive: true });
    await writeFile(join(home.path, path), text);
  };
  await write('sessions/s/log.jsonl', `{"sha256":"${named}"}\n`);
  // The name is split over two chunks of a read.
  await write('comparisons/c.json', `${'x'.repeat(64 * 1024 - 30)}${cut}`);
  await write('bin/t/log.jsonl', `${binned}`);
  // Files in a copy of a project do not count as references.
  await write('workspaces/s/file', `${copied}`);
  const young = await put('young');
  await createBlobs(folder).put(Buffer.from('again'));

  const look = { remove: false, now: Date.now() };
  expect(await findUnreferencedBlobs(home.path, look, none)).toEqual({
    count: 2,
    sizeBytes: 'copied'.length + 'gone'.length,
  });
  expect(await readdir(folder)).toContain(gone);
  expect((await findUnreferencedBlobs(home.path, { ...look, remove: true }, none)).count).toBe(2);
  expect(new Set(await readdir(folder))).toEqual(new Set([named, cut, binned, again, young, 'note.txt']));
  expect(await findUnreferencedBlobs(home.path, look, none)).toEqual({ count: 0, sizeBytes: 0 });
});

it('the cleanup of blobs finds none in a home without any', async () => {
  await using home = await makeHome();
  expect(await findUnreferencedBlobs(join(home.path, 'absent'), { remove: true, now: Date.now() }, none)).toEqual({
    count: 0,
    sizeBytes: 0,
  });
});
