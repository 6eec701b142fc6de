import { z } from 'zod';
import { approveModeSchema } from '@shared/safety/approval-grants.ts';
import { routingSchema, turnPolicySchema, type Policy } from '@shared/routing/routing.ts';
import { routingOf } from './profile-routing.ts';
import type { Assistant } from '@shared/session/assistants.ts';
import { chosenOptionsSchema } from '@shared/session/chosen-options.ts';
import { runLimitsSchema } from '@shared/session/run-limits.ts';
import { type RunOptions, turnChoicesSchema } from '@shared/session/run-options.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { taskModes } from '@shared/text/task-mode.ts';

/**
 * The options of a turn, with the settings filled in. The log holds all of them, so a replay needs neither settings nor
 * files. What is not named here is taken over as the message says it.
 */
export const turnOptionsSchema = z.object({
  ...turnChoicesSchema.shape,
  ...runLimitsSchema.shape,
  maxUsd: z.number().nullable(),
  check: z.string().nullable(),
  seed: z.number().nullable(),
  /** `auto`: derived from the words of the message. */
  mode: z.enum(['auto', ...taskModes]),
  /** The assistant that answers, without the model and mode that it chose; absent: none. */
  assistant: z
    .object({
      name: z.string(),
      text: z.string(),
      tools: z.literal('off').optional(),
      temperature: z.number().optional(),
      topP: z.number().optional(),
      maxTokens: z.number().optional(),
    })
    .optional(),
  /** The project has knowledge, so that its questions are answered after a look at it. */
  hasKnowledge: z.literal(true).optional(),
  /** What the user says to models in the project. */
  project: z.object({ text: z.string() }).optional(),
  /** The tools that the turn may use; absent: all. */
  tools: z.array(z.string()).readonly().optional(),
  /** What the decisions say about the person's choice for this kind of task; absent: there is none. */
  ofKind: z.string().optional(),
  policy: turnPolicySchema,
  /** The numbers by which the router decides each step. */
  routing: routingSchema,
  local: z.string(),
  cloud: z.string().nullable(),
  approve: approveModeSchema,
});
export type TurnOptions = Readonly<z.infer<typeof turnOptionsSchema>>;

/** The part of them that a person may choose anew while the turn runs. What is absent is chosen off. */
export const turnChoiceSchema = z.object({
  ...chosenOptionsSchema.omit({ mode: true }).shape,
  ...turnOptionsSchema.pick({
    policy: true,
    routing: true,
    local: true,
    cloud: true,
    assistant: true,
    ofKind: true,
    project: true,
  }).shape,
});
export type TurnChoice = Readonly<z.infer<typeof turnChoiceSchema>>;

/** The choices among the options of a turn. */
export function turnChoice(options: TurnOptions): TurnChoice {
  return turnChoiceSchema.parse(options);
}

export function withChoice(options: TurnOptions, choice: TurnChoice): TurnOptions {
  const others = Object.entries(options).filter(([name]) => !(name in turnChoiceSchema.shape));
  return turnOptionsSchema.parse({ ...Object.fromEntries(others), ...choice });
}

/**
 * The options of a turn: as the message says, and from the settings where it says nothing. A message that names a model
 * means that one, so the order in the settings does not apply to it.
 */
export function turnOptions(settings: Settings, run: RunOptions, assistant: Assistant | null = null): TurnOptions {
  const { local, cloud, modelOrder, approve } = settings;
  const { policy = settings.policy } = run;
  const isNamed = run.local !== undefined || run.cloud !== undefined;
  return turnOptionsSchema.parse({
    ...settings.limits,
    local,
    cloud,
    modelOrder: isNamed ? undefined : modelOrder,
    approve,
    maxUsd: null,
    check: null,
    seed: null,
    mode: 'auto',
    ...Object.fromEntries(Object.entries(run).filter(([, value]) => value !== undefined)),
    ...routed(settings, policy),
    assistant: assistant ?? undefined,
  });
}

/** A profile is `hybrid` with its own numbers. */
function routed({ routing }: Settings, policy: Policy): Pick<TurnOptions, 'policy' | 'routing'> {
  if (policy === 'local' || policy === 'cloud' || policy === 'hybrid') {
    return { policy, routing: routingOf(routing.profile, routing.numbers) };
  }
  return { policy: 'hybrid', routing: routingOf(policy, {}) };
}
