import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { amountUsedUp, type AskedAgain, type CallAnswer, sumsOfAskedAgain } from '@shared/comparisons/asked-again.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { compare } from '../compare.command.ts';
import { numberOf } from '../../turn/compare-input.ts';
import { toReportedFailure, usageError } from '../../../text/report-failure.ts';
import { jsonLine, oneLine, pluralize, type Terminal } from '../../../text/terminal.ts';

export interface ReplayArguments {
  readonly on?: string;
  readonly since?: string;
  readonly maxUsd?: string;
  /** Does the task of the session anew, in place of asking its requests. */
  readonly run?: boolean;
  readonly json?: boolean;
}

interface OneSession {
  readonly sessionId: string;
  readonly title: string;
}

/** What came of one session of several. */
interface AskedSession extends OneSession {
  readonly rows: readonly AskedAgain[];
  /** Why it was not asked, or not to its end. Null: it was. */
  readonly why: string | null;
}

/**
 * Asks another model each recorded request of one session, or of several within one amount. No file is touched. Exits
 * with 1 if it was asked nothing.
 */
export const askAgain: Command<[readonly string[], ReplayArguments]> = async (context, ids, args) => {
  const { terminal, now } = context;
  if (ids.length > 0 === (args.since !== undefined)) {
    throw usageError('Name the sessions, or give --since, such as --since 7d for those of the last week.');
  }
  const since = args.since === undefined ? undefined : sinceOf(args.since, now());
  const client = await context.core();
  const model = args.on ?? '';
  const maxUsd = args.maxUsd === undefined ? null : numberOf('max-usd', args.maxUsd);
  const known = (await client.models.list()).find((one) => one.id === model);
  if (known === undefined) {
    throw new AppError('not-found', `The model "${model}" was not found.`, { hint: 'dewpoint models list' });
  }
  if (known.where === 'cloud' && maxUsd === null) {
    throw usageError(`${model} may cost money. Say how much all of it may cost: --max-usd 0.50`);
  }
  if (args.run === true) return runAnew(context, ids, { model, where: known.where, args });
  const ask = { context, model, maxUsd, since, isJson: args.json === true };
  const sessions = since === undefined ? await sessionsNamed(client, ids) : await sessionsSince(client, since);
  const [only] = sessions;
  if (ids.length === 1 && only !== undefined) {
    const rows: AskedAgain[] = [];
    for await (const row of rowsOf(ask, only, maxUsd)) {
      rows.push(row);
      terminal.out(ask.isJson ? jsonLine(row) : `${rowText(row)}\n`);
    }
    return showAll(terminal, [rows], ask.isJson);
  }
  const asked = await askSessions(ask, sessions, known.where === 'cloud');
  if (!ask.isJson) terminal.out(`${countText(asked)}\n`);
  return showAll(
    terminal,
    asked.map(({ rows }) => rows),
    ask.isJson,
  );
};

/** The first message of a session anew, on the files as they were before it, in a copy. */
async function runAnew(
  context: Parameters<typeof askAgain>[0],
  ids: readonly string[],
  { model, where, args }: { readonly model: string; readonly where: 'local' | 'cloud'; readonly args: ReplayArguments },
): Promise<number> {
  const [session, ...more] = ids;
  if (session === undefined || more.length > 0) {
    throw usageError('--run does the task of one session. For several: dewpoint compare --sessions A,B');
  }
  const { maxUsd, json } = args;
  return compare(context, undefined, {
    sessions: session,
    way: [`${where}:${model}`],
    onlyFirstFiles: true,
    ...(maxUsd === undefined ? {} : { maxUsd }),
    ...(json === undefined ? {} : { json }),
  });
}

/** 7d, 12h, or a day. Throws `usage` for anything else. */
function sinceOf(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,4})([dh])$/u.exec(text) ?? [];
  if (count !== undefined) return Math.max(0, now - Number(count) * (unit === 'h' ? 3_600_000 : 86_400_000));
  // Midnight in the local time zone.
  if (z.iso.date().safeParse(text).success) return new Date(`${text}T00:00:00`).getTime();
  throw usageError(`--since takes 7d, 12h or a date like 2026-11-21, not "${text}".`);
}

type Core = Awaited<ReturnType<Parameters<typeof askAgain>[0]['core']>>;

async function sessionsNamed(client: Core, ids: readonly string[]): Promise<readonly OneSession[]> {
  const found = new Set<string>();
  for (const id of ids) found.add((await client.sessions.find({ id })).sessionId);
  const titles = new Map((await client.sessions.list()).map(({ sessionId, title }) => [sessionId, title]));
  return [...found].map((sessionId) => ({ sessionId, title: titles.get(sessionId) ?? '' }));
}

/** Latest first, archived ones and those of agents, too: all of them cost. */
async function sessionsSince(client: Core, since: number): Promise<readonly OneSession[]> {
  return (await client.sessions.list()).filter(({ updatedAt }) => updatedAt >= since);
}

interface Ask {
  readonly context: Parameters<typeof askAgain>[0];
  readonly model: string;
  readonly maxUsd: number | null;
  readonly since: number | undefined;
  readonly isJson: boolean;
}

async function* rowsOf(
  { context, model, since }: Ask,
  { sessionId }: OneSession,
  maxUsd: number | null,
): AsyncGenerator<AskedAgain> {
  const client = await context.core();
  const input = { sessionId, model, maxUsd, ...(since === undefined ? {} : { since }) };
  yield* await client.endpoint.askAgain(input, { signal: context.signal });
}

/** One session after the other. One that fails does not stop the others; the amount does. */
async function askSessions(
  ask: Ask,
  sessions: readonly OneSession[],
  costs: boolean,
): Promise<readonly AskedSession[]> {
  const { terminal, signal } = ask.context;
  const all: AskedSession[] = [];
  let leftUsd = ask.maxUsd;
  for (const session of sessions) {
    const rows: AskedAgain[] = [];
    let why = costs && leftUsd !== null && leftUsd <= 0 ? amountUsedUp : null;
    try {
      if (why === null)
        for await (const row of rowsOf(ask, session, leftUsd)) {
          rows.push(row);
          // What a call of unknown cost took may be all that was left.
          if (leftUsd !== null) leftUsd -= row.again.costUsd ?? leftUsd;
          if (ask.isJson) terminal.out(jsonLine({ sessionId: session.sessionId, ...row }));
        }
    } catch (error) {
      if (signal.aborted) throw error;
      why = toReportedFailure(error).message;
    }
    const asked = { sessionId: session.sessionId, title: session.title, rows, why };
    all.push(asked);
    if (ask.isJson) terminal.out(jsonLine({ type: 'session', ...asked, rows: undefined, ...sumsOfAskedAgain([rows]) }));
    else terminal.out(sessionText(asked));
  }
  return all;
}

function sessionText({ sessionId, title, rows, why }: AskedSession): string {
  const { asked, withTool, sameTarget, before, again } = sumsOfAskedAgain([rows]);
  const head = `${sessionId}${title === '' ? '' : `  ${oneLine(seenWords(title), 40)}`}:`;
  if (rows.length === 0)
    return `${head} ${why === null ? 'no model call with an answer' : `not asked: ${seenWords(why)}`}\n`;
  const same = withTool === 0 ? '' : `, same call ${sameTarget} of ${withTool}`;
  const money = asked === 0 ? '' : `, ${priceText(before.costUsd)} recorded, ${priceText(again.costUsd)} asked again`;
  const reasons = new Map<string, number>();
  for (const {
    again: { type, ...one },
  } of rows) {
    if (type === 'not-asked' && 'why' in one) reasons.set(one.why, (reasons.get(one.why) ?? 0) + 1);
  }
  const left = [...reasons].map(([reason, count]) => `  ${pluralize(count, 'call')} not asked: ${seenWords(reason)}\n`);
  const stopped = why === null ? '' : `  stopped: ${seenWords(why)}\n`;
  return `${head} asked ${asked} of ${pluralize(rows.length, 'call')}${same}${money}\n${left.join('')}${stopped}`;
}

function countText(sessions: readonly AskedSession[]): string {
  const isPart = ({ why, rows }: AskedSession): boolean =>
    why !== null || rows.some(({ again }) => again.type === 'not-asked');
  const asked = sessions.filter(({ rows }) => rows.some(({ again }) => again.type === 'answered')).length;
  const parts = sessions.filter(isPart).length;
  const left = `; not all of ${pluralize(parts, 'session')} was asked, so the sums are those of the rest`;
  return `sessions asked again: ${asked} of ${sessions.length}${parts === 0 ? '' : left}`;
}

const agreements = {
  target: 'the same',
  tool: 'same tool, other target',
  words: 'words, too',
  other: 'differs',
} as const;

function rowText({ step, purpose, before, again }: AskedAgain): string {
  const head = `step ${step}, ${purpose}: ${didText(before)}`;
  if (again.type === 'not-asked') return `${head} | not asked: ${seenWords(again.why)}`;
  return `${head} | ${agreements[again.agreement]}${again.agreement === 'other' || again.agreement === 'tool' ? `: ${didText(again)}` : ''}`;
}

function didText({ tool, target }: Pick<CallAnswer, 'tool' | 'target'>): string {
  return tool === null ? 'words' : `${seenName(tool)} ${oneLine(seenWords(target ?? ''), 60)}`.trim();
}

function showAll(terminal: Terminal, sessions: readonly (readonly AskedAgain[])[], isJson: boolean): number {
  const sums = sumsOfAskedAgain(sessions);
  if (isJson) terminal.out(jsonLine({ type: 'sums', ...sums }));
  else showSums(terminal, sums);
  return sums.asked > 0 || sums.notAsked === 0 ? 0 : 1;
}

function showSums(terminal: Terminal, sums: ReturnType<typeof sumsOfAskedAgain>): void {
  const { asked, notAsked, withTool, sameTool, sameTarget, toolShare, targetShare, lostUsd, before, again } = sums;
  if (asked + notAsked === 0) {
    terminal.err('There is no model call with an answer.\n');
    return;
  }
  terminal.out(`asked again: ${asked} of ${asked + notAsked} calls\n`);
  if (lostUsd !== 0) terminal.out(`tries without an answer: ${priceText(lostUsd)}\n`);
  if (asked === 0) return;
  if (toolShare !== null && targetShare !== null) {
    terminal.out(`same tool: ${sameTool} of ${withTool} (${rangeText(toolShare)})\n`);
    terminal.out(`same tool and target: ${sameTarget} of ${withTool} (${rangeText(targetShare)})\n`);
  }
  for (const [name, { promptTokens, outputTokens, seconds, costUsd }] of [
    ['recorded', before],
    ['asked again', again],
  ] as const) {
    const money = priceText(costUsd);
    terminal.out(`${name}: ${promptTokens} tokens read, ${outputTokens} written, ${seconds.toFixed(1)} s, ${money}\n`);
  }
}

const priceText = (usd: number | null): string => (usd === null ? 'unpriced' : moneyText(usd));

function rangeText({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${Math.round(low * 100)}% to ${Math.round(high * 100)}%`;
}
