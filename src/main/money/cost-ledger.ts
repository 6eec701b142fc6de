import { join } from 'node:path';
import { z } from 'zod';
import type { CloudReference } from '@shared/money/counterfactual.ts';
import type { Workload } from '@shared/money/workload.ts';
import { counterfactualOfWork, tasksHere } from '@shared/money/turn-counterfactual.ts';
import { needOf, taskKinds, type TaskNeed } from '@shared/money/task-needs.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession, type SessionState, type TurnState } from '@shared/session/session-state.ts';
import { addSplitWorkload, noSplitWorkload } from '@shared/money/workload.ts';
import type { CostCell, CostGrouping, CostReport, SessionCosts } from '@shared/money/cost-report.ts';
import { addTotals, createCostFold, energyOf, groupCosts, noCosts } from '@shared/money/cost-report.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { usageSchema } from '@shared/money/token-cost.ts';
import { readJsonFile, writeFileAtomic } from '../lib/files/json-file.ts';
import { localDay } from './local-day.ts';
import type { ReservationsRecord } from './reservations/reservations-state.ts';
import { noKeys, toNano } from './reservations/reservations-state.ts';
import { noteFailure, orNoted } from '../lib/log.ts';

/** A session as the ledger reads it. */
export interface LedgerSession {
  readonly id: string;
  readonly title: string;
  readonly projectPath: string | null;
  /** The session whose limit it spends, if not its own. */
  readonly payerId?: string;
  /** The size of its log. Kept sums are valid while it is the same. */
  readonly logBytes: number;
  /** The folder for kept sums, which can be deleted at any time. */
  readonly folder: string;
}

export interface LedgerOptions {
  readonly sessions: () => Promise<readonly LedgerSession[]>;
  readonly read: (sessionId: string) => Promise<AsyncIterable<SessionEvent>>;
  /** The configured cloud model with its price. */
  readonly reference: () => Promise<CloudReference | null>;
}

export interface CostQuery {
  readonly by: CostGrouping;
  /** The first day that counts, `2026-11-21`. */
  readonly since?: string | undefined;
  /** A project's folder. */
  readonly project?: string | undefined;
}

/** Before it there was no Dewpoint: the clock of the machine stood wrong, as after a dead battery. */
const oldestDay = '2026-01-01';

/** Computes costs from the logs alone. */
export interface Ledger {
  report(query: CostQuery): Promise<CostReport>;
  /** What a cloud model cost for tasks that it did alone, oldest first. */
  taskNeeds(model: string): Promise<readonly TaskNeed[]>;
  /** Everything spent so far, as the first lines of a new reservation log. */
  spentSoFar(): Promise<readonly ReservationsRecord[]>;
}

const recipeRunTotalsSchema = z.object({
  runs: z.number(),
  calls: z.number(),
  written: z.number(),
  otherMs: z.number(),
  limitMs: z.number(),
  madeThere: z.number(),
  rate: z.number(),
});
const spanSchema = z.object({ tokens: z.number(), ms: z.number() });
const workloadSchema: z.ZodType<Workload> = z.object({
  calls: z.number(),
  usage: usageSchema,
  reused: z.number(),
  read: spanSchema,
  written: spanSchema,
  totalMs: z.number(),
  costUsd: z.number(),
  unpricedCalls: z.number(),
  wattHours: z.number(),
  energyUsd: z.number(),
  unmeteredCalls: z.number(),
  unpricedEnergyCalls: z.number(),
  estimatedEnergyCalls: z.number(),
  recipeRuns: z.object({
    exhausted: recipeRunTotalsSchema,
    timedOut: recipeRunTotalsSchema,
    solved: recipeRunTotalsSchema,
    answered: recipeRunTotalsSchema,
    unsolvedInBoth: recipeRunTotalsSchema,
    ranInBoth: recipeRunTotalsSchema,
    takenOver: recipeRunTotalsSchema,
  }),
});

const lostSchema = z.object({ calls: z.number(), costUsd: z.number(), unpricedCalls: z.number() });

const cellsSchema = z.object({
  version: z.literal(11),
  logBytes: z.number(),
  /** Sums are by days of this time zone. Sums of another zone are recomputed. */
  zone: z.string(),
  cells: z.array(
    z.object({
      day: z.string(),
      model: z.string(),
      totals: z.object({
        calls: z.number(),
        failedCalls: z.number(),
        cancelledCalls: z.number(),
        localCalls: z.number(),
        usage: usageSchema,
        costUsd: z.number(),
        unpricedCalls: z.number(),
        lost: z.object({ failed: lostSchema, cancelled: lostSchema, sentBack: lostSchema }),
      }),
      work: z.object({ local: workloadSchema, cloud: workloadSchema }),
      tasks: z.array(z.object({ kind: z.enum(taskKinds), way: z.string(), size: z.number(), calls: z.number() })),
    }),
  ),
  needs: z.array(
    z.object({
      at: z.number(),
      model: z.string(),
      kind: z.enum(taskKinds),
      way: z.string(),
      size: z.number(),
      value: z.number(),
    }),
  ),
});

type KeptSums = Pick<z.infer<typeof cellsSchema>, 'needs'> & { readonly cells: readonly CostCell[] };

interface HeldNeeds extends Pick<KeptSums, 'needs'> {
  readonly logBytes: number;
  readonly zone: string;
}

export function createLedger(options: LedgerOptions): Ledger {
  const all = async (): Promise<{ readonly sessions: (SessionCosts & KeptSums)[]; readonly unreadable: string[] }> => {
    const sessions: (SessionCosts & KeptSums)[] = [];
    const unreadable: string[] = [];
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const session of await options.sessions()) {
      const sums = await sumsOf(options, session, zone);
      const { id, title, projectPath, payerId } = session;
      if (sums === null) unreadable.push(id);
      else sessions.push({ sessionId: id, ...(payerId === undefined ? {} : { payerId }), title, projectPath, ...sums });
    }
    return { sessions, unreadable };
  };
  const needsOf = createNeeds(options);
  return {
    report: async ({ by, since, project }) => {
      const { sessions, unreadable } = await all();
      const asked = sessions.filter(({ projectPath }) => project === undefined || projectPath === project);
      const counted = asked.map((session) => ({
        ...session,
        cells: session.cells.filter(({ day }) => since === undefined || day >= since),
      }));
      const days = asked.flatMap(({ cells }) => cells.map(({ day }) => day));
      const [firstDay] = days.filter((day) => day >= oldestDay).sort();
      const rows = groupCosts(counted, by);
      const total = rows.reduce(addTotals, noCosts);
      const work = counted
        .flatMap(({ cells }) => cells.map((cell) => cell.work))
        .reduce(addSplitWorkload, noSplitWorkload);
      const known = sessions
        .flatMap(({ cells }) => cells.map((cell) => cell.work))
        .reduce(addSplitWorkload, noSplitWorkload);
      const priced = await options.reference();
      const reference = priced === null ? null : { ...priced, needs: await needsOf(priced.model) };
      const tasks = rows.flatMap((row) => row.tasks);
      return {
        by,
        since: since ?? null,
        project: project ?? null,
        ...(firstDay === undefined ? {} : { firstDay }),
        rows: rows.map(({ work: own, tasks: done, ...row }) => ({
          ...row,
          elsewhere: counterfactualOfWork({ work: own, tasks: done }, reference, known),
          energy: energyOf(own),
        })),
        total: totalsOnly(total),
        elsewhere: counterfactualOfWork({ work, tasks }, reference, known),
        energy: energyOf(work),
        unreadable,
      };
    },
    taskNeeds: needsOf,
    spentSoFar: async () =>
      (await all()).sessions.flatMap(({ sessionId, payerId = sessionId, projectPath, cells }) =>
        cells
          .filter(({ totals }) => totals.costUsd > 0)
          .map(({ day, totals }): ReservationsRecord => ({
            type: 'spent',
            at: 0,
            nano: toNano(totals.costUsd),
            keys: { ...noKeys, session: payerId, project: projectPath, day, month: day.slice(0, 7) },
          })),
      ),
  };
}

/** Called at the end of each turn, so an unchanged log is not read again. */
function createNeeds(options: LedgerOptions): Ledger['taskNeeds'] {
  let held: ReadonlyMap<string, HeldNeeds> = new Map();
  return async (model) => {
    const now = new Map<string, HeldNeeds>();
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const session of await options.sessions()) {
      const { folder, logBytes } = session;
      const before = held.get(folder);
      const isSame = before?.logBytes === logBytes && before.zone === zone;
      const needs = isSame ? before.needs : (await sumsOf(options, session, zone))?.needs;
      if (needs !== undefined) now.set(folder, { logBytes, zone, needs });
    }
    held = now;
    return [...now.values()]
      .flatMap(({ needs }) => needs)
      .filter((one) => one.model === model)
      .sort((one, other) => one.at - other.at)
      .map(({ kind, way, size, value }) => ({ kind, way, size, value }));
  };
}

function totalsOnly({
  calls,
  failedCalls,
  cancelledCalls,
  localCalls,
  usage,
  costUsd,
  unpricedCalls,
  lost,
}: CostReport['total']): CostReport['total'] {
  return { calls, failedCalls, cancelledCalls, localCalls, usage, costUsd, unpricedCalls, lost };
}

/** Null: the log cannot be read. */
async function sumsOf(options: LedgerOptions, session: LedgerSession, zone: string): Promise<KeptSums | null> {
  const path = join(session.folder, 'costs.json');
  const kept = await readJsonFile(path, (value) => cellsSchema.parse(value));
  if (kept.type === 'value' && kept.value.logBytes === session.logBytes && kept.value.zone === zone) {
    return { cells: kept.value.cells, needs: kept.value.needs };
  }
  const fold = createCostFold(localDay);
  let state = emptySession;
  let copiedUpTo = 0;
  try {
    for await (const event of await options.read(session.id)) {
      fold.add(event);
      state = reduceSession(state, event);
      if (event.type === 'history-copied') copiedUpTo = event.seq;
    }
  } catch (error) {
    // The report names this session; the sums of the others still count.
    noteFailure('The costs of a session were not read', error);
    return null;
  }
  const own = state.turns.filter(({ seq }) => seq > copiedUpTo);
  const cells = withTasks(fold.cells(), state, own);
  const needs = own.flatMap((turn) => {
    const need = needOf(turn, state.steps);
    return need === null ? [] : [{ ...need, at: turn.endedAt ?? 0 }];
  });
  const text = JSON.stringify({ version: 10, logBytes: session.logBytes, zone, cells, needs });
  // Kept sums only save time, so a failed write is ignored.
  await writeFileAtomic(path, `${text}\n`, { sync: false }).catch(
    orNoted('The sums of costs were not saved', undefined),
  );
  return { cells, needs };
}

/** Adds each task that this machine did alone to the cell of its last call. */
function withTasks(cells: readonly CostCell[], state: SessionState, turns: readonly TurnState[]): readonly CostCell[] {
  const placed = tasksHere(state, turns).flatMap(({ turnId, ...task }) => {
    const last = state.steps.findLast((step) => step.turnId === turnId && step.end !== null);
    return last?.end ? [{ task, day: localDay(last.end.at), model: last.stage.model }] : [];
  });
  return cells.map((cell) => ({
    ...cell,
    tasks: placed.flatMap(({ task, day, model }) => (day === cell.day && model === cell.model ? [task] : [])),
  }));
}
