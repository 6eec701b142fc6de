import { z } from 'zod';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { AppError } from '@shared/errors.ts';
import { bothText, type Currency } from '@shared/money/currency.ts';
import { moneyText } from '@shared/money/money-text.ts';
import {
  amountUsedUp,
  type AskedAgain,
  type CallAnswer,
  type ExpectedAgain,
  sumOfExpected,
  sumsOfAskedAgain,
} from '@shared/comparisons/asked-again.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { orNoted } from '../../../../lib/log.ts';
import { compare } from '../compare.command.ts';
import { shownCurrency } from '../../../text/shown-currency.ts';
import { numberOf } from '../../turn/compare-input.ts';
import { toReportedFailure, usageError } from '../../../text/report-failure.ts';
import { jsonLine, oneLine, pluralize, type Terminal } from '../../../text/terminal.ts';

export interface ReplayArguments {
  readonly on?: string;
  readonly since?: string;
  readonly maxUsd?: string;
  /** Does the task of the session anew, in place of asking its requests. */
  readonly run?: boolean;
  /** Says what it would take, and asks nothing. */
  readonly price?: boolean;
  readonly json?: boolean;
}

interface OneSession {
  readonly sessionId: string;
  readonly title: string;
  /** A turn of it runs now, so what it asks after this is not asked again. */
  readonly isWorking: boolean;
}

/** What came of one session of several. */
interface AskedSession extends OneSession {
  readonly rows: readonly AskedAgain[];
  /** Why it was not asked, or not to its end. Null: it was. */
  readonly why: string | null;
}

/**
 * Asks another model each recorded request of one session, or of several within one amount. No file is touched. Exits
 * with 1 if nothing was asked, and with 3 if a limit stopped it before the end.
 */
export const askAgain: Command<[readonly string[], ReplayArguments]> = async (context, ids, args) => {
  const { terminal, signal, now } = context;
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
  if (known.where === 'cloud' && maxUsd === null && args.price !== true) {
    throw usageError(
      `${model} may cost money. Say how much all of it may cost: --max-usd 0.50`,
      'What it would take: the same command with --price.',
    );
  }
  if (args.run === true && args.price === true) {
    throw usageError('--price says what asking would take. What a whole run takes is not known before it.');
  }
  if (args.run === true) return runAnew(context, ids, { model, where: known.where, args });
  const currency = await shownCurrency(client);
  const ask = { context, model, maxUsd, since, isJson: args.json === true, currency };
  const sessions = since === undefined ? await sessionsNamed(client, ids) : await sessionsSince(client, since);
  await showExpected(ask, sessions);
  if (args.price === true) return signal.aborted ? 130 : 0;
  const isOne = ids.length === 1;
  const asked = await askSessions(ask, sessions, { isCloud: known.where === 'cloud', isOne });
  if (!ask.isJson && !isOne) terminal.out(`${countText(asked)}\n`);
  const code = showAll(
    ask,
    asked.map(({ rows }) => rows),
  );
  showRest(ask, asked);
  if (signal.aborted) return exitCodes.cancelled;
  return asked.some(isCutByLimit) ? exitCodes.cap : code;
};

/** What asking would take, before anything is asked. A session that cannot be read says so when its turn comes. */
async function showExpected(ask: Ask, sessions: readonly OneSession[]): Promise<void> {
  const { context, model, since, maxUsd, isJson, currency } = ask;
  const { endpoint } = await context.core();
  const all: ExpectedAgain[] = [];
  for (const { sessionId } of sessions) {
    if (context.signal.aborted) return;
    const input = { sessionId, model, ...(since === undefined ? {} : { since }) };
    const one = await endpoint.expectAgain(input, { signal: context.signal }).catch(orNoted(unpricedNote, null));
    if (one !== null) all.push(one);
  }
  const expected = sumOfExpected(all);
  const { calls, promptTokens, outputTokens, costUsd, isSent } = expected;
  const unread = sessions.length - all.length;
  if (isJson)
    return context.terminal.out(jsonLine({ type: 'expected', sessions: sessions.length, unread, ...expected }));
  const many = `${pluralize(calls, 'call')} of ${pluralize(sessions.length, 'session')}`;
  const tokens = `${promptTokens.toLocaleString('en')} tokens to read and ${outputTokens.toLocaleString('en')} to write`;
  const price = !isSent
    ? 'on this machine'
    : costUsd === null
      ? 'price unknown'
      : `about ${bothText(currency, costUsd)} for as many tokens`;
  const isShort = isSent && costUsd !== null && maxUsd !== null && maxUsd < costUsd;
  const short = isShort ? `; ${moneyText(maxUsd)} may end it before that` : '';
  const left = unread === 0 ? '' : ` (${pluralize(unread, 'session')} cannot be read)`;
  context.terminal.err(`${many}${left}: ${tokens}, ${price}${short}\n`);
}

const unpricedNote = 'What asking a session again would take was not counted';

function isCutByLimit({ why, rows }: AskedSession): boolean {
  return why === amountUsedUp || rows.some(({ again }) => again.type === 'not-asked' && again.isLimit === true);
}

/** How to go on with what a limit or a stop left. */
function showRest({ context, model, maxUsd, isJson }: Ask, asked: readonly AskedSession[]): void {
  const left = asked.filter((one) => one.why === stopped || isCutByLimit(one)).map(({ sessionId }) => sessionId);
  if (left.length === 0 || isJson) return;
  // The same amount may again end it at the same call.
  const most = maxUsd === null ? '' : ` --max-usd ${asked.some(isCutByLimit) ? 'AMOUNT' : maxUsd}`;
  context.terminal.err(
    `Left: ${pluralize(left.length, 'session')}. Ask from the first call on: dewpoint replay ${left.join(' ')} --on ${model}${most}\n`,
  );
}

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
  const all = await client.sessions.list();
  return [...found].map((id) => {
    const entry = all.find(({ sessionId }) => sessionId === id);
    return entry === undefined ? { sessionId: id, title: '', isWorking: false } : oneSession(entry);
  });
}

const oneSession = ({ sessionId, title, status }: SessionSummary): OneSession => ({
  sessionId,
  title,
  isWorking: status === 'running',
});

/**
 * Latest first, archived ones and those of agents, too: all of them cost. Nobody knows when those were worked on that
 * cannot be read, so they are there and say why.
 */
async function sessionsSince(client: Core, since: number): Promise<readonly OneSession[]> {
  const all = await client.sessions.list();
  // The time of one that cannot be read is 0.
  return all.filter(({ updatedAt }) => updatedAt >= since || updatedAt === 0).map(oneSession);
}

interface Ask {
  readonly context: Parameters<typeof askAgain>[0];
  readonly model: string;
  readonly maxUsd: number | null;
  readonly since: number | undefined;
  readonly isJson: boolean;
  readonly currency: Currency | null;
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

const stopped = 'it was stopped';

/** One session after the other. One that fails does not stop the others; the amount and Ctrl-C do. */
async function askSessions(
  ask: Ask,
  sessions: readonly OneSession[],
  { isCloud, isOne }: { readonly isCloud: boolean; readonly isOne: boolean },
): Promise<readonly AskedSession[]> {
  const { terminal, signal } = ask.context;
  const all: AskedSession[] = [];
  let leftUsd = ask.maxUsd;
  for (const session of sessions) {
    const rows: AskedAgain[] = [];
    let why = signal.aborted ? stopped : isCloud && leftUsd !== null && leftUsd <= 0 ? amountUsedUp : null;
    try {
      if (why === null)
        for await (const row of rowsOf(ask, session, leftUsd)) {
          rows.push(row);
          // What a call of unknown cost took may be all that was left.
          if (leftUsd !== null) leftUsd -= row.again.costUsd ?? leftUsd;
          if (ask.isJson) terminal.out(jsonLine(isOne ? row : { sessionId: session.sessionId, ...row }));
          else if (isOne) terminal.out(`${rowText(row)}\n`);
        }
      // A stop ends the calls without an error.
      if (signal.aborted) why = stopped;
    } catch (error) {
      if (isOne && !signal.aborted) throw error;
      why = signal.aborted ? stopped : toReportedFailure(error).message;
    }
    const asked = { ...session, rows, why };
    all.push(asked);
    if (isOne) continue;
    if (ask.isJson) terminal.out(jsonLine({ type: 'session', ...asked, rows: undefined, ...sumsOfAskedAgain([rows]) }));
    else terminal.out(sessionText(asked, ask.currency));
  }
  return all;
}

function sessionText({ sessionId, title, isWorking, rows, why }: AskedSession, currency: Currency | null): string {
  const { asked, withTool, sameTarget, before, again } = sumsOfAskedAgain([rows]);
  const name = title === '' ? '' : `  ${oneLine(seenWords(title), 40)}`;
  const head = `${sessionId}${name}${isWorking ? ' (still working, so its calls until now)' : ''}:`;
  if (rows.length === 0)
    return `${head} ${why === null ? 'no model call with an answer' : `not asked: ${seenWords(why)}`}\n`;
  const same = withTool === 0 ? '' : `, same call ${sameTarget} of ${withTool}`;
  const money =
    asked === 0
      ? ''
      : `, ${bothText(currency, before.costUsd)} recorded, ${bothText(currency, again.costUsd)} asked again`;
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

function showAll({ context, isJson, currency }: Ask, sessions: readonly (readonly AskedAgain[])[]): number {
  const sums = sumsOfAskedAgain(sessions);
  if (isJson) context.terminal.out(jsonLine({ type: 'sums', ...sums }));
  else showSums(context.terminal, sums, currency);
  return sums.asked > 0 || sums.notAsked === 0 ? 0 : 1;
}

function showSums(terminal: Terminal, sums: ReturnType<typeof sumsOfAskedAgain>, currency: Currency | null): void {
  const { asked, notAsked, withTool, sameTool, sameTarget, toolShare, targetShare, lostUsd, before, again } = sums;
  if (asked + notAsked === 0) {
    terminal.err('There is no model call with an answer.\n');
    return;
  }
  terminal.out(`asked again: ${asked} of ${asked + notAsked} calls\n`);
  if (lostUsd !== 0) terminal.out(`tries without an answer: ${bothText(currency, lostUsd)}\n`);
  if (asked === 0) return;
  if (toolShare !== null && targetShare !== null) {
    terminal.out(`same tool: ${sameTool} of ${withTool} (${rangeText(toolShare)})\n`);
    terminal.out(`same tool and target: ${sameTarget} of ${withTool} (${rangeText(targetShare)})\n`);
  }
  for (const [name, { promptTokens, outputTokens, seconds, costUsd }] of [
    ['recorded', before],
    ['asked again', again],
  ] as const) {
    const money = bothText(currency, costUsd);
    terminal.out(`${name}: ${promptTokens} tokens read, ${outputTokens} written, ${seconds.toFixed(1)} s, ${money}\n`);
  }
}

function rangeText({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${Math.round(low * 100)}% to ${Math.round(high * 100)}%`;
}
