import { z } from 'zod';
import { effortSchema, strategySchema, whereSchema } from '@shared/models/model-info.ts';
import { priorsSchema } from './priors.ts';

/** How a task's steps are split between this machine and the cloud. A profile is only a named set of numbers. */
export const profileSchema = z.enum(['economy', 'balanced', 'quality']);
export type Profile = z.infer<typeof profileSchema>;

/** Where the steps of a turn may run. */
export const turnPolicySchema = z.enum(['local', 'hybrid', 'cloud']);
export type TurnPolicy = z.infer<typeof turnPolicySchema>;

/**
 * Where steps may run, as the user asks. `hybrid` uses the profile in the settings; a profile's name uses that profile.
 */
export const policySchema = z.enum([...turnPolicySchema.options, ...profileSchema.options]);
export type Policy = z.infer<typeof policySchema>;

/**
 * Who plans. `cloud`: the strongest cloud model, and a local one does the work by its plan. `local`: this machine's model,
 * where only a plan is asked for. `score` or absent: as for any step, and there is no plan before the work.
 */
export const planPlaceSchema = z.enum(['score', 'local', 'cloud']);

/**
 * Which model does work beside the steps of the conversation. Reviews follow `reviews`.
 * `own`: the model of the stage. `local`: this machine's model. `score`: by votes and prices, like a step of the
 * conversation.
 */
const placeOfRoleSchema = z.enum(['own', 'local', 'score']);

const rolesSchema = z.strictObject({
  plan: planPlaceSchema.optional(),
  context: placeOfRoleSchema.optional(),
  edit: placeOfRoleSchema.optional(),
  answer: placeOfRoleSchema.optional(),
  summary: placeOfRoleSchema.optional(),
  /** `none` or absent: the first words of the first message stay the title. */
  title: z.enum([...placeOfRoleSchema.options, 'none']).optional(),
});
export type Role = keyof z.infer<typeof rolesSchema>;

/** A line over log odds that corrects a stated chance. */
const correctionSchema = z.strictObject({ shift: z.number(), slope: z.number() });
export type Correction = z.infer<typeof correctionSchema>;

/** By model and kind of task. */
const calibrationSchema = z.record(z.string(), z.record(z.string(), correctionSchema));
export type Calibration = z.infer<typeof calibrationSchema>;

/** What the record of the model that begins says about keeping work with it. */
const keptHereSchema = z.strictObject({
  model: z.string(),
  /** The most of all tasks, 0 to 1, that may end worse than the cloud would do them. */
  limit: z.number(),
  /** Judged tasks that it began, and how many of them failed here. */
  tasks: z.number().int(),
  harms: z.number().int(),
  /** Counted in this project alone, or in the whole home. */
  scope: z.enum(['project', 'home']),
  /** Tasks that seem less likely to fail here than this are kept. Null: too little is known. */
  upTo: z.number().nullable(),
  /** The highest rate of tasks that end worse, at 95 %, with that. Null: not known yet. */
  bound: z.number().nullable(),
  /** Even the lowest rate that the record allows, at 95 %, is above the limit. */
  isTooMuch: z.boolean(),
});
export type KeptHere = Readonly<z.infer<typeof keptHereSchema>>;

/** The numbers that the router uses. A task's log holds them, so that decisions can be repeated exactly. */
export const routingNumbersSchema = z.strictObject({
  /** The value of a correctly done task, in US dollars. */
  valueUsd: z.number().nonnegative(),
  /** A step moves to the cloud only for a benefit above this, in US dollars. */
  marginUsd: z.number().nonnegative(),
  /** The cost of a minute of waiting, in US dollars. */
  minuteUsd: z.number().nonnegative(),
  /** Number of bad signals in a row before a local model loses the work. */
  consecutiveFailures: z.number().int().min(1).max(10),
  /** Steps that the work stays in one place after a switch, unless it fails. */
  holdSteps: z.number().int().min(0).max(100),
  /** Expected number of steps between two points where the work can switch safely. */
  blockSteps: z.number().int().min(1).max(200),
  /** Expected number of steps of a whole task. */
  taskSteps: z.number().int().min(1).max(1000),
  /** The most takeovers by the cloud in one task. The last one stays in the cloud. */
  maxTakeovers: z.number().int().min(0).max(20),
  /** How long a service keeps its prompt cache, in seconds. */
  cacheLifeSeconds: z.number().nonnegative(),
  /** Number of network failures in a row that count as offline. */
  offlineAfter: z.number().int().min(1).max(20),
  /** How long the network then counts as offline, in seconds. */
  offlineSeconds: z.number().nonnegative(),
  /** Whether the first answer to a local model's bad signal is advice on a digest, if a service can be asked. */
  advice: z.boolean(),
  /** Which model each role uses. Absent: the model of the stage. */
  roles: rolesSchema.optional(),
  /** Weights for the votes of rules, by name, instead of 1. This is where fitted weights go. Absent: all 1. */
  weights: z.record(z.string(), z.number().nonnegative().max(10)).optional(),
  /**
   * The learned score that decides, by the digest of its file. Absent: the weights that were set by hand, as in logs from
   * before there was one.
   */
  score: z.string().max(64).optional(),
  /** How work went on this machine, by model and purpose: counted, or set by the user. Absent: unknown. */
  priors: priorsSchema.optional(),
  /**
   * The dial: the most of all tasks, 0 to 1, that may end worse here than the cloud would do them. Absent: none, as in
   * older logs.
   */
  harm: z.number().positive().max(1).optional(),
  /** What the record says about that. Absent: nobody looked. */
  kept: keptHereSchema.optional(),
  /** How far the stated chances were off on this machine. Absent: nothing is known. */
  calibration: calibrationSchema.optional(),
  /** How many times a dollar counts, so that the month's limit lasts. Absent: once. */
  pace: z.number().min(1).optional(),
  /**
   * How many answers a recipe asks of the cloud after finding nothing here. Absent: as many as when it begins there.
   */
  secondTries: z.number().int().min(1).max(100).optional(),
  /**
   * How often per task a stronger model may review a local one's claim of success, if worth its price. Absent: never.
   */
  reviews: z.number().int().min(0).max(5).optional(),
});
export type RoutingNumbers = z.infer<typeof routingNumbersSchema>;

/** What a turn is routed by: the profile's name, and its numbers with the user's own values. */
export const routingSchema = z.object({ profile: profileSchema, numbers: routingNumbersSchema });
export type Routing = z.infer<typeof routingSchema>;

/** The facts behind a decision about a step. */
export const routeDetailSchema = z.object({
  /** Which layer decided: hard rules, start of the task, score, answer, end, cascade. */
  layer: z.enum(['L0', 'L1', 'L2', 'L3', 'L4', 'L5']),
  /** Every vote, in units of log odds that the cloud gains something. */
  votes: z.array(z.object({ rule: z.string(), toward: whereSchema, weight: z.number(), reason: z.string() })),
  /** The options that were considered, in US dollars and seconds; null when unknown. */
  options: z.array(
    z.object({
      model: z.string(),
      where: whereSchema,
      strategy: strategySchema.optional(),
      effort: effortSchema.optional(),
      /** How likely it is to do a usual task, 0 to 1, and where that is known from. */
      ability: z.object({ chance: z.number(), source: z.enum(['record', 'size', 'price', 'unknown']) }).optional(),
      /** How likely it is to do the rest of this task, by what was seen of it, 0 to 1. Absent: not learned. */
      solves: z.number().optional(),
      /** Why it was excluded; null when it was not. */
      denied: z.object({ code: z.string(), text: z.string() }).nullable(),
      /** Cost of this call. */
      costUsd: z.number().nullable(),
      seconds: z.number().nullable(),
      /** Cost to the end of the task if it stays there. */
      restUsd: z.number().nullable(),
    }),
  ),
  /** The chance that the cloud finishes the task and this machine does not; null when there was no choice. */
  gain: z.number().nullable(),
  /** The features that the rules saw. */
  features: z.record(z.string(), z.number()),
  /** The step would have gone to the cloud if there had been a network. */
  degraded: z.boolean(),
  /** How long it holds: until the recipe ends, or for one step of the loop. */
  until: z.enum(['end', 'step']),
  /** The model that reviews the result if that is worth its price; null: none. */
  reviewer: z.string().nullable(),
  /** What would have changed it; empty: nothing that is known. */
  otherwise: z.string(),
});
export type RouteDetail = z.infer<typeof routeDetailSchema>;
