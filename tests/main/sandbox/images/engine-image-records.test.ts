import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readImageRecords } from '../../../../src/main/sandbox/images/engine-image-records.ts';

const read = async (...records: readonly unknown[]) => {
  const told: string[] = [];
  const text = records.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\r\n`).join('');
  const bytes = Buffer.from(text);
  // Cut at arbitrary places, as data over a socket is.
  const pieces = [bytes.subarray(0, 7), bytes.subarray(7, 40), bytes.subarray(40)];
  return { ...(await readImageRecords(Readable.from(pieces), (line) => void told.push(line))), told };
};

describe("the engine's stream about an image", () => {
  it('fails on any error record, even before a good end', async () => {
    const said = await read(
      { stream: 'Step 1/2 : FROM a\n' },
      { errorDetail: { code: 1, message: 'RUN failed' }, error: 'RUN failed' },
      { stream: 'Successfully built 0123\n' },
    );
    expect(said).toEqual({ problem: 'RUN failed', named: null, told: ['Step 1/2 : FROM a'] });
  });

  it('counts the download over all layers, and skips what is no record', async () => {
    const layer = (id: string, current: number) => ({
      status: 'Downloading',
      id,
      progressDetail: { current: current * 1e6, total: 10e6 },
    });
    const said = await read(layer('a', 1), 'nonsense', layer('b', 4), layer('b', 4), layer('a', 10), {
      status: 'Done',
    });
    expect(said.told).toEqual(['fetched 1 MB of 10 MB', 'fetched 5 MB of 20 MB', 'fetched 14 MB of 20 MB']);
  });

  it.each([
    [{ stream: 'Loaded image: a/b:1\n' }, 'a/b:1'],
    [{ stream: `Loaded image ID: sha256:${'a'.repeat(64)}\n` }, `sha256:${'a'.repeat(64)}`],
    [{ status: `sha256:${'b'.repeat(64)}` }, `sha256:${'b'.repeat(64)}`],
    [{ aux: { ID: 'sha256:c' } }, 'sha256:c'],
  ])('gives the name of the image in %j', async (record, named) => {
    expect((await read(record)).named).toBe(named);
  });
});
