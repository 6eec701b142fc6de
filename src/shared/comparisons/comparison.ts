import { z } from 'zod';
import type { Interval } from '@shared/money/counterfactual.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import type { RunStatus } from '@shared/session/run-options.ts';
import { routeRuleSchema } from '@shared/routing/route-rules.ts';
import { routingSchema } from '@shared/routing/routing.ts';
import { runLimitsSchema } from '@shared/session/run-limits.ts';
import { knownAnswerSchema } from '@shared/calibration/known-answer.ts';
import { falseAnswerSchema } from '@shared/sandbox/false-answer.ts';
import { waySchema, type Way } from './way.ts';
import { eachWay, wayName } from './way-name.ts';

/** In characters. */
export const longestTask = 1_048_576;

const testNamesSchema = z.array(z.string().max(2000)).max(20_000);

/**
 * Decides "solved" in place of a check, which then is only what the agent sees. The files of its folder are laid over the
 * copy when the run has ended, so no agent sees them. Before that, the files that a test runner loads by itself are set
 * back to what they were.
 */
export const hiddenCheckSchema = z.object({
  command: z.string().min(1),
  projectPath: z.string().min(1).optional(),
  /**
   * The tests that the command runs, by name: those that the task asks for, and those that passed before any work.
   * `runner`: the command without names.
   */
  tests: z.object({ runner: z.string().min(1), asked: testNamesSchema, kept: testNamesSchema }).optional(),
});

/** One of the tasks that every way does. */
export const comparisonTaskSchema = z.object({
  /** What the tables call it. */
  name: z.string().min(1).max(200),
  text: z.string().min(1).max(longestTask),
  /** The command that decides "solved", run in the sandbox after each run. Absent: that of the comparison. */
  check: z.string().min(1).max(10_000).optional(),
  /**
   * The session that it is taken from: its runs start from the files as they were before its first message. Absent: from
   * the project as it is. `orNow`: also where those files cannot be had, and `note` then says why.
   */
  from: z.object({ sessionId: z.string().min(1).max(200), orNow: z.boolean() }).optional(),
  /** Its runs start from the files of this folder, with packages of the project that the folder lacks. */
  start: z
    .object({ projectPath: z.string().min(1), packages: z.array(z.string().max(4096)).max(1000).default([]) })
    .optional(),
  hidden: hiddenCheckSchema.optional(),
  /** Decides "solved" for a question: no command does. */
  answer: knownAnswerSchema.optional(),
  /** An experiment, which the person asked for. */
  falseAnswer: falseAnswerSchema.optional(),
  /** A hash of what the task consists of, so that a task that was changed is another one. */
  state: z.string().max(100).optional(),
  /** How the files that its runs start from differ from what they were. Dewpoint writes it. */
  note: z.string().max(2000).optional(),
});
export type ComparisonTask = z.infer<typeof comparisonTaskSchema>;

/** Tasks that several ways do, each run in its own copy of the same project state. */
export const comparisonInputSchema = z.object({
  projectPath: z.string().min(1),
  tasks: z.array(comparisonTaskSchema).min(1).max(200),
  ways: z.array(waySchema).min(1).max(12),
  /** For tasks that bring none. Absent: the project's test command. */
  check: z.string().min(1).optional(),
  repeat: z.number().int().min(1).max(50).default(1),
  /** The models of ways that name none. */
  local: z.string().optional(),
  cloud: z.string().optional(),
  /** The spending limit for all runs and the judge together, in US dollars. */
  maxUsd: z.number().nonnegative().optional(),
  /** The seed of the first repeat. Each further repeat takes the next number. */
  seed: z.number().int().optional(),
  /** The answer to every question of a run, given once beforehand. */
  approve: z.enum(['deny', 'allow']).default('deny'),
  /** A model that judges answers in pairs, by these rules. Absent: checks decide, and you where there is none. */
  judge: z.object({ model: z.string().min(1).max(300), rubric: z.string().trim().min(1).max(20_000) }).optional(),
});
export type ComparisonInput = z.infer<typeof comparisonInputSchema>;

/**
 * The settings that all runs use, as they were at the start. Runs with other numbers or rules could not be compared.
 */
export const comparisonRoutingSchema = z.object({
  limits: runLimitsSchema,
  /** The routing of steps in each way, with what was known of the models. */
  routing: z.record(z.string(), routingSchema),
  /** Routing rules of the user and of the project. */
  rules: z.array(routeRuleSchema),
  /** SHA-256 of the fences and masks. Fences are never frozen: a new one applies at once. */
  fences: z.string(),
});
export type ComparisonRouting = z.infer<typeof comparisonRoutingSchema>;

/** How many of the tests that a task names passed. */
export interface NamedTestCounts {
  readonly asked: { readonly passed: number; readonly of: number };
  /** Those that passed before any work. What is missing, the run broke. */
  readonly kept: { readonly passed: number; readonly of: number };
}

/** The result of the check that ran after the agent had finished. */
export interface ComparisonCheck {
  readonly command: string;
  /** Null: it could not run, and `summary` says why. */
  readonly passed: boolean | null;
  readonly seconds: number;
  /** The end of its output. */
  readonly summary: string;
  /** Absent: the task names no tests, or the output does not say which passed. */
  readonly named?: NamedTestCounts | undefined;
}

/** The figures of a run. An unknown figure is null, never 0. */
export interface RunFigures {
  readonly status: RunStatus;
  readonly reason: string;
  /** Whether the check already passed before any work. Then the run shows little. */
  readonly passedBefore: boolean | null;
  readonly steps: number;
  readonly localSteps: number;
  readonly seconds: number;
  readonly tokens: RunResult['tokens'];
  readonly costUsd: number | null;
  readonly energyWh: number | null;
  /** Absent in older comparisons. */
  readonly elsewhere?: RunElsewhere | undefined;
  /** Time of its model calls. Absent in older comparisons. */
  readonly modelSeconds?: number | undefined;
  /** Time of those on this machine. */
  readonly localSeconds?: number | undefined;
  /** Electricity in US dollars, and the share of the hardware's price. Null: the settings do not say it. */
  readonly energyUsd?: number | null | undefined;
  readonly hardwareUsd?: number | null | undefined;
}

/** What the run would have been elsewhere; exact when all of it ran there. Null: unknown. */
export interface RunElsewhere {
  /** US dollars, if all of it ran in the cloud. */
  readonly cloudUsd: Interval | null;
  /** Time of its model calls, if all of them ran on this machine. */
  readonly localSeconds: Interval | null;
}

export interface ComparisonRun {
  /** The place of its task in the list of tasks. */
  readonly task: number;
  /** The name of its way. */
  readonly way: string;
  /** Counts from 1. */
  readonly repeat: number;
  /** `skipped`: not started; `why` gives the reason. */
  readonly state: 'waiting' | 'running' | 'ended' | 'skipped';
  readonly sessionId: string | null;
  /** Why it waits or was skipped. For an ended run: why it can hardly be compared with the others. */
  readonly why: string | null;
  readonly check: ComparisonCheck | null;
  readonly figures: RunFigures | null;
}

export const verdictSchema = z.enum(['left', 'right', 'same', 'both-bad']);
export type Verdict = z.infer<typeof verdictSchema>;

/** Two runs of one task, the names of their ways in the order of the comparison. */
export const runPairSchema = z.object({
  task: z.number().int().nonnegative(),
  repeat: z.number().int().positive(),
  left: z.string(),
  right: z.string(),
});
export type RunPair = z.infer<typeof runPairSchema>;

/** Which of two runs did better, by a person or a model that was not told which way made which answer. */
export interface PairVerdict extends RunPair {
  readonly by: 'you' | 'model';
  /** Null: no verdict could be read from what the model said. */
  readonly verdict: Verdict | null;
  /** What the model said about it. */
  readonly why: string;
  /** Null: its price is unknown. */
  readonly costUsd: number | null;
}

export interface Comparison {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly input: ComparisonInput;
  /** Absent in older comparisons: each of their runs uses the settings at its start. */
  readonly routingSnapshot?: ComparisonRouting | undefined;
  /** In the order in which they run. */
  readonly runs: readonly ComparisonRun[];
  readonly judgements: readonly PairVerdict[];
  /** Sessions of runs that were interrupted and done again. */
  readonly abandoned: readonly string[];
  /** What those cost in US dollars, as far as it is known. It counts for the limit. Absent: nothing. */
  readonly abandonedUsd?: number | undefined;
}

/** Why a run did not begin: the money for all of them is spent. */
export const leftAtLimit = (maxUsd: number): string =>
  `the spending limit of ${maxUsd} dollars for all runs is reached`;

/** Whether a run did not begin for that reason, and not because nobody could judge it. */
export const isLeftAtLimit = ({ state, why }: Pick<ComparisonRun, 'state' | 'why'>): boolean =>
  state === 'skipped' && (why ?? '').startsWith('the spending limit of ');

/** The runs of a new comparison: task by task, one way after the other. Repeats lie far apart in time. */
export function plannedRuns(input: ComparisonInput): readonly ComparisonRun[] {
  const repeats = Array.from({ length: input.repeat }, (_, index) => index + 1);
  const fresh = { state: 'waiting', sessionId: null, why: null, check: null, figures: null } as const;
  const names = eachWay(input.ways).map(wayName);
  return repeats.flatMap((repeat) =>
    input.tasks.flatMap((_, task) => names.map((way) => ({ task, way, repeat, ...fresh }))),
  );
}

export function wayOf({ ways }: Pick<ComparisonInput, 'ways'>, name: string): Way | null {
  return ways.find((way) => wayName(way) === name) ?? null;
}

/** What this machine costs while it works, from the settings. */
export interface MachinePrice {
  readonly usdPerKwh: number | null;
  readonly hardwareUsd: number | null;
}

/** A machine is written off over three years with eight hours of work a day. */
export const writtenOffSeconds = 3 * 365 * 8 * 3600;

/** The figures of a run's result that the table shows. */
export function figuresOf(result: RunResult, { usdPerKwh, hardwareUsd }: MachinePrice): RunFigures {
  const { status, reason, steps, byStep, seconds, tokens, costUsd, energyWh, check, counterfactual } = result;
  const here = byStep.filter((step) => step.where === 'local');
  const timeOf = (some: RunResult['byStep']): number => some.reduce((sum, step) => sum + step.seconds, 0);
  const localSeconds = timeOf(here);
  const passedBefore = check?.before ?? null;
  const { allCloud, allLocal } = counterfactual.detail ?? {};
  const elsewhere = { cloudUsd: allCloud?.usd ?? null, localSeconds: allLocal?.seconds ?? null };
  const energyUsd = energyWh === null || usdPerKwh === null ? null : (energyWh / 1000) * usdPerKwh;
  const share = hardwareUsd === null ? null : (hardwareUsd * localSeconds) / writtenOffSeconds;
  return {
    status,
    reason,
    passedBefore,
    steps,
    localSteps: here.length,
    seconds,
    tokens,
    costUsd,
    energyWh,
    elsewhere,
    modelSeconds: timeOf(byStep),
    localSeconds,
    energyUsd,
    hardwareUsd: share,
  };
}
