import { describe, expect, it } from 'vitest';
import { createFrameParser } from '../../../../../src/main/sandbox/docker/runner/docker-stream-frames.ts';

function frame(stream: number, payload: string | Uint8Array): Buffer {
  const body = Buffer.from(payload);
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

function collect(): {
  parser: ReturnType<typeof createFrameParser>;
  text: Record<'stdout' | 'stderr', string>;
  order: string[];
} {
  const text = { stdout: '', stderr: '' };
  const order: string[] = [];
  const parser = createFrameParser(({ stream, bytes }) => {
    text[stream] += Buffer.from(bytes).toString('latin1');
    if (order.at(-1) !== stream) order.push(stream);
  });
  return { parser, text, order };
}

describe('the frame parser', () => {
  const whole = Buffer.concat([
    frame(1, 'first'),
    frame(2, 'problem'),
    frame(1, ''),
    frame(0, 'echo'),
    frame(1, 'last\n'),
  ]);

  it('reads the same frames however the bytes are cut', () => {
    for (let first = 0; first <= whole.length; first += 1) {
      for (let second = first; second <= whole.length; second += 1) {
        const { parser, text } = collect();
        for (const part of [whole.subarray(0, first), whole.subarray(first, second), whole.subarray(second)])
          parser.push(part);
        expect(text).toEqual({ stdout: 'firstecholast\n', stderr: 'problem' });
        expect(parser.atBoundary).toBe(true);
      }
    }
  });

  it('keeps the order of the streams, and passes on a payload before it is complete', () => {
    const { parser, text, order } = collect();
    parser.push(whole.subarray(0, 10));
    expect([text.stdout, parser.atBoundary]).toEqual(['fi', false]);
    parser.push(whole.subarray(10));
    expect(order).toEqual(['stdout', 'stderr', 'stdout']);
  });

  it('reads 100,000 tiny frames and one of 64 MB in linear time', () => {
    const tiny = Buffer.concat(Array.from({ length: 100_000 }, () => frame(1, 'x')));
    let count = 0;
    const parser = createFrameParser(({ bytes }) => void (count += bytes.length));
    const started = performance.now();
    parser.push(tiny);
    const huge = frame(1, new Uint8Array(64 * 1024 * 1024));
    for (let at = 0; at < huge.length; at += 32_768) parser.push(huge.subarray(at, at + 32_768));
    expect(count).toBe(100_000 + 64 * 1024 * 1024);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it('does not copy payloads', () => {
    const bytes = frame(1, 'payload');
    const buffers: unknown[] = [];
    createFrameParser((chunk) => buffers.push(chunk.bytes.buffer)).push(bytes);
    expect(buffers).toEqual([bytes.buffer]);
  });

  it('passes bytes on unchanged when they are not multiplexed', () => {
    const { parser, text } = collect();
    parser.push(Buffer.from('plain text from a terminal'));
    parser.push(Buffer.from(' and more'));
    expect(text).toEqual({ stdout: 'plain text from a terminal and more', stderr: '' });
  });
});
