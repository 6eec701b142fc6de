import { AppError } from '../../src/shared/errors.ts';
import type { SessionEvent } from '../../src/shared/events/events.ts';
import { emptyMoney } from '../../src/shared/money/session-money.ts';
import { reduceSession } from '../../src/shared/session/reducers/reduce-session.ts';
import { emptySession } from '../../src/shared/session/session-state.ts';
import { progressStream } from '../../src/main/lib/async/push-queue.ts';
import type { LogPush } from '../../src/main/sessions/open/session-stream.ts';
import { sessionStream } from '../../src/main/sessions/open/session-stream.ts';
import { createFakeHandlers, emptyHandlers } from './fake-handlers.ts';
import type { FakeHandlers } from './fake-handlers.ts';

export interface FakeCore extends FakeHandlers {
  /** Appends an event to the only session, and notifies subscribers. */
  emit(event: SessionEvent): void;
  push(push: LogPush): void;
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

/** A core without an engine, a sandbox or a disk. It has one session, whose events a test writes. */
export function createFakeCore(events: SessionEvent[] = []): FakeCore {
  const listeners = new Set<(push: LogPush) => void | Promise<void>>();
  const cancelled: string[] = [];
  const push = (item: LogPush): void => {
    for (const listener of listeners) void listener(item);
  };
  const state = () => events.reduce(reduceSession, emptySession);
  const log = {
    state,
    subscribe(fromSeq: number, listener: (item: LogPush) => void | Promise<void>) {
      for (const event of events) if (event.seq >= fromSeq) void listener({ type: 'event', event });
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const fake = createFakeHandlers(emptyHandlers, {
    home: {
      info: () => ({ pid: process.pid, version: '0.0.0', home: '/home', cache: '/cache' }),
      log: () => ({ folder: '/home/logs', text: '' }),
    },
    sessions: {
      create: () => ({ sessionId: 'fake-session' }),
      send: () => ({ messageId: 'message-1', queued: false }),
      events: ({ input, signal }) => sessionStream(async () => log, input.fromSeq, signal),
      cancel: ({ input }) => void cancelled.push(input.sessionId),
      list: () => [],
      find: notThere,
      show: () => ({ state: state(), money: emptyMoney }),
      history: () => null,
    },
    changes: { take: () => ({ done: [], refused: [] }), undo: () => ({ done: [], refused: [] }) },
    models: {
      pull: ({ signal }) =>
        progressStream(async (onProgress) => {
          onProgress({ phase: 'downloading', doneBytes: 1, totalBytes: 2, text: '' });
          await Promise.resolve();
          onProgress({ phase: 'done', doneBytes: 2, totalBytes: 2, text: '' });
        }, signal),
    },
    keys: { test: notThere, set: notThere },
    settings: { get: notThere, set: notThere, unset: notThere },
    stepCosts: () => [],
    taskNeeds: () => [],
    projects: {
      settings: () => ({
        isThere: true,
        own: {},
        usual: { policy: 'local', local: 'scripted/model', cloud: null, image: null },
        variables: {},
        secrets: [],
        folders: [],
        testCommand: null,
        image: null,
      }),
    },
    rules: { save: notThere, approve: notThere },
  });
  return {
    ...fake,
    emit(event) {
      events.push(event);
      push({ type: 'event', event });
    },
    push,
    subscribers: () => listeners.size,
    cancelled,
  };
}
