import { z } from 'zod';
import { whereSchema } from '@shared/models/model-info.ts';
import { priorsSchema } from './priors.ts';

/** How a task's steps are spread over this machine and the cloud. A profile is a named set of numbers, nothing else. */
export const profileSchema = z.enum(['economy', 'balanced', 'quality']);
export type Profile = z.infer<typeof profileSchema>;

/** Where the steps of a turn may run. */
export const turnPolicySchema = z.enum(['local', 'hybrid', 'cloud']);
export type TurnPolicy = z.infer<typeof turnPolicySchema>;

/** The same as a person asks for it: `hybrid` goes by the profile of the settings, a profile by its own. */
export const policySchema = z.enum([...turnPolicySchema.options, ...profileSchema.options]);
export type Policy = z.infer<typeof policySchema>;

/**
 * Where a model is asked for something apart from the steps of the conversation (those of a plan are scored, a review is
 * `reviews`). `own`: the model of the stage. `local`: this machine's. `score`: by votes and prices, like a step of the conversation.
 */
const placeOfRoleSchema = z.enum(['own', 'local', 'score']);

const rolesSchema = z.strictObject({
  context: placeOfRoleSchema.optional(),
  edit: placeOfRoleSchema.optional(),
  answer: placeOfRoleSchema.optional(),
  summary: placeOfRoleSchema.optional(),
  /** `none`, or absent: the first words of the first message stay. */
  title: z.enum([...placeOfRoleSchema.options, 'none']).optional(),
});
export type Role = keyof z.infer<typeof rolesSchema>;

/** The numbers that the router decides by. A task's log has them, so that it can be decided again in the same way. */
export const routingNumbersSchema = z.strictObject({
  /** What it is worth that a task is done rightly, in US dollars. */
  valueUsd: z.number().nonnegative(),
  /** A step is moved to the cloud only for an advantage above this, in US dollars. */
  marginUsd: z.number().nonnegative(),
  /** What a minute of waiting is worth, in US dollars. */
  minuteUsd: z.number().nonnegative(),
  /** Bad signals in a row before a local model is taken off the work. */
  consecutiveFailures: z.number().int().min(1).max(10),
  /** Steps that the work stays where it is after a switch, failures apart. */
  holdSteps: z.number().int().min(0).max(100),
  /** Steps that a stretch of work between two safe places is expected to take. */
  blockSteps: z.number().int().min(1).max(200),
  /** Steps that a whole task is expected to take. */
  taskSteps: z.number().int().min(1).max(1000),
  /** Take-overs by the cloud in one task; the last one stays there. */
  maxTakeovers: z.number().int().min(0).max(20),
  /** How long a service keeps what it was sent, in seconds. */
  cacheLifeSeconds: z.number().nonnegative(),
  /** How many failures of the network in a row mean that there is none. */
  offlineAfter: z.number().int().min(1).max(20),
  /** How long the network is then taken to be away, in seconds. */
  offlineSeconds: z.number().nonnegative(),
  /** A bad signal of the local model is answered first by advice on a digest, where a service can be asked. */
  advice: z.boolean(),
  /** Where each role is asked. Absent: all by the model of the stage. */
  roles: rolesSchema.optional(),
  /** What the votes of a rule count for, by its name, in place of 1: where fitted weights go. Absent: all as they are. */
  weights: z.record(z.string(), z.number().nonnegative().max(10)).optional(),
  /** How work went on this machine, by model and kind of step: counted, or written by a person. Absent: nothing is known. */
  priors: priorsSchema.optional(),
  /** How many answers a program asks of the cloud after it found nothing here. Absent: as many as where it begins there. */
  secondTries: z.number().int().min(1).max(100).optional(),
  /** How often in a task a stronger model may judge what a local one calls done, where that is worth its price. Absent: never. */
  reviews: z.number().int().min(0).max(5).optional(),
});
export type RoutingNumbers = z.infer<typeof routingNumbersSchema>;

/** What a turn is routed by: the profile's name, and its numbers with a person's own in their place. */
export const routingSchema = z.object({ profile: profileSchema, numbers: routingNumbersSchema });
export type Routing = z.infer<typeof routingSchema>;

/** What a decision about a step was taken by. */
export const routeDetailSchema = z.object({
  /** Who had the last word: hard rules, start of the task, score, answer, end, cascade. */
  layer: z.enum(['L0', 'L1', 'L2', 'L3', 'L4', 'L5']),
  /** Every vote that was cast, in units of log odds that the cloud gains something. */
  votes: z.array(z.object({ rule: z.string(), toward: whereSchema, weight: z.number(), reason: z.string() })),
  /** What there was to choose from; US dollars and seconds, null where nobody knows. */
  options: z.array(
    z.object({
      model: z.string(),
      where: whereSchema,
      /** Why it was out of the question; null: it was not. */
      denied: z.object({ code: z.string(), text: z.string() }).nullable(),
      /** Of this call. */
      costUsd: z.number().nullable(),
      seconds: z.number().nullable(),
      /** To the end of the task, were it to stay there. */
      restUsd: z.number().nullable(),
    }),
  ),
  /** The chance that the cloud does the rest and this machine does not; null: there was nothing to choose. */
  gain: z.number().nullable(),
  /** What the rules saw. */
  features: z.record(z.string(), z.number()),
  /** It would have gone to the cloud, had there been a network. */
  degraded: z.boolean(),
});
export type RouteDetail = z.infer<typeof routeDetailSchema>;

/** A number from 0 to 1 after a sum of votes. */
export function chanceOf(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}
