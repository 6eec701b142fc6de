import { AppError } from '../../src/shared/errors.ts';
import type { SessionEvent } from '../../src/shared/events.ts';
import { emptyMoney } from '../../src/shared/session-money.ts';
import { reduceSession } from '../../src/shared/reduce-session.ts';
import { emptySession } from '../../src/shared/session-state.ts';
import type { CoreApi, CorePush } from '../../src/main/api/core-api.ts';

export interface FakeCore extends CoreApi {
  /** Appends an event to the one session there is, and tells subscribers. */
  emit(event: SessionEvent): void;
  push(push: CorePush): void;
  readonly subscribers: () => number;
  readonly cancelled: string[];
}

export const sessionEvent = (seq: number, text = `message ${seq}`): SessionEvent => ({
  v: 1,
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
    approve: async () => undefined,
    answerCap: async () => undefined,
    listSessions: async () => [],
    findSession: async () => notThere(),
    showSession: async () => ({ state: events.reduce(reduceSession, emptySession), money: emptyMoney }),
    result: async () => notThere(),
    editPlan: async () => undefined,
    keepAttachment: async () => notThere(),
    readAttachment: async () => null,
    findFiles: async () => [],
    searchSessions: async () => ({ hits: [], isComplete: true }),
    renameSession: async () => undefined,
    forkSession: async () => ({ sessionId: 'forked', notRestored: [] }),
    exportSession: async () => ({ blobs: 0, missing: 0 }),
    importSession: async () => 'imported',
    deleteSession: async () => undefined,
    binnedSessions: async () => [],
    restoreSession: async (id) => id,
    purgeSession: async () => undefined,
    manifest: async () => null,
    callDetail: async () => ({ text: null, request: null, parts: [], price: null, tools: [] }),
    history: async () => null,
    replay: async () => notThere(),
    showChanges: async () => [],
    takeChanges: async () => ({ done: [], refused: [] }),
    undoChanges: async () => ({ done: [], refused: [] }),
    listModels: async () => [],
    showModel: async () => notThere(),
    importModel: async () => notThere(),
    removeModel: async () => notThere(),
    probeModel: async () => notThere(),
    mendModel: async () => notThere(),
    async pullModel(_id, onProgress) {
      onProgress({ phase: 'downloading', doneBytes: 1, totalBytes: 2, text: '' });
      await Promise.resolve();
      onProgress({ phase: 'done', doneBytes: 2, totalBytes: 2, text: '' });
    },
    plan: async () => notThere(),
    listKeys: async () => ({ store: { type: 'ready' }, keys: [] }),
    setKey: async () => notThere(),
    removeKey: async () => undefined,
    costs: async () => notThere(),
    createComparison: async () => notThere(),
    startComparison: async () => notThere(),
    watchComparison: async () => notThere(),
    cancelComparison: async () => undefined,
    showComparison: async () => notThere(),
    listComparisons: async () => [],
    getSetting: () => notThere(),
    setSetting: async () => notThere(),
    stepCosts: async () => [],
    showBudget: async () => [],
    changeBudget: async () => [],
    unsetSetting: async () => notThere(),
    watchSettings: () => () => undefined,
    projectSettings: async () => ({
      isThere: true,
      own: {},
      usual: { policy: 'local', local: 'scripted/model', cloud: null, image: null },
      variables: {},
      secrets: [],
      image: null,
    }),
    configureProject: async () => notThere(),
    removePackages: async () => [],
    testKey: async () => notThere(),
    escalations: async () => [],
    showRules: async () => ({ files: [] }),
    checkRules: async () => ({ rules: [], errors: [], warnings: [] }),
    saveRules: () => notThere(),
    testRules: async () => ({ place: null, fence: null, mask: null }),
    approveRules: () => notThere(),
    settingsPath: '/home/settings.json',
    watchSandbox: async (_sessionId, onView) =>
      onView({ state: 'none', usage: null, masked: [], pinned: [], warnings: [], terminals: 0 }),
    networkHistory: async () => ({ uses: [], answers: [] }),
    openTerminal: async () => undefined,
    typeInTerminal: async () => undefined,
    resizeTerminal: async () => undefined,
    projectParts: async () => [],
    planPreparation: () => Promise.reject(new Error('There is nothing to install.')),
    listInstructions: async () => [],
    approveInstructions: async () => [],
    forgetInstructions: async () => [],
    projectImage: async () => null,
    bringImage: () => Promise.reject(new Error('There is no image.')),
    prepareProject: () => Promise.reject(new Error('There is nothing to install.')),
    clean: async () => [],
    doctor: async () => [],
    runningTurns: () => 0,
    idle: async () => undefined,
    dispose: async () => undefined,
  };
}
