import { moneyText } from '@shared/money/money-text.ts';
import { durationText } from '@shared/text/duration-text.ts';
import type { Tool } from '../define.ts';
import type { EarlierCalls } from './program-calls.ts';
import type { Announcement } from './program-announcement.ts';

type Announced = Pick<Announcement['entries'][number], 'tool' | 'most' | 'hosts'>;

/** More tools than these are summed up, so that the question stays short. */
const mostRows = 12;

/**
 * What the announced calls would take at most, one row for each tool and one for all. Times and costs are those of
 * earlier calls in the log. Without such calls they are unknown.
 */
export function estimateRows(
  entries: readonly Announced[],
  earlier: ReadonlyMap<string, EarlierCalls>,
  limitMs: number,
): readonly string[] {
  const each = entries.map((entry) => estimateOf(entry, earlier.get(entry.tool.name)));
  const left = each.length - mostRows;
  return [
    'What its calls would take, by earlier calls of this session:',
    ...each.slice(0, mostRows).map(rowOf),
    ...(left > 0 ? [`- and ${left} more tools`] : []),
    `All calls: at most ${each.reduce((sum, { most }) => sum + most, 0)}, ${timeOfAll(each)}. Money: ${moneyOfAll(each)}.`,
    `The program is stopped after ${durationText(limitMs)}.`,
  ];
}

interface Estimate extends Pick<Announced, 'tool' | 'most'> {
  /** The middle time of the earlier calls; null: unknown. */
  readonly eachMs: number | null;
  readonly calls: number;
  /** What models cost that the tool's server asked, for each call; null: unknown or no such model. */
  readonly eachUsd: number | null;
  /** A service that is not Dewpoint's may charge for the call. */
  readonly mayCost: boolean;
}

function estimateOf({ tool, most, hosts }: Announced, earlier: EarlierCalls | undefined): Estimate {
  const { ms = [], modelUsd = null } = earlier ?? {};
  const mayCost = tool.access === 'network' || tool.needs === 'web' || hosts.length > 0;
  return { tool, most, mayCost, calls: ms.length, eachMs: middleOf(ms), eachUsd: modelUsd };
}

function middleOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

function rowOf(one: Estimate): string {
  const { tool, most, eachMs, calls } = one;
  const time =
    eachMs === null ? 'time unknown' : `${timeText(eachMs)} each (${calls} earlier), ${timeText(eachMs * most)} in all`;
  return `- ${tool.name}, ${kindOf(tool)}: at most ${most}, ${time}. Money: ${moneyOf(one)}.`;
}

/** A short time is not shown as 0. */
function timeText(ms: number): string {
  return ms < 100 ? 'under 0.1 s' : durationText(ms);
}

function kindOf({ access, connected, needs }: Tool): string {
  if (connected !== undefined) return `of ${connected.server}`;
  if (needs === 'web' || access === 'web' || access === 'network') return 'reaches the web';
  if (access === 'execute') return 'runs commands';
  return access === 'write' ? 'changes files' : 'reads';
}

/** What a service charges is never known here, only what the models cost that it asked for. */
function moneyOf({ mayCost, eachUsd, most }: Estimate): string {
  if (!mayCost) return 'none';
  return eachUsd === null ? 'unknown' : `${moneyText(eachUsd * most)} for models that its server asks, else unknown`;
}

function timeOfAll(each: readonly Estimate[]): string {
  const known = each.filter(({ eachMs }) => eachMs !== null);
  if (known.length === 0) return 'time unknown';
  const ms = known.reduce((sum, { eachMs, most }) => sum + (eachMs ?? 0) * most, 0);
  const rest = known.length === each.length ? '' : ' and an unknown time for the others';
  return `${timeText(ms)} one after the other${rest}`;
}

function moneyOfAll(each: readonly Estimate[]): string {
  const paid = each.filter(({ mayCost }) => mayCost);
  if (paid.length === 0) return 'none';
  const known = paid.filter(({ eachUsd }) => eachUsd !== null);
  if (known.length === 0) return 'unknown';
  return `at least ${moneyText(known.reduce((sum, { eachUsd, most }) => sum + (eachUsd ?? 0) * most, 0))}, else unknown`;
}
