import { mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calcPrice } from '@pydantic/genai-prices';
import type { CostGrouping } from '@shared/money/cost-report.ts';
import { costOf, worstCostOf } from '@shared/money/token-cost.ts';
import { knownProviderSettings } from '@shared/settings/settings.ts';
import { localDay } from '../src/main/money/local-day.ts';
import { createLedger } from '../src/main/money/cost-ledger.ts';
import { listedPrice, priceList } from '../src/main/money/price-list.ts';
import { openFenceBench } from './lib/fence-calls.ts';
import { addedUp, invoices, ourCost } from './lib/invoices.ts';
import { costLog, sumOf } from './lib/money-logs.ts';
import type { Schedule } from './lib/money-schedule.ts';
import { createSchedule } from './lib/money-schedule.ts';
import { forkReservations, openBenchReservations, reservationsChild } from './lib/reservations-child.ts';
import type { BenchRow } from './lib/rows.ts';
import { seeded } from './lib/seeded.ts';

const schedules = 10_000;
/** So many schedules run at once, so that their calls mix in one file. */
const together = 50;
/** The other process is killed in the middle once in so many schedules. */
const killEvery = 500;
const logs = 1000;
const fencedCalls = 10_000;

/** Measures prices, caps and sums, as far as that works without a service. */
export async function run(): Promise<readonly BenchRow[]> {
  const child = reservationsChild();
  if (child !== null) return child;
  return [
    ...(await invoiceRows()),
    ...(await priceRows()),
    ...(await capRows()),
    ...(await sumRows()),
    ...(await fenceRows()),
  ];
}

const priced = [
  ['openai', 'gpt-5', 'openai'],
  ['openai', 'gpt-4o-mini', 'openai'],
  ['openai', 'o3', 'openai'],
  ['anthropic', 'claude-sonnet-4-5', 'anthropic'],
  ['anthropic', 'claude-opus-4-1', 'anthropic'],
  ['gemini', 'gemini-2.5-pro', 'google'],
  ['gemini', 'gemini-2.5-flash', 'google'],
  ['groq', 'llama-3.3-70b-versatile', 'groq'],
  ['deepseek', 'deepseek-chat', 'deepseek'],
  ['mistral', 'mistral-large-latest', 'mistral'],
  ['xai', 'grok-4', 'x-ai'],
] as const;

/** Compares usage in each service's own format, read by our providers, with the summed lines of an invoice. */
async function invoiceRows(): Promise<readonly BenchRow[]> {
  let toTheCent = 0;
  let exact = 0;
  for (const invoice of invoices) {
    const { costUsd } = await ourCost(invoice);
    const wanted = addedUp(invoice);
    const isAdded = wanted === Number(invoice.totalUsd);
    if (isAdded && Math.round(costUsd * 100) === Math.round(wanted * 100)) toTheCent += 1;
    if (isAdded && Math.abs(costUsd - wanted) < 1e-12) exact += 1;
  }
  const kinds = new Set(invoices.map(({ kind }) => kind)).size;
  return [
    {
      figure: 'worked invoices that agree to the cent',
      value: (100 * toTheCent) / invoices.length,
      unit: '%',
      target: { atLeast: 100 },
      note: `${invoices.length} synthetic invoices of ${kinds} kinds of service; exact to 1e-12: ${exact}`,
    },
  ];
}

/**
 * Compares the costs of synthetic calls at the list's own prices with a second calculation that shares no code with
 * ours.
 */
async function priceRows(): Promise<readonly BenchRow[]> {
  const random = seeded(1);
  const at = Date.UTC(2026, 10, 21);
  let calls = 0;
  let toTheCent = 0;
  let exact = 0;
  let aboveWorst = 0;
  for (const [service, name, id] of priced) {
    const settings = knownProviderSettings(service);
    const price = settings === null ? null : await listedPrice({ settings, name, at });
    for (let count = 0; count < 500; count += 1) {
      const size = Math.floor(random() ** 3 * 1_000_000);
      const cacheRead = Math.floor(size * random());
      const cacheWrite = price?.cacheWrite === undefined ? 0 : Math.floor((size - cacheRead) * random());
      const output = Math.floor(random() * 60_000);
      const freshInput = size - cacheRead - cacheWrite;
      const usage = { freshInput, cacheRead, cacheWrite, output, reasoning: 0, estimated: false };
      const cost = costOf(usage, price);
      const listed = calcPrice(
        { input_tokens: size, cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite, output_tokens: output },
        name,
        { providerId: id, timestamp: new Date(at) },
      );
      calls += 1;
      if (cost === null || listed === null) continue;
      if (Math.round(cost * 100) === Math.round(listed.total_price * 100)) toTheCent += 1;
      if (Math.abs(cost - listed.total_price) < 1e-9) exact += 1;
      if (cost > (worstCostOf(size, output, price) ?? 0) + 1e-9) aboveWorst += 1;
    }
  }
  const note = `${calls} synthetic calls of ${priced.length} models, genai-prices ${priceList.version}; exact to 1e-9: ${exact}`;
  return [
    {
      figure: 'cost equal to the list’s own calculation, to the cent',
      value: (100 * toTheCent) / calls,
      unit: '%',
      target: { atLeast: 100 },
      note,
    },
    {
      figure: 'calls dearer than the worst case put aside for them',
      value: aboveWorst,
      unit: '',
      target: { atMost: 0 },
      note: 'the same calls',
    },
  ];
}

/** Two processes spend from one file, and one of them is killed again and again. */
async function capRows(): Promise<readonly BenchRow[]> {
  // Every grant waits for the disk. A folder in memory, where there is one, keeps the disk out of the figures.
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dewpoint-bench-money-'));
  let overrun = 0;
  let broken = 0;
  let granted = 0;
  let refused = 0;
  let kills = 0;
  try {
    for (let first = 0; first < schedules; first += killEvery) {
      const path = join(folder, `reservations-${first}.jsonl`);
      const own = openBenchReservations(path);
      const other = forkReservations(path);
      for (let batch = first; batch < first + killEvery; batch += together) {
        const running = Array.from({ length: together }, (_, index) =>
          createSchedule({ random: seeded(batch + index + 1), calls: 10, name: `n${batch + index}`, processes: 2 }),
        );
        if (batch === first + killEvery - together) {
          setTimeout(other.kill, 5);
          kills += 1;
        }
        await Promise.all(running.map((schedule) => finish(schedule, [own, other])));
        for (const schedule of running) {
          overrun = Math.max(overrun, schedule.overrun());
          broken += schedule.overrun() > 0 ? 1 : 0;
          granted += schedule.granted();
          refused += schedule.refused();
        }
      }
      other.kill();
      own.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return [
    {
      figure: 'schedules in which a cap was passed',
      value: broken,
      unit: '',
      target: { atMost: 0 },
      note: `of ${schedules} over two processes, ${kills} kills; ${granted} calls granted, ${refused} refused; most: ${overrun} nanodollars`,
    },
  ];
}

async function finish(schedule: Schedule, purses: Parameters<Schedule['step']>[0]): Promise<void> {
  let goesOn = true;
  while (goesOn) {
    const done = await Promise.all([schedule.step(purses), schedule.step(purses)]);
    goesOn = done.some(Boolean);
  }
}

async function sumRows(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-ledger-'));
  const random = seeded(7);
  const sessions = Array.from({ length: logs }, (_, index) => {
    const projectPath = random() < 0.2 ? null : `/projects/${Math.floor(random() * 20)}`;
    const events = costLog(random, Math.floor(random() * 40));
    return {
      id: `s${index}`,
      title: '',
      projectPath,
      logBytes: events.length,
      folder: join(folder, `s${index}`),
      events,
    };
  });
  const byId = new Map(sessions.map((session) => [session.id, session.events]));
  const ledger = createLedger({
    sessions: async () => sessions,
    read: async (id) => each(byId.get(id) ?? []),
    reference: async () => null,
  });
  const groupings: readonly CostGrouping[] = ['day', 'model', 'project', 'session'];
  let rows = 0;
  let equal = 0;
  const before = performance.now();
  await ledger.report({ by: 'day' });
  const readMs = performance.now() - before;
  for (const by of groupings) {
    const report = await ledger.report({ by });
    const walked = sumOf(sessions, { by, since: undefined, dayOf: localDay });
    rows += Math.max(walked.size, report.rows.length);
    for (const row of report.rows) {
      const sum = walked.get(row.key);
      const { freshInput, cacheRead, cacheWrite, output } = row.usage;
      const figures = [row.calls, row.failedCalls, row.unpricedCalls, freshInput, cacheRead, cacheWrite, output];
      const wanted = [
        sum?.calls,
        sum?.failedCalls,
        sum?.unpricedCalls,
        sum?.freshInput,
        sum?.cacheRead,
        sum?.cacheWrite,
        sum?.output,
      ];
      const isSame = figures.every((figure, index) => figure === wanted[index]);
      if (isSame && Math.abs(row.costUsd - (sum?.costUsd ?? Number.NaN)) < 1e-9) equal += 1;
    }
  }
  await rm(folder, { recursive: true, force: true });
  return [
    {
      figure: 'roll-ups equal to a plain walk over the logs',
      value: (100 * equal) / rows,
      unit: '%',
      target: { atLeast: 100 },
      note: `${rows} rows by day, model, project and session of ${logs} logs; first reading ${readMs.toFixed(0)} ms`,
    },
  ];
}

/**
 * Runs whole sessions of the real engine against a server that keeps every byte, and counts what leaked of a fenced
 * file.
 */
async function fenceRows(): Promise<readonly BenchRow[]> {
  const bench = await openFenceBench();
  const positions = new Map<string, number>();
  let sessions = 0;
  let calls = 0;
  let refused = 0;
  let redacted = 0;
  let leaked = 0;
  let open = 0;
  let clean = 0;
  let cleanStopped = 0;
  try {
    for (let seed = 1; calls < fencedCalls; seed += 1) {
      const run = await bench.run(seeded(seed), { isFenced: true, touches: true });
      sessions += 1;
      calls += run.calls;
      refused += run.refused;
      redacted += run.redacted;
      leaked += run.leakedBytes;
      for (const name of run.positions) positions.set(name, (positions.get(name) ?? 0) + 1);
    }
    for (let seed = 1; seed <= 300; seed += 1) {
      const bare = await bench.run(seeded(seed), { isFenced: false, touches: true });
      open += bare.leakedBytes > 0 ? 1 : 0;
      const free = await bench.run(seeded(seed), { isFenced: true, touches: false });
      clean += free.calls;
      cleanStopped += free.refused + free.redacted;
    }
  } finally {
    await bench.close();
  }
  const places = [...positions].map(([name, count]) => `${name} ${count}`).join(', ');
  return [
    {
      figure: 'fenced bytes past the socket',
      value: leaked,
      unit: '',
      target: { atMost: 0 },
      note: `${calls} calls of ${sessions} generated sessions: ${refused} stopped, ${redacted} redacted; the same without fences leak in ${open} of 300 sessions; ${places}`,
    },
    {
      figure: 'calls with nothing fenced that the door stopped or changed',
      value: cleanStopped,
      unit: '',
      target: { atMost: 0 },
      note: `of ${clean} calls beside a fenced file that nobody opens`,
    },
  ];
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
