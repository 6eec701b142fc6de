import { z } from 'zod';
import type { Interval } from '@shared/money/counterfactual.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import type { RunStatus } from '@shared/session/run-options.ts';
import { routeRuleSchema } from '@shared/routing/route-rules.ts';
import { routingSchema } from '@shared/routing/routing.ts';
import { runLimitsSchema } from '@shared/session/run-limits.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';

/** The same task under several policies, each run in its own copy of the same project state. */
export const comparisonInputSchema = z.object({
  task: z.string().min(1).max(1_048_576),
  projectPath: z.string().min(1),
  policies: z.array(runOptionsSchema.shape.policy.unwrap()).min(1).max(8),
  /** The command that decides "solved", run in the sandbox after each run. Absent: the project's test command. */
  check: z.string().min(1).optional(),
  repeat: z.number().int().min(1).max(50).default(1),
  local: z.string().optional(),
  cloud: z.string().optional(),
  strategy: runOptionsSchema.shape.strategy,
  /** The spending limit for all runs together, in US dollars. */
  maxUsd: z.number().nonnegative().optional(),
  /** The seed of the first repeat. Each further repeat takes the next number. */
  seed: z.number().int().optional(),
});
export type ComparisonInput = z.infer<typeof comparisonInputSchema>;
export type ComparisonPolicy = ComparisonInput['policies'][number];

/**
 * The settings that all runs use, as they were at the start. Runs with other numbers or rules could not be compared.
 */
export const comparisonRoutingSchema = z.object({
  limits: runLimitsSchema,
  /** The routing of steps under each policy, with what was known of the models. */
  routing: z.record(z.string(), routingSchema),
  /** Routing rules of the user and of the project. */
  rules: z.array(routeRuleSchema),
  /** SHA-256 of the fences and masks. Fences are never frozen: a new one applies at once. */
  fences: z.string(),
});
export type ComparisonRouting = z.infer<typeof comparisonRoutingSchema>;

/** The result of the check that ran after the agent had finished. */
export interface ComparisonCheck {
  readonly command: string;
  /** Null: it could not run, and `summary` says why. */
  readonly passed: boolean | null;
  readonly seconds: number;
  /** The end of its output. */
  readonly summary: string;
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
}

/** What the run would have been elsewhere; exact when all of it ran there. Null: unknown. */
export interface RunElsewhere {
  /** US dollars, if all of it ran in the cloud. */
  readonly cloudUsd: Interval | null;
  /** Time of its model calls, if all of them ran on this machine. */
  readonly localSeconds: Interval | null;
}

export interface ComparisonRun {
  readonly policy: ComparisonPolicy;
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

export interface Comparison {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly input: ComparisonInput;
  /** Absent in older comparisons: each of their runs uses the settings at its start. */
  readonly routingSnapshot?: ComparisonRouting | undefined;
  /** In the order in which they run. */
  readonly runs: readonly ComparisonRun[];
  /** Sessions of runs that were interrupted and done again. */
  readonly abandoned: readonly string[];
}

/** The runs of a new comparison: one policy after the other, so that repeats lie far apart in time. */
export function plannedRuns(input: ComparisonInput): readonly ComparisonRun[] {
  const repeats = Array.from({ length: input.repeat }, (_, index) => index + 1);
  const fresh = { state: 'waiting', sessionId: null, why: null, check: null, figures: null } as const;
  return repeats.flatMap((repeat) => [...new Set(input.policies)].map((policy) => ({ policy, repeat, ...fresh })));
}

/** The figures of a run's result that the table shows. */
export function figuresOf(result: RunResult): RunFigures {
  const { status, reason, steps, byStep, seconds, tokens, costUsd, energyWh, check, counterfactual } = result;
  const localSteps = byStep.filter((step) => step.where === 'local').length;
  const passedBefore = check?.before ?? null;
  const { allCloud, allLocal } = counterfactual.detail ?? {};
  const elsewhere = { cloudUsd: allCloud?.usd ?? null, localSeconds: allLocal?.seconds ?? null };
  return { status, reason, passedBefore, steps, localSteps, seconds, tokens, costUsd, energyWh, elsewhere };
}
