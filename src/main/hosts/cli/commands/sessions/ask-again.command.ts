import { z } from 'zod';
import type { AgainInput } from '@shared/contract/endpoint-contract.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { AppError, type Failure } from '@shared/errors.ts';
import { bothText, type Currency } from '@shared/money/currency.ts';
import { aboutUsd, moneyText } from '@shared/money/money-text.ts';
import {
  type AgainPush,
  amountUsedUp,
  type AskedAgain,
  askedSessions,
  type AskedSession,
  type CallAnswer,
  type ExpectedAgain,
  sumsOfAskedAgain,
} from '@shared/comparisons/asked-again.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { compare } from '../compare.command.ts';
import { shownCurrency } from '../../../text/shown-currency.ts';
import { numberOf } from '../../turn/compare-input.ts';
import { usageError } from '../../../text/report-failure.ts';
import { jsonLine, oneLine, pluralize, type Terminal } from '../../../text/terminal.ts';

export interface ReplayArguments {
  readonly on?: string;
  readonly since?: string;
  readonly maxUsd?: string;
  /** Does the task of the session anew, in place of asking its requests. */
  readonly run?: boolean;
  /** Says what it would take, and asks nothing. */
  readonly price?: boolean;
  /** Asks only what the model did not answer before. */
  readonly resume?: boolean;
  readonly json?: boolean;
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
  if (args.run === true && (args.price === true || args.resume === true)) {
    throw usageError('--price and --resume are for requests that are asked again, not for --run.');
  }
  if (args.run === true) return runAnew(context, ids, { model, where: known.where, args });
  const currency = await shownCurrency(client);
  const which = since === undefined ? { sessionIds: await idsNamed(client, ids) } : { since };
  const input = { which, model, isResuming: args.resume === true };
  const ask: Ask = { context, input, maxUsd, isJson: args.json === true, isOne: ids.length === 1, currency };
  const expected = await client.endpoint.expectAgain(input, { signal }).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (expected === null) return exitCodes.cancelled;
  showExpected(ask, expected);
  if (args.price === true) return 0;
  const asked = await askSessions(ask);
  if (!ask.isJson && !ask.isOne) terminal.out(`${countText(asked, expected.sessions)}\n`);
  const hasCalls = expected.calls + expected.kept > 0;
  const code = showAll(ask, asked, hasCalls);
  const left = expected.sessions - asked.filter(({ isCut }) => !isCut).length;
  if (left > 0 && !ask.isJson) showRest(ask, left, args.since === undefined ? ids.join(' ') : `--since ${args.since}`);
  if (signal.aborted) return exitCodes.cancelled;
  if (asked.some(({ isCut, failure }) => isCut && failure !== null)) return 1;
  return left > 0 ? exitCodes.cap : code;
};

/** What asking would take, before anything is asked. A session that cannot be read says so when its turn comes. */
function showExpected({ context, input, maxUsd, isJson, currency }: Ask, expected: ExpectedAgain): void {
  if (isJson) return context.terminal.out(jsonLine({ type: 'expected', ...expected }));
  const { sessions, unread, kept, calls, promptTokens, outputTokens, costUsd, batchUsd, isSent } = expected;
  const many = `${pluralize(calls, 'call')} of ${pluralize(sessions, 'session')}`;
  const tokens = `${promptTokens.toLocaleString('en')} tokens to read and ${outputTokens.toLocaleString('en')} to write`;
  const batch =
    batchUsd === null ? '' : ` (${bothText(currency, batchUsd)} at its batch rate, which Dewpoint does not use)`;
  const price = !isSent
    ? 'on this machine'
    : costUsd === null
      ? 'price unknown'
      : `about ${bothText(currency, aboutUsd(costUsd))} for as many tokens${batch}`;
  const isShort = isSent && costUsd !== null && maxUsd !== null && maxUsd < costUsd;
  const short = isShort ? `; ${moneyText(maxUsd)} may end it before that` : '';
  const left = unread === 0 ? '' : ` (${pluralize(unread, 'session')} cannot be read)`;
  context.terminal.err(`${many}${left}: ${tokens}, ${price}${short}\n`);
  if (kept === 0) return;
  const known = `This model answered ${pluralize(kept, 'call')} before`;
  context.terminal.err(
    `${known}${input.isResuming ? ', which are not asked again' : '. To ask only the rest: --resume'}\n`,
  );
}

/** How to resume what a limit or a stop left. */
function showRest({ context, input, maxUsd }: Ask, left: number, which: string): void {
  // The same amount may again end it at the same call.
  const most = maxUsd === null ? '' : ` --max-usd ${context.signal.aborted ? maxUsd : 'AMOUNT'}`;
  context.terminal.err(
    `Left: ${pluralize(left, 'session')}. What was answered is not asked again: dewpoint replay ${which} --on ${input.model}${most} --resume\n`,
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
  if (z.iso.date().safeParse(text).success) return Math.max(0, new Date(`${text}T00:00:00`).getTime());
  throw usageError(`--since takes 7d, 12h or a date like 2026-11-21, not "${text}".`);
}

type Core = Awaited<ReturnType<Parameters<typeof askAgain>[0]['core']>>;

async function idsNamed(client: Core, ids: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const id of ids) found.add((await client.sessions.find({ id })).sessionId);
  return [...found];
}

interface Ask {
  readonly context: Parameters<typeof askAgain>[0];
  readonly input: AgainInput;
  readonly maxUsd: number | null;
  readonly isJson: boolean;
  /** A single session was named, so its rows are shown. */
  readonly isOne: boolean;
  readonly currency: Currency | null;
}

/** Shows what comes, as it comes. */
async function askSessions(ask: Ask): Promise<readonly AskedSession[]> {
  const { context, input, maxUsd, isJson, isOne } = ask;
  const { terminal, signal } = context;
  const client = await context.core();
  const listed = new Map((await client.sessions.list()).map((one) => [one.sessionId, one]));
  const all: AskedSession[] = [];
  let pushes: AgainPush[] = [];
  const end = (why: string | null): void => {
    const [asked] = askedSessions(pushes);
    pushes = [];
    if (asked === undefined) return;
    all.push(asked);
    const summary = listed.get(asked.sessionId);
    if (isJson && !isOne) terminal.out(sessionLine(asked, why, summary));
    else if (!isOne) terminal.out(sessionText(asked, { why, summary, currency: ask.currency }));
  };
  try {
    for await (const push of await client.endpoint.askAgain({ ...input, maxUsd }, { signal })) {
      pushes.push(push);
      if (push.type === 'call') {
        const { sessionId, row } = push;
        if (isJson) terminal.out(jsonLine(isOne ? row : { sessionId, ...row }));
        else if (isOne) terminal.out(`${rowText(row)}\n`);
        continue;
      }
      const { failure, isCut } = push;
      if (isOne && failure !== null) throw failedAs(failure);
      end(failure?.message ?? (isCut ? amountUsedUp : null));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  // A stop ends the calls without an end of their session.
  end('it was stopped');
  return all;
}

const failedAs = ({ code, message, hint }: Failure): AppError =>
  new AppError(code, message, hint === undefined ? {} : { hint });

function sessionLine(
  { sessionId, rows }: AskedSession,
  why: string | null,
  summary: SessionSummary | undefined,
): string {
  const about = { sessionId, title: summary?.title ?? '', isWorking: summary?.status === 'running', why };
  return jsonLine({ type: 'session', ...about, ...sumsOfAskedAgain([rows]) });
}

interface SessionAbout {
  /** Why not all of it was asked. Null: all was. */
  readonly why: string | null;
  readonly summary: SessionSummary | undefined;
  readonly currency: Currency | null;
}

function sessionText({ sessionId, rows }: AskedSession, { why, summary, currency }: SessionAbout): string {
  const title = summary?.title ?? '';
  // A turn of it runs now, so what it asks after this is not asked again.
  const isWorking = summary?.status === 'running';
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

function countText(sessions: readonly AskedSession[], count: number): string {
  const isPart = ({ failure, isCut, rows }: AskedSession): boolean =>
    isCut || failure !== null || rows.some(({ again }) => again.type === 'not-asked');
  const asked = sessions.filter(({ rows }) => rows.some(({ again }) => again.type === 'answered')).length;
  const parts = sessions.filter(isPart).length + count - sessions.length;
  const left = `; not all of ${pluralize(parts, 'session')} was asked, so the sums are those of the rest`;
  return `sessions asked again: ${asked} of ${count}${parts === 0 ? '' : left}`;
}

const agreements = {
  target: 'the same',
  tool: 'same tool, other target',
  words: 'words, too',
  other: 'differs',
} as const;

function rowText({ step, purpose, before, again, isKept }: AskedAgain): string {
  const head = `step ${step}, ${purpose}: ${didText(before)}`;
  if (again.type === 'not-asked') return `${head} | not asked: ${seenWords(again.why)}`;
  const kept = isKept === true ? ' (answered before)' : '';
  return `${head} | ${agreements[again.agreement]}${kept}${again.agreement === 'other' || again.agreement === 'tool' ? `: ${didText(again)}` : ''}`;
}

function didText({ tool, target }: Pick<CallAnswer, 'tool' | 'target'>): string {
  return tool === null ? 'words' : `${seenName(tool)} ${oneLine(seenWords(target ?? ''), 60)}`.trim();
}

function showAll({ context, isJson, currency }: Ask, asked: readonly AskedSession[], hasCalls: boolean): number {
  const sums = sumsOfAskedAgain(asked.map(({ rows }) => rows));
  if (isJson) context.terminal.out(jsonLine({ type: 'sums', ...sums }));
  else if (sums.asked + sums.notAsked === 0 && hasCalls) context.terminal.err('Nothing was asked.\n');
  else showSums(context.terminal, sums, currency);
  return sums.asked > 0 || (sums.notAsked === 0 && !hasCalls) ? 0 : 1;
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
