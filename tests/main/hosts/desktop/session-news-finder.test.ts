import { describe, expect, it } from 'vitest';
import { createNewsFinder } from '../../../../src/main/hosts/desktop/session-news-finder.ts';
import type { SessionSummary } from '../../../../src/shared/contract/sessions-contract.ts';
import { unorganized } from '../../../fakes/unorganized.ts';

const waiting: readonly SessionSummary[] = [
  {
    sessionId: 'one',
    title: 'Make the tests quicker.',
    projectPath: null,
    project: null,
    createdAt: 1,
    updatedAt: 1,
    status: 'waiting',
    lastReason: null,
    steps: 0,
    costUsd: 0,
    ...unorganized,
  },
];
const news = [{ sessionId: 'one', title: 'Make the tests quicker.', what: 'waits' }];
const notify = async (): Promise<unknown> => 'all';

/** Catches: news that is announced twice, when the core takes longer than the time between two looks, or never. */
describe('the news of a session', () => {
  it('is announced once when a look begins before the last one has ended', async () => {
    const look = createNewsFinder();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const slow = { notify, sessions: () => held.then(() => waiting) };
    const looks = [look(slow), look(slow)];
    answer();
    expect((await Promise.all(looks)).flat()).toEqual(news);
    expect(await look({ notify, sessions: async () => waiting })).toEqual([]);
  });

  it('is announced by the next look after one failed', async () => {
    const look = createNewsFinder();
    const gone = (): Promise<never> => Promise.reject(new Error('The core has gone.'));
    await expect(look({ notify, sessions: gone })).rejects.toThrow('The core has gone.');
    await expect(look({ notify: gone, sessions: async () => waiting })).rejects.toThrow('The core has gone.');
    expect(await look({ notify, sessions: async () => waiting })).toEqual(news);
  });
});
