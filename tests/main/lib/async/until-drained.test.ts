import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { untilDrained } from '../../../../src/main/lib/async/until-drained.ts';

const slow = () => new Writable({ highWaterMark: 1, write: (_bytes, _encoding, done) => setImmediate(done) });

// Catches: each wait left a listener, and from the eleventh on Node warned that memory leaks.
it('waiting for a stream leaves no listener on it', async () => {
  const stream = slow();
  const listeners = () => ['drain', 'close'].map((name) => stream.listenerCount(name));
  const before = listeners();
  for (let at = 0; at < 20; at++) {
    expect(stream.write('xx')).toBe(false);
    const wait = untilDrained(stream);
    expect(listeners()).not.toEqual(before);
    await wait;
  }
  expect(listeners()).toEqual(before);
});

it('waiting for a stream ends when it goes, and is over when it is gone', async () => {
  const stream = new Writable({ highWaterMark: 1, write: () => undefined });
  stream.write('xx');
  const wait = untilDrained(stream);
  stream.destroy();
  await wait;
  expect(stream.destroyed).toBe(true);
  await untilDrained(stream);
  expect(stream.listenerCount('close')).toBe(0);
});
