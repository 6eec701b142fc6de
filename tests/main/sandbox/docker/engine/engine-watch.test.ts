import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { engineSilence, removeWhenBack } from '../../../../../src/main/sandbox/docker/engine/engine-watch.ts';

/** An engine that answers, refuses or stays silent, by a script with an entry for each time it is asked. */
function engineThat(...answers: readonly ('yes' | 'no' | 'silent')[]) {
  let asked = 0;
  const ping = (): Promise<string> => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    if (answer === 'silent') return new Promise(() => undefined);
    return answer === 'yes' ? Promise.resolve('OK') : Promise.reject(new Error('connect ECONNREFUSED'));
  };
  return { ping, asked: () => asked };
}

describe('the watch over an engine', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const endsWithin = async (ending: Promise<unknown>, milliseconds: number): Promise<boolean> => {
    let hasEnded = false;
    void ending.then(() => (hasEnded = true));
    await vi.advanceTimersByTimeAsync(milliseconds);
    return hasEnded;
  };

  it('ends when the engine is silent twice in a row, not when it is slow once', async () => {
    expect(await endsWithin(engineSilence(engineThat('yes', 'silent'), new AbortController().signal), 36_000)).toBe(
      true,
    );
    const slow = engineThat('silent', 'yes', 'no', 'yes', 'silent', 'yes');
    expect(await endsWithin(engineSilence(slow, new AbortController().signal), 120_000)).toBe(false);
    expect(slow.asked()).toBeGreaterThan(6);
  });

  it('stops with what it watches over', async () => {
    const stop = new AbortController();
    const engine = engineThat('silent');
    const watching = engineSilence(engine, stop.signal);
    stop.abort();
    expect(await endsWithin(watching, 1)).toBe(true);
    expect(engine.asked()).toBe(0);
  });

  it('removes the container that was left as soon as the engine is back', async () => {
    const removals: string[] = [];
    const container = { remove: async () => void removals.push('removed') };
    const signal = new AbortController().signal;
    const removing = removeWhenBack(engineThat('no', 'no', 'yes'), container, signal);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(removals).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await removing, removals]).toEqual(['removed', ['removed']]);
    const gone = { remove: () => Promise.reject(Object.assign(new Error('no such container'), { statusCode: 404 })) };
    const other = removeWhenBack(engineThat('yes'), gone, signal);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(await other).toBe('removed');
  });

  it('gives up when the session is closed', async () => {
    const stop = new AbortController();
    const removing = removeWhenBack(
      engineThat('no'),
      { remove: () => Promise.reject(new Error('never')) },
      stop.signal,
    );
    await vi.advanceTimersByTimeAsync(5_000);
    stop.abort();
    await vi.advanceTimersByTimeAsync(1);
    expect(await removing).toBe('given up');
  });
});
