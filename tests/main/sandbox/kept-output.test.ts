import { describe, expect, it } from 'vitest';
import { keepOutput } from '../../../src/main/sandbox/kept-output.ts';

describe('the kept part of a long output', () => {
  it('is all of an output that fits, to the byte', () => {
    const output = keepOutput(10);
    for (const part of ['abc', '', 'defghi', 'j']) output.push(Buffer.from(part));
    expect([output.text(), output.totalBytes]).toEqual(['abcdefghij', 10]);
  });

  it('is the beginning and the end, with a count of what lies between', () => {
    const text = Array.from({ length: 5000 }, (_, index) => String.fromCodePoint(97 + (index % 26))).join('');
    const expected = `${text.slice(0, 50)}\n[… 4900 bytes left out …]\n${text.slice(-50)}`;
    for (const size of [1, 3, 49, 51, 99, 101, 5000]) {
      const output = keepOutput(100);
      for (let at = 0; at < text.length; at += size) output.push(Buffer.from(text.slice(at, at + size)));
      expect(output.text()).toBe(expected);
    }
  });

  it('never shows half a character at the cuts', () => {
    for (const character of ['ß', '日', '🦊']) {
      for (let keepBytes = 8; keepBytes < 24; keepBytes += 1) {
        const output = keepOutput(keepBytes);
        for (const byte of Buffer.from(character.repeat(40))) output.push(Uint8Array.of(byte));
        expect(output.text()).not.toContain('\uFFFD');
      }
    }
  });

  it('takes little memory however long the output is', () => {
    const output = keepOutput(1000);
    const chunk = new Uint8Array(65_536).fill(120);
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 1600; count += 1) output.push(chunk.subarray(0, 65_000));
    expect(output.totalBytes).toBe(104_000_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });
});
