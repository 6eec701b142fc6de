import { z } from 'zod';
import type { Interval } from '@shared/money/counterfactual.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import type { RunStatus } from '@shared/session/run-options.ts';
import { routeRuleSchema } from '@shared/routing/route-rules.ts';
import { routingSchema } from '@shared/routing/routing.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';

/** The same task under several policies, each run in its own copy of one state of the project. */
export const comparisonInputSchema = z.object({
  task: z.string().min(1).max(1_048_576),
  projectPath: z.string().min(1),
  policies: z.array(runOptionsSchema.shape.policy.unwrap()).min(1).max(8),
  /** What decides "solved", run in the sandbox after each run; without it the test command of the project. */
  check: z.string().min(1).optional(),
  repeat: z.number().int().min(1).max(50).default(1),
  local: z.string().optional(),
  cloud: z.string().optional(),
  strategy: runOptionsSchema.shape.strategy,
  /** US dollars for all runs together. */
  maxUsd: z.number().nonnegative().optional(),
  /** Of the first repeat; each further one takes the next number. */
  seed: z.number().int().optional(),
});
export type ComparisonInput = z.infer<typeof comparisonInputSchema>;
export type ComparisonPolicy = ComparisonInput['policies'][number];

/** What its runs go by, as it was when it began: runs under other numbers or rules could not be compared. */
export const comparisonRoutingSchema = z.object({
  limits: z.object({ maxSteps: z.number(), maxMinutes: z.number(), maxTokens: z.number() }),
  /** What steps are routed by under each of its policies, with what was known of the models. */
  routing: z.record(z.string(), routingSchema),
  /** On where steps run: a person's and the project's. */
  rules: z.array(routeRuleSchema),
  /** SHA-256 of what was fenced and masked. Fences are never held: one that is added counts at once. */
  fences: z.string(),
});
export type ComparisonRouting = z.infer<typeof comparisonRoutingSchema>;

/** How the check ended that was run when the agent had finished. */
export interface ComparisonCheck {
  readonly command: string;
  /** Null: it could not be run, and `summary` says why. */
  readonly passed: boolean | null;
  readonly seconds: number;
  /** The end of what it printed. */
  readonly summary: string;
}

/** What a run has cost; a figure that is not known is null, never 0. */
export interface RunFigures {
  readonly status: RunStatus;
  readonly reason: string;
  /** Whether the check passed before any work: then the run shows little. */
  readonly passedBefore: boolean | null;
  readonly steps: number;
  readonly localSteps: number;
  readonly seconds: number;
  readonly tokens: RunResult['tokens'];
  readonly costUsd: number | null;
  readonly energyWh: number | null;
  /** Absent in comparisons from before it was kept. */
  readonly elsewhere?: RunElsewhere | undefined;
}

/** What the run would have been somewhere else; exact where all of it ran there. Null: not known. */
export interface RunElsewhere {
  /** US dollars, all of it in the cloud. */
  readonly cloudUsd: Interval | null;
  /** Of its model calls, all of them on this machine. */
  readonly localSeconds: Interval | null;
}

export interface ComparisonRun {
  readonly policy: ComparisonPolicy;
  /** From 1 on. */
  readonly repeat: number;
  /** `skipped`: not begun, and `why` says for what reason. */
  readonly state: 'waiting' | 'running' | 'ended' | 'skipped';
  readonly sessionId: string | null;
  /** Why it waits or was skipped; of one that has ended, why it can hardly be compared with the others. */
  readonly why: string | null;
  readonly check: ComparisonCheck | null;
  readonly figures: RunFigures | null;
}

export interface Comparison {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly input: ComparisonInput;
  /** Absent in comparisons from before it was kept: their runs go by what holds when they begin. */
  readonly routingSnapshot?: ComparisonRouting | undefined;
  /** In the order in which they are carried out. */
  readonly runs: readonly ComparisonRun[];
  /** Sessions of runs that were cut off and done again. */
  readonly abandoned: readonly string[];
}

/** The runs of a comparison before the first: one policy after the other, so that repeats lie far apart in time. */
export function plannedRuns(input: ComparisonInput): readonly ComparisonRun[] {
  const repeats = Array.from({ length: input.repeat }, (_, index) => index + 1);
  const fresh = { state: 'waiting', sessionId: null, why: null, check: null, figures: null } as const;
  return repeats.flatMap((repeat) => [...new Set(input.policies)].map((policy) => ({ policy, repeat, ...fresh })));
}

/** What a run's result says for the table. */
export function figuresOf(result: RunResult): RunFigures {
  const { status, reason, steps, byStep, seconds, tokens, costUsd, energyWh, check, counterfactual } = result;
  const localSteps = byStep.filter((step) => step.where === 'local').length;
  const passedBefore = check?.before ?? null;
  const { allCloud, allLocal } = counterfactual.detail ?? {};
  const elsewhere = { cloudUsd: allCloud?.usd ?? null, localSeconds: allLocal?.seconds ?? null };
  return { status, reason, passedBefore, steps, localSteps, seconds, tokens, costUsd, energyWh, elsewhere };
}
