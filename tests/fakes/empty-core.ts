import type { CoreApi } from '../../src/main/api/core-api.ts';

/** What a fake of the core answers for itself. */
type Told =
  | 'createSession'
  | 'send'
  | 'subscribe'
  | 'listSessions'
  | 'findSession'
  | 'showSession'
  | 'history'
  | 'stepCosts';

/** The rest of a core that has nothing; what cannot be answered with nothing is refused. */
export function emptyCore(refuse: () => never): Omit<CoreApi, Told> {
  return {
    info: { version: '0', home: '/home', cache: '/cache' },
    showBudget: async () => [],
    changeBudget: async () => [],
    escalations: async () => [],
    showRules: async () => ({ files: [] }),
    checkRules: async () => ({ rules: [], errors: [], warnings: [] }),
    saveRules: async () => ({ files: [] }),
    testRules: async () => ({ place: null, fence: null, mask: null }),
    approveRules: async () => ({ files: [] }),
    settingsPath: '/home/settings.json',
    unsetSetting: async () => undefined,
    watchSettings: () => () => undefined,
    projectSettings: async () => refuse(),
    configureProject: async () => refuse(),
    removePackages: async () => [],
    testKey: async () => ({ test: 'accepted', text: '' }),
    cancel: async () => undefined,
    approve: async () => undefined,
    answerCap: async () => undefined,
    editPlan: async () => undefined,
    keepAttachment: async () => refuse(),
    readAttachment: async () => null,
    findFiles: async () => [],
    searchSessions: async () => ({ hits: [], isComplete: true }),
    renameSession: async () => undefined,
    forkSession: async () => ({ sessionId: 'forked', notRestored: [] }),
    exportSession: async () => ({ blobs: 0, missing: 0 }),
    importSession: async () => ({ sessionId: 'imported', dropped: {} }),
    deleteSession: async () => undefined,
    binnedSessions: async () => [],
    restoreSession: async (id) => id,
    purgeSession: async () => undefined,
    manifest: async () => null,
    trimmed: async () => [],
    callDetail: async () => ({ text: null, request: null, parts: [], price: null, tools: [] }),
    result: async () => refuse(),
    replay: async () => refuse(),
    showChanges: async () => [],
    takeChanges: async () => refuse(),
    undoChanges: async () => refuse(),
    listModels: async () => [],
    showModel: async () => refuse(),
    pullModel: async () => refuse(),
    importModel: async () => refuse(),
    removeModel: async () => refuse(),
    probeModel: async () => refuse(),
    mendModel: async () => refuse(),
    plan: async () => refuse(),
    listKeys: async () => ({ store: { type: 'ready' }, keys: [] }),
    setKey: async () => refuse(),
    removeKey: async () => undefined,
    restoreKey: async () => undefined,
    costs: async () => refuse(),
    createComparison: async () => refuse(),
    startComparison: async () => refuse(),
    watchComparison: async () => refuse(),
    cancelComparison: async () => undefined,
    showComparison: async () => refuse(),
    listComparisons: async () => [],
    getSetting: () => null,
    setSetting: async () => null,
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
    copySize: async () => ({ files: 0, bytes: 0, leftOut: { files: 0, bytes: 0, paths: [], morePaths: 0 } }),
    bringImage: () => Promise.reject(new Error('There is no image.')),
    prepareProject: () => Promise.reject(new Error('There is nothing to install.')),
    clean: async () => [],
    doctor: async () => [],
    runningTurns: () => 0,
    idle: async () => undefined,
    dispose: async () => undefined,
  };
}
