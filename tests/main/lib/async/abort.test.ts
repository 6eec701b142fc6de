import { getMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { abortable, abortWithManyListeners, sleep } from '../../../../src/main/lib/async/abort.ts';

describe('an abort signal', () => {
  it('ends a sleep at once when it is aborted', async () => {
    const controller = new AbortController();
    const slept = sleep(60_000, controller.signal);
    controller.abort(new Error('stop'));
    await expect(slept).rejects.toThrow('stop');
    await expect(sleep(1, controller.signal)).rejects.toThrow('stop');
    await sleep(1, new AbortController().signal);
  });

  it('takes any number of listeners without a warning of a leak', () => {
    expect(getMaxListeners(abortWithManyListeners().signal)).toBe(0);
  });

  it('does not wait for work that cannot be stopped', async () => {
    const controller = new AbortController();
    const waiting = abortable(new Promise<void>(() => undefined), controller.signal);
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    expect(await abortable(Promise.resolve(1), new AbortController().signal)).toBe(1);
  });
});
