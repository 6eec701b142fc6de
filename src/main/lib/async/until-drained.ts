import type { Writable } from 'node:stream';

/** Resolves when a stream takes more, or is gone. Leaves nothing on it, however often it is waited for. */
export function untilDrained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    if (stream.destroyed) done();
    else stream.on('drain', done).on('close', done);
  });
}
