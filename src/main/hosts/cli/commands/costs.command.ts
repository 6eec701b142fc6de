import { z } from 'zod';
import type { Elsewhere, Interval } from '@shared/money/counterfactual.ts';
import type { CostReport, CostRow, CostTotals } from '@shared/money/cost-report.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';
import type { MonthCosts } from '@shared/money/month-costs.ts';
import { bothText, type Currency, inBoth } from '@shared/money/currency.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { lostUsd, lostKinds, lostSum, type LostCalls } from '@shared/money/lost-calls.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { keyOfWord } from './projects/named-project.ts';
import { usageError } from '../../text/report-failure.ts';
import { shownCurrency } from '../../text/shown-currency.ts';
import { costsCsv } from '../reports/costs-csv.ts';
import { intervalText } from '../reports/interval-text.ts';
import type { Terminal } from '../../text/terminal.ts';
import { jsonLine, oneLine, table } from '../../text/terminal.ts';

export interface CostsArguments {
  readonly by?: string;
  readonly since?: string;
  readonly project?: string;
  /** What a month of the work costs, in three ways. */
  readonly month?: boolean;
  /** A session whose steps are listed one by one. */
  readonly steps?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
}

const groupings = ['day', 'model', 'project', 'session'] as const;

/** What was spent so far, by the logs. */
export const costs: Command<[CostsArguments]> = async ({ core, terminal }, args) => {
  if (args.csv === true && args.json === true) throw usageError('Use --csv or --json, not both.');
  if (args.month === true) return showMonth(core, terminal, args);
  if (args.steps !== undefined) return showSteps(await core(), terminal, { session: args.steps, args });
  const by = groupings.find((name) => name === (args.by ?? 'day'));
  if (by === undefined) throw usageError(`--by takes ${groupings.join(', ')}, not "${args.by}".`);
  if (args.since !== undefined && !z.iso.date().safeParse(args.since).success) {
    throw usageError(`--since takes a date like 2026-11-21, not "${args.since}".`);
  }
  const client = await core();
  const report = await client.costs({
    by,
    ...(args.since === undefined ? {} : { since: args.since }),
    ...(args.project === undefined ? {} : { project: await keyOfWord(core, args.project) }),
  });
  if (args.json === true) terminal.out(jsonLine(report));
  else {
    const currency = await shownCurrency(client);
    if (args.csv === true) terminal.out(costsCsv(report, currency));
    else showReport(report, terminal, currency);
    if (args.csv !== true && report.rows.length > 0) showElsewhere(report, terminal, currency);
  }
  if (report.unreadable.length > 0) {
    terminal.err(
      `${terminal.colors.yellow(`${report.unreadable.length} sessions could not be read and are not included`)}: ${report.unreadable.map(seenName).join(', ')}\n`,
    );
  }
  return 0;
};

/** Every step of a session, with what the same tokens would have cost in the other place. */
async function showSteps(
  client: CoreClient,
  terminal: Terminal,
  { session, args }: { readonly session: string; readonly args: CostsArguments },
): Promise<number> {
  if (args.csv === true || args.by !== undefined || args.since !== undefined || args.project !== undefined) {
    throw usageError('--steps can be combined with --json only.');
  }
  const { sessionId } = await client.sessions.find({ id: session });
  const steps = await client.stepCosts({ sessionId });
  if (args.json === true) {
    terminal.out(jsonLine(steps));
    return 0;
  }
  const currency = await shownCurrency(client);
  const rows = steps.map(({ step, where, model, costUsd, seconds, elsewhere }) => [
    String(step),
    where,
    oneLine(seenName(model), 40),
    bothText(currency, costUsd),
    `${seconds.toFixed(1)} s`,
    elsewhere.usd === null ? '-' : bothInterval(elsewhere.usd, currency),
    elsewhere.seconds === null ? '-' : intervalText(elsewhere.seconds, (value) => `${value.toFixed(1)} s`),
  ]);
  const head = ['step', 'where', 'model', 'money', 'time', 'in other place', ''];
  for (const line of table([head, ...rows])) terminal.out(`${line}\n`);
  for (const text of new Set(steps.map(({ elsewhere }) => elsewhere.why).filter((why) => why !== null))) {
    terminal.err(`-: ${text}\n`);
  }
  return 0;
}

async function showMonth(core: CommandContext['core'], terminal: Terminal, args: CostsArguments): Promise<number> {
  const { by, since, csv, steps, project } = args;
  if (by !== undefined || since !== undefined || csv === true || steps !== undefined) {
    throw usageError('--month can be combined with --project and --json only.');
  }
  const about = project === undefined ? {} : { project: await keyOfWord(core, project) };
  const client = await core();
  const month = await client.monthCosts(about);
  if (args.json === true) {
    terminal.out(jsonLine(month));
    return 0;
  }
  const currency = await shownCurrency(client);
  const { days, payback } = month;
  const ways = [
    ['this month so far', month.spent],
    ['this whole month', month.forecast],
    ['a month as you work', month.asWorked],
    ['a month all cloud', month.allCloud],
    ['a month all local', month.allLocal],
  ] as const;
  const rows = ways.map(([name, { usd, why }]) => [
    name,
    usd === null ? 'unknown' : inBoth({ currency, dollars: wholeMoneyText }, (show) => intervalText(usd, show)),
    why === null ? '' : seenWords(why),
  ]);
  for (const line of table(rows)) terminal.out(`${line}\n`);
  if (days !== null) {
    terminal.out(
      terminal.colors.dim(`from ${days.count} days, ${days.since} to ${days.until}; in brackets: 9 of 10 months\n`),
    );
  }
  terminal.out(`${paybackText(payback, currency)}\n`);
  return 0;
}

function paybackText({ hardwareUsd, months, why }: MonthCosts['payback'], currency: Currency | null): string {
  if (months === null) return `hardware paid for: unknown: ${why ?? ''}`;
  const { value, low, high } = months;
  const to = high === null ? 'perhaps never' : `${Math.ceil(high)}`;
  const note = why === null ? '' : ` (${why})`;
  const about = `${Math.ceil(value)} ${Math.ceil(value) === 1 ? 'month' : 'months'}`;
  return `hardware for ${bothText(currency, hardwareUsd)} is paid for in about ${about} (${Math.ceil(low)} to ${to}), against the cloud alone${note}`;
}

/** Cents are enough for a month. */
function wholeMoneyText(usd: number | null): string {
  return usd === null || usd < 0.005 ? moneyText(usd) : `$${usd.toFixed(2)}`;
}

function bothInterval(usd: Interval, currency: Currency | null): string {
  return inBoth({ currency }, (show) => intervalText(usd, show));
}

function showReport(report: CostReport, terminal: Terminal, currency: Currency | null): void {
  if (report.rows.length === 0) {
    terminal.err('No model calls in that time.\n');
    return;
  }
  const { total, elsewhere, energy } = report;
  const lines = [
    ...report.rows.map((row) => cells(rowLabel(row), row, currency)),
    cells('total', { ...total, elsewhere, energy }, currency),
  ];
  const head = [
    'calls',
    'local',
    'failed',
    'cancelled',
    'read',
    'from cache',
    'written',
    'money',
    'all cloud',
    'all local',
    'Wh',
  ];
  lines.unshift([report.by, ...head]);
  for (const line of table(lines)) terminal.out(`${line}\n`);
  const lost = lostText(total.lost, currency);
  if (lost !== null) terminal.out(`${lost}\n`);
}

/** What was paid for calls that were of no use. Null: there were none. */
function lostText(lost: LostCalls, currency: Currency | null): string | null {
  const all = lostSum(lost);
  // Calls of this machine fail for free.
  if (all.calls === 0 || lostUsd(all) === 0) return null;
  const names = { failed: 'failed', cancelled: 'cancelled', sentBack: 'sent back' } as const;
  const parts = lostKinds.flatMap((kind) => {
    const { calls } = lost[kind];
    return calls === 0 ? [] : [`${names[kind]} ${calls}, ${bothText(currency, lostUsd(lost[kind]))}`];
  });
  return `paid for nothing: ${bothText(currency, lostUsd(all))} (${parts.join('; ')})`;
}

/** What the same work would have cost elsewhere, and the electrical energy used. */
function showElsewhere({ elsewhere, energy, total }: CostReport, terminal: Terminal, currency: Currency | null): void {
  const { allLocal, allCloud } = elsewhere;
  for (const [name, { basis, usd, seconds, why, formula }] of [
    ['all local', allLocal],
    ['all cloud', allCloud],
  ] as const) {
    const time = seconds === null ? '' : `, ${intervalText(seconds, (value) => `${Math.round(value)} s`)}`;
    const sum = usd === null ? `unknown: ${why ?? ''}` : bothInterval(usd, currency);
    const note = usd !== null && why !== null ? ` (${why})` : '';
    terminal.out(`${name} (${basis}): ${sum}${time}${note}\n`);
    terminal.out(terminal.colors.dim(`    ${seenWords(formula)}\n`));
  }
  const metered = total.localCalls - energy.unmeteredCalls;
  if (metered <= 0) return;
  const cost = energy.unpricedEnergyCalls > 0 ? '' : `, ${bothText(currency, energy.energyUsd)}`;
  const rest = energy.unmeteredCalls > 0 ? `; ${energy.unmeteredCalls} calls were not metered` : '';
  terminal.out(
    `electricity of local calls: ${energy.estimatedEnergyCalls > 0 ? 'about ' : ''}${energy.wattHours.toFixed(2)} Wh${cost}${rest}\n`,
  );
}

function rowLabel({ key, label }: CostRow): string {
  return oneLine(seenName(key === '' ? label : label === '' ? key : `${key} ${label}`), 60);
}

type Figures = CostTotals & Pick<CostRow, 'elsewhere' | 'energy'>;

function cells(name: string, totals: Figures, currency: Currency | null): readonly string[] {
  const { usage } = totals;
  return [
    name,
    String(totals.calls),
    String(totals.localCalls),
    String(totals.failedCalls),
    String(totals.cancelledCalls),
    `${usage.estimated ? '~' : ''}${promptTokensOf(usage)}`,
    String(usage.cacheRead),
    String(usage.output),
    moneyOf(totals, currency),
    elsewhereText(totals.elsewhere.allCloud, currency),
    elsewhereText(totals.elsewhere.allLocal, currency),
    energyText(totals),
  ];
}

/** `~` marks an estimate. The lines below the table have its interval and its formula. */
function elsewhereText({ usd, basis }: Elsewhere, currency: Currency | null): string {
  return usd === null ? '-' : `${basis === 'measured' ? '' : '~'}${bothText(currency, usd.value)}`;
}

/** `~`: estimated with the watts of the settings. `-`: no local call was metered. */
function energyText({ localCalls, energy }: Figures): string {
  const metered = localCalls - energy.unmeteredCalls;
  if (metered <= 0) return '-';
  return `${energy.estimatedEnergyCalls > 0 ? '~' : ''}${energy.wattHours.toFixed(2)}${energy.unmeteredCalls > 0 ? '+' : ''}`;
}

/** A sum that lacks calls with unknown prices says so, and is never a plain number. */
function moneyOf({ costUsd, unpricedCalls, calls }: CostTotals, currency: Currency | null): string {
  if (unpricedCalls === 0) return bothText(currency, costUsd);
  if (unpricedCalls === calls) return 'unpriced';
  return `at least ${bothText(currency, costUsd)} (${unpricedCalls} unpriced)`;
}
