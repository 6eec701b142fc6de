import { describe, expect, it } from 'vitest';
import { createPagePushes } from '../../../../src/main/hosts/desktop/page-pushes.ts';
import { isNewsWanted, sessionNews } from '../../../../src/shared/session/session-news.ts';
import { placeWithinScreens } from '../../../../src/main/hosts/desktop/window-state.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { unorganized } from '../../../fakes/unorganized.ts';

it('the first page of a window gets the pushes from before it listened, once', async () => {
  const pushes = createPagePushes();
  pushes.push({ type: 'session', sessionId: 'early' });
  const stop = new AbortController();
  const stream = pushes.stream(stop.signal);
  expect((await stream.next()).value).toEqual({ type: 'session', sessionId: 'early' });
  pushes.push({ type: 'action', id: 'new' });
  expect((await stream.next()).value).toEqual({ type: 'action', id: 'new' });
  stop.abort();
  expect((await stream.next()).done).toBe(true);
});

describe('news of sessions', () => {
  const session = (status: SessionSummary['status']): readonly SessionSummary[] => [
    {
      sessionId: 's',
      title: 'T',
      projectPath: null,
      project: null,
      createdAt: 0,
      updatedAt: 0,
      steps: 1,
      costUsd: 0,
      status,
      lastReason: null,
      ...unorganized,
    },
  ];

  it('include the end of a long task and each wait once, but not a short task', () => {
    const looks = [
      ['running', 0],
      ['waiting', 4_000],
      ['waiting', 8_000],
      ['running', 12_000],
      ['idle', 30_000],
      ['idle', 34_000],
      ['running', 40_000],
      ['idle', 44_000],
      // The session began to wait between two looks.
      ['waiting', 48_000],
      ['idle', 52_000],
    ] as const;
    let watched: Parameters<typeof sessionNews>[0] = new Map();
    const heard = looks.flatMap(([status, at]) => {
      const round = sessionNews(watched, session(status), at);
      ({ watched } = round);
      return round.news.map(({ what }) => `${what} ${at}`);
    });
    expect(heard).toEqual(['waits 4000', 'ended 30000', 'waits 48000']);
  });

  // Bug: a short task that ended with a question said nothing.
  it('include the question at the end of a task, however short', () => {
    const { watched } = sessionNews(new Map(), session('running'), 0);
    const asks = session('idle').map((one) => ({ ...one, lastReason: 'waiting' }));
    expect(sessionNews(watched, asks, 2_000).news.map(({ what }) => what)).toEqual(['waits']);
  });

  it('are announced as far as the setting wants', () => {
    const [waits, ended] = (['waits', 'ended'] as const).map((what) => ({ sessionId: 's', title: '', what }));
    const told = (['all', 'waits', 'off'] as const).map((notify) =>
      [waits, ended].map((one) => one !== undefined && isNewsWanted(one, notify)),
    );
    expect(told).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
  });
});

describe('the place of a window', () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1080 };
  const state = { x: 100, y: 100, width: 800, height: 600, isMaximized: false };

  it('is restored only if enough of it is on a screen', () => {
    expect(placeWithinScreens(state, [screen])).toBe(state);
    expect(placeWithinScreens({ ...state, x: 2000 }, [screen])).toBeNull();
    expect(placeWithinScreens({ ...state, x: 2000 }, [screen, { ...screen, x: 1920 }])).not.toBeNull();
    expect(placeWithinScreens({ ...state, y: 1079 }, [screen])).toBeNull();
    expect(placeWithinScreens(null, [screen])).toBeNull();
  });
});
