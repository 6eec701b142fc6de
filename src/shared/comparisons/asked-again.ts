import type { Interval } from '@shared/money/counterfactual.ts';
import { shareInterval } from './intervals.ts';

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
  readonly before: CallAnswer;
  readonly again:
    | ({ readonly type: 'answered'; readonly agreement: 'target' | 'tool' | 'words' | 'other' } & CallAnswer)
    /** `costUsd`: what a try cost that gave no answer. Null: unknown. */
    | { readonly type: 'not-asked'; readonly why: string; readonly costUsd: number | null };
}

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
  /** The share with the same tool, with Wilson's 95 % interval. Null: no tool was called. */
  readonly toolShare: Interval | null;
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

/** Sums over the calls that were asked again; the others count in neither. */
export function sumsOfAskedAgain(calls: readonly AskedAgain[]): AskedAgainSums {
  const pairs = calls.flatMap(({ before, again }) => (again.type === 'answered' ? [{ before, again }] : []));
  const withTool = pairs.filter(({ before }) => before.tool !== null);
  const sameTarget = withTool.filter(({ again }) => again.agreement === 'target').length;
  const sameTool = sameTarget + withTool.filter(({ again }) => again.agreement === 'tool').length;
  return {
    asked: pairs.length,
    notAsked: calls.length - pairs.length,
    withTool: withTool.length,
    sameTool,
    sameTarget,
    toolShare: withTool.length === 0 ? null : shareInterval(sameTool, withTool.length),
    before: sumOf(pairs.map(({ before }) => before)),
    again: sumOf(pairs.map(({ again }) => again)),
  };
}

function sumOf(answers: readonly CallAnswer[]): Sums {
  const sum = (of: (answer: CallAnswer) => number): number => answers.reduce((total, one) => total + of(one), 0);
  return {
    promptTokens: sum(({ promptTokens }) => promptTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    seconds: sum(({ seconds }) => seconds),
    costUsd: answers.some(({ costUsd }) => costUsd === null) ? null : sum(({ costUsd }) => costUsd ?? 0),
  };
}
