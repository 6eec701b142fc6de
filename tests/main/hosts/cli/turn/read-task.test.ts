import { describe, expect, it } from 'vitest';
import { maximumTaskBytes, readTask } from '../../../../../src/main/hosts/cli/turn/read-task.ts';

async function* pieces(...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}

const message = (text: string) => ({ code: 'usage', message: expect.stringContaining(text) });

describe('a task from stdin', () => {
  it('is read as text, also when a character is cut between two pieces', async () => {
    const bytes = Buffer.from('修复\n');
    expect(await readTask('-', pieces(bytes.subarray(0, 4), bytes.subarray(4)))).toBe('修复\n');
  });

  it('is refused only when it is longer than the limit', async () => {
    const half = Buffer.alloc(maximumTaskBytes, 'a');
    await expect(readTask('-', pieces(half, half, half))).rejects.toMatchObject(message('longer than 65.5 kB'));
    expect(await readTask('-', pieces(half))).toHaveLength(maximumTaskBytes);
  });

  it('is refused when its bytes are not text', async () => {
    await expect(readTask('-', pieces(Buffer.from([0x66, 0xff, 0xfe])))).rejects.toMatchObject(message('not UTF-8'));
  });
});
