import { AppError } from '../../src/shared/errors.ts';
import type { SessionEvent } from '../../src/shared/events/events.ts';
import { emptyMoney } from '../../src/shared/money/session-money.ts';
import { reduceSession } from '../../src/shared/session/reducers/reduce-session.ts';
import { emptySession } from '../../src/shared/session/session-state.ts';
import { emptyCore } from './empty-core.ts';
import type { CoreApi, CorePush } from '../../src/main/server/core-api.ts';

export interface FakeCore extends CoreApi {
  /** Appends an event to the one session there is, and tells subscribers. */
  emit(event: SessionEvent): void;
  push(push: CorePush): void;
  readonly subscribers: () => number;
  readonly cancelled: string[];
}

export const sessionEvent = (seq: number, text = `message ${seq}`): SessionEvent => ({
  v: 2,
  seq,
  at: seq,
  type: 'user-message-added',
  messageId: `message-${seq}`,
  text,
  queued: false,
});

const notThere = (): never => {
  throw new AppError('not-found', 'There is no such thing.', { hint: 'Look elsewhere.' });
};

/** A core without an engine, a sandbox or a disk: one session whose events a test writes. */
export function createFakeCore(events: SessionEvent[] = []): FakeCore {
  const listeners = new Set<(push: CorePush) => void | Promise<void>>();
  const cancelled: string[] = [];
  const push = (item: CorePush): void => {
    for (const listener of listeners) void listener(item);
  };
  return {
    ...emptyCore(notThere),
    info: { version: '0.0.0', home: '/home', cache: '/cache' },
    emit(event) {
      events.push(event);
      push({ type: 'event', event });
    },
    push,
    subscribers: () => listeners.size,
    cancelled,
    createSession: async () => 'fake-session',
    send: async () => ({ messageId: 'message-1', queued: false }),
    async subscribe(_sessionId, fromSeq, listener) {
      for (const event of events) if (event.seq >= fromSeq) void listener({ type: 'event', event });
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    cancel: async (sessionId) => void cancelled.push(sessionId),
    listSessions: async () => [],
    findSession: async () => notThere(),
    showSession: async () => ({ state: events.reduce(reduceSession, emptySession), money: emptyMoney }),
    history: async () => null,
    takeChanges: async () => ({ done: [], refused: [] }),
    undoChanges: async () => ({ done: [], refused: [] }),
    async pullModel(_id, onProgress) {
      onProgress({ phase: 'downloading', doneBytes: 1, totalBytes: 2, text: '' });
      await Promise.resolve();
      onProgress({ phase: 'done', doneBytes: 2, totalBytes: 2, text: '' });
    },
    getSetting: () => notThere(),
    setSetting: async () => notThere(),
    stepCosts: async () => [],
    unsetSetting: async () => notThere(),
    projectSettings: async () => ({
      isThere: true,
      own: {},
      usual: { policy: 'local', local: 'scripted/model', cloud: null, image: null },
      variables: {},
      secrets: [],
      image: null,
    }),
    testKey: async () => notThere(),
    saveRules: () => notThere(),
    approveRules: () => notThere(),
  };
}
