import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSessionFile } from '../../../../src/main/sessions/library/session-file.ts';

/** Catches: a small file that unpacks to more than the disk holds. */

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const never = new AbortController().signal;

async function packed(blobs: readonly object[], rest: Buffer): Promise<string> {
  const header = { sessionId: 's', title: 't', appVersion: '1', exportedAt: 1, blobs };
  const path = join(folder, 'a.dewpoint');
  await writeFile(
    path,
    gzipSync(Buffer.concat([Buffer.from(`dewpoint-session 1\n${JSON.stringify(header)}\n`), rest])),
  );
  return path;
}

it('a session file that claims far more bytes than it holds is refused before storing', async () => {
  const blobs = Array.from({ length: 40 }, (_, at) => ({ sha256: String(at).padStart(64, '0'), bytes: 400_000_000 }));
  const path = await packed(blobs, Buffer.from('\n'));
  await expect(openSessionFile(path, never)).rejects.toThrow('unpacks to far more');
});

it('a session file that unpacks to far more than its size is refused', async () => {
  const blob = { sha256: '0'.repeat(64), bytes: 30_000_000 };
  const path = await packed([blob], Buffer.concat([Buffer.from('\n'), Buffer.alloc(120_000_000)]));
  const file = await openSessionFile(path, never);
  for await (const event of file.events()) expect(event).toBeUndefined();
  const kept: number[] = [];
  const put = async (bytes: Uint8Array): Promise<{ sha256: string; bytes: number }> => {
    kept.push(bytes.length);
    return blob;
  };
  await expect(file.keepBlobs({ put })).rejects.toMatchObject({ code: 'bad-input' });
  expect(kept).toEqual([]);
});
