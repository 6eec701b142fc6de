import type { Failure } from '@shared/errors.ts';
import type { Interval } from '@shared/money/counterfactual.ts';
import { groupedShareInterval } from './intervals.ts';

/** What a model did with one request. */
export interface CallAnswer {
  /** `PROVIDER/MODEL`. */
  readonly model: string;
  /** The tool that it called first. Null: it answered in words. */
  readonly tool: string | null;
  /** What that call is about: its path, or else its whole input, as JSON. Null: it called none. */
  readonly target: string | null;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly seconds: number;
  /** US dollars. Null: its price is unknown. */
  readonly costUsd: number | null;
}

/**
 * One recorded call, asked anew. `agreement`: both called the same tool for the same target, the same tool, both
 * answered in words, or neither of these.
 */
export interface AskedAgain {
  readonly step: number;
  readonly purpose: string;
  /** The model gave this answer in an earlier replay that was cut. It was not asked now, and what it called it for is unknown. */
  readonly isKept?: boolean;
  readonly before: CallAnswer;
  readonly again:
    | ({ readonly type: 'answered'; readonly agreement: 'target' | 'tool' | 'words' | 'other' } & CallAnswer)
    /** `costUsd`: what a try cost that gave no answer. Null: unknown. `isLimit`: a spending limit left too little. */
    | {
        readonly type: 'not-asked';
        readonly why: string;
        readonly costUsd: number | null;
        readonly isLimit?: boolean;
      };
}

/** What comes of asking several sessions, in order. The last push of each session is `session`. */
export type AgainPush =
  | { readonly type: 'call'; readonly sessionId: string; readonly row: AskedAgain }
  /** `failure`: why nothing more of it was asked. Null: all of it was asked, or a limit cut it. */
  | { readonly type: 'session'; readonly sessionId: string; readonly failure: Failure | null; readonly isCut: boolean };

/** One session of several, and what came of it. */
export interface AskedSession {
  readonly sessionId: string;
  readonly rows: readonly AskedAgain[];
  readonly failure: Failure | null;
  /** A stop or a limit left requests of it. */
  readonly isCut: boolean;
}

/** The sessions that were begun, with what came of each. One without an end was stopped. */
export function askedSessions(pushes: readonly AgainPush[]): readonly AskedSession[] {
  const found = new Map<string, { rows: AskedAgain[]; failure: Failure | null; isCut: boolean }>();
  for (const push of pushes) {
    const one = found.get(push.sessionId) ?? { rows: [], failure: null, isCut: true };
    found.set(push.sessionId, one);
    if (push.type === 'call') one.rows.push(push.row);
    else Object.assign(one, { failure: push.failure, isCut: push.isCut });
  }
  return [...found].map(([sessionId, one]) => ({ sessionId, ...one }));
}

/** What asking again would take. */
export interface ExpectedAgain {
  readonly sessions: number;
  /** Sessions that cannot be read. */
  readonly unread: number;
  /** Requests that the model answered before. Resuming does not ask them. */
  readonly kept: number;
  /** Requests that it would be asked. */
  readonly calls: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** US dollars, as if the service had read nothing before. Null: the price of the model is unknown. */
  readonly costUsd: number | null;
  /** The same at the batch rate of the service, which Dewpoint does not use. Null: none is known. */
  readonly batchUsd: number | null;
  /** Whether the requests leave this machine. */
  readonly isSent: boolean;
}

/** Why a call was not asked when the limit was reached before it. */
export const amountUsedUp = 'the amount is used up';

export function compareAnswers(
  before: Pick<CallAnswer, 'tool' | 'target'>,
  again: Pick<CallAnswer, 'tool' | 'target'>,
): 'target' | 'tool' | 'words' | 'other' {
  if (before.tool !== again.tool) return 'other';
  if (before.tool === null) return 'words';
  return before.target === again.target ? 'target' : 'tool';
}

export interface AskedAgainSums {
  readonly asked: number;
  readonly notAsked: number;
  /** Of the calls that were asked again: called the same tool, and for the same target. Only where a tool was called. */
  readonly withTool: number;
  readonly sameTool: number;
  readonly sameTarget: number;
  /** Their shares, with 95 % intervals that know that calls of one session resemble each other. Null: no tool was called. */
  readonly toolShare: Interval | null;
  readonly targetShare: Interval | null;
  /** What tries cost that gave no answer. Null: unknown. */
  readonly lostUsd: number | null;
  readonly before: Sums;
  readonly again: Sums;
}

interface Sums {
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly seconds: number;
  /** Null: a price is unknown. */
  readonly costUsd: number | null;
}

/** Sums over the calls of sessions that were asked again; the others count in neither. */
export function sumsOfAskedAgain(sessions: readonly (readonly AskedAgain[])[]): AskedAgainSums {
  const calls = sessions.flat();
  const pairs = calls.flatMap(({ before, again }) => (again.type === 'answered' ? [{ before, again }] : []));
  const counts = sessions.map(countTools);
  const sum = (of: (one: ToolCounts) => number): number => counts.reduce((total, one) => total + of(one), 0);
  const withTool = sum((one) => one.withTool);
  const share = (hits: (one: ToolCounts) => number): Interval | null =>
    withTool === 0 ? null : groupedShareInterval(counts.map((one) => ({ hits: hits(one), count: one.withTool })));
  const lost = calls.flatMap(({ again }) => (again.type === 'not-asked' ? [again] : []));
  return {
    asked: pairs.length,
    notAsked: calls.length - pairs.length,
    withTool,
    sameTool: sum((one) => one.sameTool),
    sameTarget: sum((one) => one.sameTarget),
    toolShare: share((one) => one.sameTool),
    targetShare: share((one) => one.sameTarget),
    lostUsd: moneyOf(lost),
    before: sumOf(pairs.map(({ before }) => before)),
    again: sumOf(pairs.map(({ again }) => again)),
  };
}

type ToolCounts = Pick<AskedAgainSums, 'withTool' | 'sameTool' | 'sameTarget'>;

function countTools(calls: readonly AskedAgain[]): ToolCounts {
  const found = calls.flatMap(({ before, again }) =>
    again.type === 'answered' && before.tool !== null ? [again.agreement] : [],
  );
  const sameTarget = found.filter((one) => one === 'target').length;
  return {
    withTool: found.length,
    sameTool: sameTarget + found.filter((one) => one === 'tool').length,
    sameTarget,
  };
}

function moneyOf(answers: readonly Pick<CallAnswer, 'costUsd'>[]): number | null {
  if (answers.some(({ costUsd }) => costUsd === null)) return null;
  return answers.reduce((total, { costUsd }) => total + (costUsd ?? 0), 0);
}

function sumOf(answers: readonly CallAnswer[]): Sums {
  const sum = (of: (answer: CallAnswer) => number): number => answers.reduce((total, one) => total + of(one), 0);
  return {
    promptTokens: sum(({ promptTokens }) => promptTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    seconds: sum(({ seconds }) => seconds),
    costUsd: moneyOf(answers),
  };
}
