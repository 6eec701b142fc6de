import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { costLog, sumOf } from '../../generated/money-logs.ts';
import { localDay } from '../../../src/main/money/local-day.ts';
import type { LedgerSession } from '../../../src/main/money/cost-ledger.ts';
import { createLedger } from '../../../src/main/money/cost-ledger.ts';
import type { CostGrouping, CostTotals } from '../../../src/shared/money/cost-report.ts';
import { counterfactualOf } from '../../../src/shared/money/counterfactual.ts';
import { splitWorkload } from '../../../src/shared/money/workload.ts';
import type { SessionEvent } from '../../../src/shared/events/events.ts';
import { type MadeTurn, turnsAsEvents } from '../../shared/money/task-turns.ts';
import { lostSum } from '../../../src/shared/money/lost-calls.ts';
import { emptyMoney, reduceMoney } from '../../../src/shared/money/session-money.ts';
import { seeded } from '../../../bench/lib/seeded.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function* each(events: readonly SessionEvent[]): AsyncGenerator<SessionEvent> {
  yield* events;
}

interface Sample extends LedgerSession {
  readonly events: readonly SessionEvent[];
}

function samples(seed: number, count: number): readonly Sample[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, index) => {
    const projectPath = random() < 0.2 ? null : `/projects/${Math.floor(random() * 3)}`;
    const events = costLog(random, Math.floor(random() * 12));
    return {
      id: `s${index}`,
      title: 't',
      projectPath,
      logBytes: events.length,
      folder: join(folder, `s${index}`),
      events,
    };
  });
}

/** The expected result by a plain walk: every call whose start is in the log, with its end. */
function callsIn(events: readonly SessionEvent[]) {
  const places = new Map<string, 'local' | 'cloud'>();
  return events.flatMap((event) => {
    if (event.type === 'model-call-started') places.set(event.callId, event.stage.where);
    const where = event.type === 'model-call-ended' ? places.get(event.callId) : undefined;
    return event.type === 'model-call-ended' && where !== undefined ? [{ where, end: event }] : [];
  });
}

/** Rounds figures, because sums in another order differ in their last digits. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, one: unknown) => (typeof one === 'number' ? Number(one.toPrecision(9)) : one)),
  );

const ledgerOf = (logs: readonly Sample[]) =>
  createLedger({
    sessions: async () => logs,
    read: async (id) => each(logs.find((log) => log.id === id)?.events ?? []),
    reference: async () => null,
  });

const exact = ({ calls, failedCalls, cancelledCalls, localCalls, usage, unpricedCalls }: CostTotals) => {
  const { freshInput, cacheRead, cacheWrite, output } = usage;
  return { calls, failedCalls, cancelledCalls, localCalls, freshInput, cacheRead, cacheWrite, output, unpricedCalls };
};

describe('the ledger', () => {
  it.each([1, 2, 3])('sums every grouping and filter as a plain walk over the logs does (seed %i)', async (seed) => {
    const logs = samples(seed, 12);
    const ledger = ledgerOf(logs);
    const groupings: readonly CostGrouping[] = ['day', 'model', 'project', 'session'];
    for (const by of groupings) {
      for (const since of [undefined, '2026-11-10']) {
        for (const project of [undefined, '/projects/1']) {
          const report = await ledger.report({ by, since, project });
          const chosen = logs.filter((log) => project === undefined || log.projectPath === project);
          const walked = sumOf(chosen, { by, since, dayOf: localDay });
          expect(report.rows.map((row) => row.key).sort()).toEqual([...walked.keys()].sort());
          for (const row of report.rows) {
            const { costUsd, ...counts } = walked.get(row.key) ?? { costUsd: Number.NaN };
            expect(exact(row)).toEqual(counts);
            expect(row.costUsd).toBeCloseTo(costUsd, 9);
          }
        }
      }
    }
  });

  it('agrees with the sum that every host shows for a session', async () => {
    for (const log of samples(9, 20)) {
      const { total } = await ledgerOf([log]).report({ by: 'model' });
      const money = log.events.reduce(reduceMoney, emptyMoney);
      expect(total.usage).toEqual(money.usage);
      expect([total.calls, total.failedCalls + total.cancelledCalls, total.unpricedCalls, total.localCalls]).toEqual([
        money.calls,
        money.failedCalls,
        money.unpricedCalls,
        money.local.calls,
      ]);
      expect(total.costUsd).toBeCloseTo(money.costUsd, 9);
      expect(lostSum(total.lost).calls).toBe(lostSum(money.lost).calls);
      expect(lostSum(total.lost).costUsd).toBeCloseTo(lostSum(money.lost).costUsd, 9);
    }
  });

  it('gives each row what it would have cost elsewhere, and its energy', async () => {
    const logs = samples(11, 8).filter(({ events }) => events.length > 0);
    const price = { input: 3, output: 15, cacheRead: 0.3, source: 'test', date: '2026-11-21' };
    const reference = { model: 'sky/model', price };
    const known = splitWorkload(logs.flatMap(({ events }) => callsIn(events)));
    for (const { id, events } of logs) {
      const ledger = createLedger({
        sessions: async () => logs,
        read: async (other) => each(logs.find((log) => log.id === other)?.events ?? []),
        reference: async () => reference,
      });
      const row = (await ledger.report({ by: 'session' })).rows.find(({ key }) => key === id);
      const work = splitWorkload(callsIn(events));
      const walked = row === undefined ? null : counterfactualOf(work, reference, known);
      expect(rounded(row?.elsewhere ?? null)).toEqual(rounded(walked));
      expect(row?.energy.wattHours ?? work.local.wattHours).toBeCloseTo(work.local.wattHours, 9);
    }
  });

  // Catches: one call on a machine whose clock stood in 1970, after which a month counts days without work before the first.
  it('does not take a day before there was Dewpoint for the first one of work', async () => {
    const [log] = samples(3, 40).filter(({ events }) => callsIn(events).length > 0);
    if (log === undefined) throw new Error('No sample has a call.');
    const wrong = {
      ...log,
      id: 'wrong',
      folder: join(folder, 'wrong'),
      events: log.events.map((one) => ({ ...one, at: 0 })),
    };
    const right = await ledgerOf([log]).report({ by: 'day' });
    const both = await ledgerOf([log, wrong]).report({ by: 'day' });
    expect(both.rows.map(({ key }) => key)).toContain('1970-01-01');
    expect(both.firstDay).toBe(right.firstDay);
    expect(right.firstDay).toBe(right.rows[0]?.key);
  });

  it('names an unreadable session, and counts the others', async () => {
    const logs = samples(4, 3);
    const ledger = createLedger({
      sessions: async () => logs,
      reference: async () => null,
      read: async (id) => {
        if (id === 's1') throw new Error('damaged');
        return each(logs.find((log) => log.id === id)?.events ?? []);
      },
    });
    const report = await ledger.report({ by: 'session' });
    expect(report.unreadable).toEqual(['s1']);
    expect(report.rows.some((row) => row.key === 's1')).toBe(false);
  });

  /** Catches: a task that counts twice because its session was forked, and stored sums that do not know the fork. */
  it('knows what a cloud model needed for tasks, and counts a copied call once', async () => {
    const turn = (id: string, costUsd: number): MadeTurn => ({ id, prompt: 900, calls: [{ where: 'cloud', costUsd }] });
    const first = turnsAsEvents([turn('a', 0.01), turn('b', 0.02)]);
    const seq = first.length + 1;
    const copied = {
      type: 'history-copied',
      by: 'fork',
      sessionId: 's1',
      upToSeq: first.length,
      changes: 'settled',
    } as const;
    const fork = [...first, { ...copied, v: 2 as const, seq, at: 0 }, ...turnsAsEvents([turn('c', 0.03)], seq + 1)];
    const logs = [first, fork].map((events, index): Sample => ({
      id: `s${index + 1}`,
      title: '',
      projectPath: null,
      logBytes: events.length,
      folder: join(folder, `s${index + 1}`),
      events,
    }));
    for (const ledger of [ledgerOf(logs), ledgerOf(logs)]) {
      const needs = await ledger.taskNeeds('cloud/m');
      expect(needs.map(({ value, kind }) => [value, kind])).toEqual([0.01, 0.02, 0.03].map((usd) => [usd, 'repair']));
      expect(await ledger.taskNeeds('other/m')).toEqual([]);
    }
  });

  // Catches: sums of all sessions that are read from the disk at the end of each turn, and a continued session whose
  // new costs are missed.
  it('reads again only the session whose log has changed', async () => {
    const turn = (id: string, costUsd: number): MadeTurn => ({ id, prompt: 900, calls: [{ where: 'cloud', costUsd }] });
    const log = (events: readonly SessionEvent[]): Sample => ({
      id: 's1',
      title: '',
      projectPath: null,
      logBytes: events.length,
      folder: join(folder, 's1'),
      events,
    });
    let logs = [log(turnsAsEvents([turn('a', 0.01)]))];
    let reads = 0;
    const ledger = createLedger({
      sessions: async () => logs,
      read: async () => {
        reads += 1;
        return each(logs[0]?.events ?? []);
      },
      reference: async () => null,
    });
    const values = async () => (await ledger.taskNeeds('cloud/m')).map(({ value }) => value);
    expect(await values()).toEqual([0.01]);
    // Without its file the sum would be computed again.
    rmSync(join(folder, 's1', 'costs.json'), { force: true });
    expect(await values()).toEqual([0.01]);
    expect(reads).toBe(1);
    logs = [log(turnsAsEvents([turn('a', 0.01), turn('b', 0.02)]))];
    expect(await values()).toEqual([0.01, 0.02]);
    logs = [];
    expect(await values()).toEqual([]);
  });

  it('begins a reservation log with the same sums', async () => {
    const logs = samples(5, 30);
    const records = await ledgerOf(logs).spentSoFar();
    const nano = records.reduce((sum, record) => sum + (record.type === 'spent' ? record.nano : 0), 0);
    const { total } = await ledgerOf(logs).report({ by: 'day' });
    expect(nano / 1e9).toBeCloseTo(total.costUsd, 6);
  });
});
