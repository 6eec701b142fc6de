import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readGguf } from '../../../../../src/main/models/memory/gguf/read-gguf.ts';
import { createHeaderReader } from '../../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import type { ReadHeader } from '../../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { largestThatHolds } from '../../../../../src/main/models/memory/binary-search.ts';
import { ggufFile } from '../../../../fakes/gguf-file.ts';

let dir: string;
let reads: string[];
let read: ReadHeader;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-header-'));
  reads = [];
  read = createHeaderReader((path) => {
    reads.push(path);
    return readGguf(path);
  });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const named = (name: string): Buffer =>
  ggufFile({
    keys: [
      ['general.architecture', 'llama'],
      ['general.name', name],
    ],
  });

describe('the reader of model headers', () => {
  it('parses a file once for all requests, and again when its size or time changed', async () => {
    const path = join(dir, 'a.gguf');
    await writeFile(path, named('First'));
    const [one, two] = [await read(path), await read(path)];
    expect(one).toBe(two);
    expect(reads).toHaveLength(1);
    await writeFile(path, named('Other'));
    await utimes(path, 1, 1);
    expect(await read(path)).toMatchObject({ ok: true, value: { name: 'Other' } });
    expect(reads).toHaveLength(2);
  });

  it('tries again after a failed read', async () => {
    const path = join(dir, 'b.gguf');
    expect(await read(path)).toMatchObject({ ok: false, error: { code: 'not-found' } });
    await writeFile(path, 'no model');
    expect(await read(path)).toMatchObject({ ok: false, error: { code: 'bad-input' } });
    expect(await read(path)).toMatchObject({ ok: false });
    expect(reads).toHaveLength(3);
  });

  it('keeps the last few', async () => {
    const paths = Array.from({ length: 66 }, (_, index) => join(dir, `${index}.gguf`));
    for (const path of paths) {
      await writeFile(path, named('x'));
      await read(path);
    }
    await read(paths[65] ?? '');
    expect(reads).toHaveLength(66);
    await read(paths[0] ?? '');
    expect(reads).toHaveLength(67);
  });
});

describe('the search for the last number that holds', () => {
  it('finds the same as a look at every number', () => {
    for (let edge = 3; edge <= 20; edge += 1) {
      for (let high = edge; high <= 21; high += 1) {
        expect(largestThatHolds(2, high, (value) => value < edge)).toBe(Math.min(edge, Math.max(3, high)) - 1);
      }
    }
  });
});
