import { implement } from '@orpc/server';
import { contract } from '@shared/contract/contract.ts';
import { AppError } from '@shared/errors.ts';
import { comparisonStream } from '../sessions/comparisons/comparison-stream.ts';
import { isStream, streamFailingWith, toContractError } from './contract-error.ts';
import { prepareStream } from '../projects/preparation-stream.ts';
import type { BringProgress } from '@shared/sandbox/sandbox-images.ts';
import { progressStream } from '../lib/async/push-queue.ts';
import { settingsStream } from '../settings/settings-stream.ts';
import { sessionStream } from '../sessions/open/session-stream.ts';
import { terminalStream } from '../sandbox/terminal-stream.ts';
import type { CoreApi } from './core-api.ts';

export type AppRouter = ReturnType<typeof createRouter>;

/** The contract, implemented: parse (by the contract), call the core, map errors. Nothing else happens here. */
export function createRouter(core: CoreApi) {
  const os = implemented();
  return os.router({
    home: { info: os.home.info.handler(() => ({ pid: process.pid, ...core.info })) },
    sessions: sessionHandlers(os, core),
    attachments: {
      keep: os.attachments.keep.handler(({ input }) => core.keepAttachment(input)),
      read: os.attachments.read.handler(({ input }) => core.readAttachment(input.blob)),
      find: os.attachments.find.handler(({ input, signal }) =>
        core.findFiles(input.place, input, orNeverAborted(signal)),
      ),
    },
    changes: {
      show: os.changes.show.handler(({ input }) => core.showChanges(input.sessionId, input.paths)),
      take: os.changes.take.handler(({ input }) => core.takeChanges(input.sessionId, input.paths)),
      untracked: os.changes.untracked.handler(({ input }) => core.untracked(input.sessionId)),
      undo: os.changes.undo.handler(({ input }) => core.undoChanges(input.sessionId, input.paths)),
    },
    models: {
      list: os.models.list.handler(({ signal }) => core.listModels(orNeverAborted(signal))),
      show: os.models.show.handler(({ input, signal }) => core.showModel(input.id, input.fit, orNeverAborted(signal))),
      pull: os.models.pull.handler(({ input, signal }) =>
        progressStream((note, stop) => core.pullModel(input.id, note, stop), orNeverAborted(signal)),
      ),
      probe: os.models.probe.handler(({ input, signal }) =>
        progressStream((note, stop) => core.probeModel(input.id, note, stop), orNeverAborted(signal)),
      ),
      import: os.models.import.handler(({ input, signal }) => core.importModel(input, orNeverAborted(signal))),
      remove: os.models.remove.handler(({ input, signal }) => core.removeModel(input.id, orNeverAborted(signal))),
      repair: os.models.repair.handler(({ input, signal }) =>
        core.repairModel(input.id, input.apply, orNeverAborted(signal)),
      ),
    },
    plan: os.plan.handler(({ input, signal }) => core.plan(input, orNeverAborted(signal))),
    keys: {
      list: os.keys.list.handler(() => core.listKeys()),
      test: os.keys.test.handler(({ input, signal }) => core.testKey(input.provider, orNeverAborted(signal))),
      set: os.keys.set.handler(({ input, signal }) => core.setKey(input, orNeverAborted(signal))),
      remove: os.keys.remove.handler(({ input }) => core.removeKey(input.provider)),
      restore: os.keys.restore.handler(({ input }) => core.restoreKey(input.provider)),
    },
    comparisons: comparisonHandlers(os, core),
    ...moneyHandlers(os, core),
    rules: ruleHandlers(os, core),
    settings: {
      get: os.settings.get.handler(({ input }) => core.getSetting(input.key)),
      set: os.settings.set.handler(({ input }) => core.setSetting(input.key, input.value)),
      unset: os.settings.unset.handler(({ input }) => core.unsetSetting(input.key)),
      watch: os.settings.watch.handler(({ signal }) => settingsStream(core, orNeverAborted(signal))),
      path: os.settings.path.handler(() => ({ path: core.settingsPath })),
    },
    projects: projectHandlers(os, core),
    sandboxes: sandboxHandlers(os, core),
    clean: os.clean.handler(({ input, signal }) => core.clean(input, orNeverAborted(signal))),
    doctor: os.doctor.handler(({ signal }) => core.doctor(orNeverAborted(signal))),
    host: noWindow(os),
  });
}

type Implemented = ReturnType<typeof implemented>;

function implemented() {
  return implement(contract).use(async ({ next }) => {
    try {
      const result = await next();
      // What it fails with later has to cross as well.
      return isStream(result.output)
        ? { ...result, output: streamFailingWith(result.output, toContractError) }
        : result;
    } catch (error) {
      throw toContractError(error);
    }
  });
}

function sessionHandlers(os: Implemented, core: CoreApi) {
  return {
    create: os.sessions.create.handler(async ({ input, signal }) => ({
      sessionId: await core.createSession(input, orNeverAborted(signal)),
    })),
    send: os.sessions.send.handler(({ input }) =>
      core.send(input.sessionId, input.text, input.options, input.attachments),
    ),
    events: os.sessions.events.handler(({ input, signal }) =>
      sessionStream(core, input.sessionId, input.fromSeq, orNeverAborted(signal)),
    ),
    cancel: os.sessions.cancel.handler(({ input }) => core.cancel(input.sessionId)),
    approve: os.sessions.approve.handler(({ input }) =>
      core.approve(input.sessionId, input.approvalId, input.answer, input.scope),
    ),
    answerCap: os.sessions.answerCap.handler(({ input }) =>
      core.answerCap(input.sessionId, input.capId, input.decision),
    ),
    list: os.sessions.list.handler(() => core.listSessions()),
    search: os.sessions.search.handler(({ input, signal }) =>
      core.searchSessions(input.text, input.limit, orNeverAborted(signal)),
    ),
    find: os.sessions.find.handler(({ input }) => core.findSession(input.id)),
    rename: os.sessions.rename.handler(({ input }) => core.renameSession(input.sessionId, input.title)),
    fork: os.sessions.fork.handler(({ input, signal }) =>
      core.forkSession(input.sessionId, input.at, orNeverAborted(signal)),
    ),
    export: os.sessions.export.handler(({ input, signal }) =>
      core.exportSession(input.sessionId, input.path, orNeverAborted(signal)),
    ),
    import: os.sessions.import.handler(({ input, signal }) => core.importSession(input.path, orNeverAborted(signal))),
    delete: os.sessions.delete.handler(({ input }) => core.deleteSession(input.sessionId)),
    binned: os.sessions.binned.handler(() => core.binnedSessions()),
    restore: os.sessions.restore.handler(async ({ input }) => ({ sessionId: await core.restoreSession(input.id) })),
    purge: os.sessions.purge.handler(({ input }) => core.purgeSession(input.id)),
    show: os.sessions.show.handler(({ input }) => core.showSession(input.sessionId)),
    detail: os.sessions.detail.handler(({ input }) => core.callDetail(input.sessionId, input.id, input.near)),
    history: os.sessions.history.handler(({ input }) => core.history(input.sessionId, input.place)),
    trimmed: os.sessions.trimmed.handler(({ input }) => core.trimmed(input.sessionId, input.callId)),
    manifest: os.sessions.manifest.handler(({ input }) => core.manifest(input.sessionId, input.step)),
    editPlan: os.sessions.editPlan.handler(({ input }) => core.editPlan(input.sessionId, input.turnId, input.steps)),
    escalations: os.sessions.escalations.handler(({ input }) => core.escalations(input.sessionId)),
    result: os.sessions.result.handler(({ input }) => core.result(input.sessionId)),
    replay: os.sessions.replay.handler(({ input, signal }) => core.replay(input.sessionId, orNeverAborted(signal))),
  };
}

function moneyHandlers(os: Implemented, core: CoreApi) {
  return {
    costs: os.costs.handler(({ input }) => core.costs(input)),
    stepCosts: os.stepCosts.handler(({ input }) => core.stepCosts(input.sessionId)),
    budget: {
      show: os.budget.show.handler(({ input }) => core.showBudget(input.projectPath)),
      change: os.budget.change.handler(({ input: { change, ...target } }) => core.changeBudget(target, change)),
    },
  };
}

function projectHandlers(os: Implemented, core: CoreApi) {
  return {
    settings: os.projects.settings.handler(({ input }) => core.projectSettings(input.projectPath)),
    configure: os.projects.configure.handler(({ input }) => core.configureProject(input.projectPath, input.change)),
    removePackages: os.projects.removePackages.handler(({ input, signal }) =>
      core.removePackages(input.projectPath, orNeverAborted(signal)),
    ),
    parts: os.projects.parts.handler(({ input, signal }) =>
      core.projectParts(input.projectPath, orNeverAborted(signal)),
    ),
    preparation: os.projects.preparation.handler(({ input, signal }) =>
      core.planPreparation(input, orNeverAborted(signal)),
    ),
    instructions: os.projects.instructions.handler(({ input }) => core.listInstructions(input.projectPath)),
    approveInstructions: os.projects.approveInstructions.handler(({ input }) =>
      core.approveInstructions(input.projectPath, input.path, input.sha256),
    ),
    forgetInstructions: os.projects.forgetInstructions.handler(({ input }) =>
      core.forgetInstructions(input.projectPath, input.path),
    ),
    image: os.projects.image.handler(({ input }) => core.projectImage(input.projectPath)),
    copySize: os.projects.copySize.handler(({ input, signal }) =>
      core.copySize(input.projectPath, orNeverAborted(signal)),
    ),
    bringImage: os.projects.bringImage.handler(({ input, signal }) =>
      progressStream<BringProgress>(async (tell, stop) => {
        const image = await core.bringImage(input, (text) => tell({ type: 'text', text }), stop);
        tell({ type: 'ended', image });
      }, orNeverAborted(signal)),
    ),
    prepare: os.projects.prepare.handler(({ input, signal }) => prepareStream(core, input, orNeverAborted(signal))),
  };
}

function ruleHandlers(os: Implemented, core: CoreApi) {
  return {
    show: os.rules.show.handler(({ input }) => core.showRules(input.projectPath)),
    check: os.rules.check.handler(({ input }) => core.checkRules(input, input.text)),
    save: os.rules.save.handler(({ input }) => core.saveRules(input)),
    test: os.rules.test.handler(({ input }) => core.testRules(input)),
    approve: os.rules.approve.handler(({ input }) => core.approveRules(input.projectPath, input.hash)),
  };
}

function sandboxHandlers(os: Implemented, core: CoreApi) {
  return {
    watch: os.sandboxes.watch.handler(({ input, signal }) =>
      progressStream((note, stop) => core.watchSandbox(input.sessionId, note, stop), orNeverAborted(signal)),
    ),
    network: os.sandboxes.network.handler(({ input }) => core.networkHistory(input.sessionId)),
    terminal: os.sandboxes.terminal.handler(({ input: { sessionId, ...size }, signal }) =>
      terminalStream((onPush, stop) => core.openTerminal(sessionId, { size, onPush }, stop), orNeverAborted(signal)),
    ),
    type: os.sandboxes.type.handler(({ input }) => core.typeInTerminal(input.terminalId, input.text)),
    resize: os.sandboxes.resize.handler(({ input: { terminalId, ...size } }) => core.resizeTerminal(terminalId, size)),
  };
}

function comparisonHandlers(os: Implemented, core: CoreApi) {
  return {
    create: os.comparisons.create.handler(async ({ input, signal }) => ({
      id: await core.createComparison(input, orNeverAborted(signal)),
    })),
    start: os.comparisons.start.handler(({ input }) => core.startComparison(input.id, input.maxUsd)),
    watch: os.comparisons.watch.handler(({ input, signal }) =>
      comparisonStream(core, input.id, orNeverAborted(signal)),
    ),
    cancel: os.comparisons.cancel.handler(({ input }) => core.cancelComparison(input.id)),
    show: os.comparisons.show.handler(({ input }) => core.showComparison(input.id)),
    list: os.comparisons.list.handler(() => core.listComparisons()),
  };
}

/** The core has no window; a host that has one answers these itself (`forward-router.ts`). */
function noWindow(os: Implemented) {
  const refuse = (): never => {
    throw new AppError('refused', 'This is only there in the app.');
  };
  return {
    info: os.host.info.handler(() => ({ isWindow: false, refused: [] })),
    chooseFolder: os.host.chooseFolder.handler(refuse),
    exportSession: os.host.exportSession.handler(refuse),
    importSession: os.host.importSession.handler(refuse),
    openWindow: os.host.openWindow.handler(refuse),
    keepView: os.host.keepView.handler(refuse),
    pushes: os.host.pushes.handler(refuse),
  };
}

/** A call through the local client without a signal cannot be cancelled. */
function orNeverAborted(signal: AbortSignal | undefined): AbortSignal {
  return signal ?? new AbortController().signal;
}
