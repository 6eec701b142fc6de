import { z } from 'zod';
import { purposeSchema } from '@shared/events/call-events.ts';
import { turnPolicySchema } from '@shared/routing/routing.ts';
import type { Interval } from '@shared/money/counterfactual.ts';

/** The kinds of tasks that are counted apart. */
export const countedKinds = ['question', 'repair', 'change'] as const;
export type CountedKind = (typeof countedKinds)[number];

/**
 * Who judged a task: a check that failed before; the person, who kept the change, undid it or asked again; something
 * that set the files back later; a calibration; a comparison; or counts from before single tasks were kept.
 */
export const judges = [
  'check',
  'taken',
  'undone',
  'reverted',
  'asked-again',
  'calibration',
  'comparison',
  'count',
] as const;
export type Judge = (typeof judges)[number];

/** What one model did in a task, by the purpose of its steps. */
const workSchema = z.strictObject({
  model: z.string(),
  /** Its files and context, so that another quantization is another model. Empty: unknown, as in the cloud. */
  version: z.string(),
  purpose: purposeSchema,
  solved: z.boolean(),
  calls: z.number().nonnegative(),
  /** Tokens that it wrote. Null: not known. */
  written: z.number().nonnegative().nullable(),
});

/** A task that ended, without any text of the person: names are hashes. */
export const taskOutcomeSchema = z.strictObject({
  id: z.string(),
  at: z.number(),
  /** The folder of the project as a hash. Empty: no project. */
  project: z.string(),
  /** The ending of most of the files that it changed, such as `ts`. Empty: it changed none. */
  language: z.string(),
  kind: z.enum(countedKinds),
  /** Null: nobody judged it. Then only its time and price count. */
  solved: z.boolean().nullable(),
  by: z.enum(judges).nullable(),
  policy: turnPolicySchema,
  /** The model that began it. */
  first: z.strictObject({ model: z.string(), version: z.string(), where: z.enum(['local', 'cloud']) }),
  /** The chance, by the votes before the first step, that the model that began does not solve it. Null: no votes. */
  fails: z.number().nullable(),
  /** A model in the cloud worked on it, too. */
  hasCloudTried: z.boolean(),
  /** US dollars. Null: a price is unknown. */
  usd: z.number().nonnegative().nullable(),
  /** Without the time that questions waited. Null: not known. */
  seconds: z.number().nonnegative().nullable(),
  work: z.array(workSchema).max(40),
  /** Counts as so many tasks. Absent: one. */
  weight: z.number().positive().optional(),
});
export type TaskOutcome = Readonly<z.infer<typeof taskOutcomeSchema>>;

/** How many of so many tasks were solved, and the rate with its 95 % interval. */
export interface SolvedShare extends Interval {
  readonly tasks: number;
  readonly solved: number;
}

/** What was learned about one model and kind of task. */
export interface LearnedRow {
  readonly model: string;
  readonly kind: CountedKind;
  readonly share: SolvedShare;
  /** Judged tasks by who judged them. */
  readonly by: Readonly<Partial<Record<Judge, number>>>;
  /** In the open project. */
  readonly here: number;
  readonly lastAt: number;
}

/** How often work that stayed on this machine ended worse than the cloud would have done it. */
export interface HarmView {
  readonly model: string;
  /** The most that the dial allows, 0 to 1. */
  readonly limit: number;
  readonly tasks: number;
  readonly harms: number;
  /** The highest rate that these counts allow, at 95 %. Null: too few tasks for any bound below the limit. */
  readonly bound: number | null;
  /** Tasks that it takes to show the limit, if none of them is worse. */
  readonly least: number;
  readonly scope: 'project' | 'home';
}

export interface LearnedReport {
  readonly rows: readonly LearnedRow[];
  readonly harm: HarmView | null;
  readonly tasks: number;
  /** Null: no limit for the month. */
  readonly pace: { readonly limitUsd: number; readonly spentUsd: number; readonly factor: number } | null;
}

/** What one way of working is likely to bring, before the start. Null: the record does not allow it. */
export interface ExpectedWay {
  readonly way: 'local' | 'hybrid' | 'cloud';
  readonly solves: SolvedShare | null;
  readonly seconds: Interval | null;
  readonly usd: Interval | null;
  /** The price is a guess by the kind of task, not from own tasks. */
  readonly isGuess: boolean;
}

/** What is known of a task before its checks ran: whether it asks something or changes something. */
export const expectedKinds = ['question', 'work'] as const;
export type ExpectedKind = (typeof expectedKinds)[number];

export interface Expectation {
  readonly kind: ExpectedKind;
  readonly ways: readonly ExpectedWay[];
  /** A sentence: much of this could stay here. Null: nothing to warn of. */
  readonly warning: string | null;
}
