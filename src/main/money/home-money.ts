import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, valueOf } from '@shared/errors.ts';
import type { CostReport } from '@shared/money/cost-report.ts';
import type { CostQuery, LedgerSession } from './cost-ledger.ts';
import { createLedger } from './cost-ledger.ts';
import { abortable } from '../lib/async/abort.ts';
import type { Budget, BudgetOptions } from './budget.ts';
import { createBudget } from './budget.ts';
import type { CapChanger } from './spending-limits.ts';
import { capsOf, createCapChanger } from './spending-limits.ts';
import { openReservations } from './reservations/open-reservations.ts';
import type { Reservations } from './reservations/reservations.ts';
import { localDay } from './local-day.ts';
import { toNano } from './reservations/reservations-state.ts';
import { sealRecord, unsealRecord } from '../sessions/log/log-record.ts';
import type { SessionStore } from '../sessions/store/session-store.ts';
import { projectOfSession } from '@shared/projects/project-keys.ts';
import type { ProjectRecords } from '@shared/projects/project-record.ts';
import type { CloudReference } from '@shared/money/counterfactual.ts';
import { monthCosts, monthCostsSince, type MonthCosts } from '@shared/money/month-costs.ts';
import type { TaskNeed } from '@shared/money/task-needs.ts';
import { foldStepCosts, type StepCost } from '@shared/money/step-costs.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { nothingToUndo, type WayBack } from '../lib/async/all-or-none.ts';
import { noteFailure, orNoted } from '../lib/log.ts';

/** What a home has spent and may still spend. */
export interface HomeMoney {
  readonly budget: (session: Pick<BudgetOptions, 'sessionId' | 'project' | 'ask'>) => Budget;
  /** What was spent, from the logs. */
  readonly costs: (query: CostQuery) => Promise<CostReport>;
  /** What a month of the last 90 days' work costs. */
  readonly monthCosts: (project: string | undefined) => Promise<MonthCosts>;
  readonly stepCosts: (sessionId: string) => Promise<readonly StepCost[]>;
  /** What a cloud model cost for tasks that it did alone, oldest first. */
  readonly taskNeeds: (model: string) => Promise<readonly TaskNeed[]>;
  readonly caps: CapChanger;
  /** What was spent in a project counts for its limit under its new key, too. Safe to repeat. */
  readonly moveProject: (from: string, to: string) => Promise<WayBack>;
  /** The cloud model that work is compared with: the one used last, otherwise the configured one. */
  readonly reference: (used: string | null) => Promise<CloudReference | null>;
  readonly dispose: () => Promise<void>;
}

export interface HomeMoneyOptions {
  readonly home: string;
  readonly store: SessionStore;
  /** Deleted sessions, whose costs still count. */
  readonly bin: SessionStore;
  /** Calls of other programs through the endpoint; each has a log of its own. */
  readonly endpoint: SessionStore;
  readonly settings: Pick<SettingsStore, 'current' | 'set'>;
  readonly now: () => number;
  readonly modelInfo: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
}

/** The most time to wait for a price to compare with. */
const referenceMs = 3_000;

export function createHomeMoney(options: HomeMoneyOptions): HomeMoney {
  const { home, store, settings, now } = options;
  const stores = [store, options.bin, options.endpoint];
  const priced = async (used: string | null): Promise<CloudReference | null> => {
    const id = used ?? settings.current().cloud;
    const info = id === null ? null : await options.modelInfo(id, AbortSignal.timeout(referenceMs));
    return info === null || info.price === null || info.where === 'local'
      ? null
      : { model: info.id, price: info.price };
  };
  const ledger = createLedger({
    reference: () => priced(null),
    sessions: async () =>
      (await Promise.all(stores.map((one) => sessionsOf(one, settings.current().projects.records)))).flat(),
    read: async (sessionId) => (await viewIn(stores, sessionId)).read(),
  });
  const reference = async (used: string | null): Promise<CloudReference | null> => {
    const found = await priced(used);
    if (found === null) return null;
    // Adding up long logs for the first time is not waited for; then tokens are compared instead.
    const needs = await abortable(ledger.taskNeeds(found.model), AbortSignal.timeout(referenceMs)).catch(
      orNoted('Past tasks of the reference model were not read', []),
    );
    return { ...found, needs };
  };
  const path = join(home, 'reservations.jsonl');
  let opening: Promise<Reservations> | null = null;
  const reservations = (): Promise<Reservations> => {
    opening ??= openReservations({
      path,
      codec: { seal: sealRecord, unseal: unsealRecord },
      now,
      fromLogs: () => ledger.spentSoFar(),
      costInLog: (sessionId, step) => costInLog([store, options.endpoint], sessionId, step),
    });
    // If opening failed, the next call tries again.
    opening.catch(() => {
      opening = null;
    });
    return opening;
  };
  const caps = createCapChanger({
    settings: () => settings.current().budget,
    save: async (key, value) => void valueOf(await settings.set(key, value)),
    reservations,
  });
  return {
    budget: (session) =>
      createBudget({
        ...session,
        caps: () => capsOf(settings.current().budget, session.project()),
        reservations,
      }),
    costs: (query) => ledger.report(query),
    monthCosts: (project) => costsOfMonth(options, ledger, project),
    stepCosts: async (sessionId) => stepCosts((await viewIn([store, options.endpoint], sessionId)).read(), priced),
    taskNeeds: (model) => ledger.taskNeeds(model),
    caps,
    moveProject: async (from, to) => {
      // Without a log nothing is moved: it will begin with the sessions, which know their folder.
      if (opening === null && !existsSync(path)) return nothingToUndo;
      return (await reservations()).moveProject(from, to);
    },
    reference,
    dispose: async () => {
      // The caller that opened it was told the error.
      const opened = await opening?.catch(() => null);
      opened?.close();
      opening = null;
    },
  };
}

async function costsOfMonth(
  { now, settings }: HomeMoneyOptions,
  ledger: Pick<ReturnType<typeof createLedger>, 'report'>,
  project: string | undefined,
): Promise<MonthCosts> {
  const today = localDay(now());
  const days = await ledger.report({
    by: 'day',
    since: monthCostsSince(today),
    ...(project === undefined ? {} : { project }),
  });
  return monthCosts(days, { today, hardwareUsd: settings.current().energy.hardwareUsd });
}

async function sessionsOf(store: SessionStore, records: ProjectRecords): Promise<readonly LedgerSession[]> {
  return (await store.list()).map(({ id, title, logBytes, tree, ...place }) => {
    const projectPath = projectOfSession(records, place);
    const payer = tree?.by === undefined ? {} : { payerId: tree.by.sessionId };
    return { id, title, projectPath, logBytes, folder: store.folderOf(id), ...payer };
  });
}

/** Looks in the stores in order. */
async function viewIn([first, ...rest]: readonly SessionStore[], sessionId: string): ReturnType<SessionStore['view']> {
  if (first === undefined) throw new AppError('not-found', `The session "${sessionId}" was not found.`);
  try {
    return await first.view(sessionId);
  } catch (error) {
    const isElsewhere = rest.length > 0 && error instanceof AppError && error.code === 'not-found';
    if (isElsewhere) return viewIn(rest, sessionId);
    throw error;
  }
}

async function stepCosts(
  events: AsyncIterable<SessionEvent>,
  reference: HomeMoney['reference'],
): Promise<readonly StepCost[]> {
  const fold = foldStepCosts();
  for await (const event of events) fold.add(event);
  return fold.costs(await reference(fold.lastCloudModel()));
}

/** The cost of a call whose process is gone, from its log. Null unless the log has its end with a known bill. */
async function costInLog(stores: readonly SessionStore[], sessionId: string, step: number): Promise<number | null> {
  try {
    let callId: string | null = null;
    let cost: number | null = null;
    for await (const event of (await viewIn(stores, sessionId)).read()) {
      // Copied history was paid for in another log, whatever its step numbers are.
      if (event.type === 'history-copied') callId = cost = null;
      if (event.type === 'model-call-started' && event.step === step) callId = event.callId;
      if (event.type !== 'model-call-ended' || event.callId !== callId) continue;
      cost = event.costUsd === null || event.usage.estimated ? null : toNano(event.costUsd);
    }
    return cost;
  } catch (error) {
    // The session is gone or cannot be read, so the cost is unknown.
    noteFailure('The cost of a session is unknown', error);
    return null;
  }
}
