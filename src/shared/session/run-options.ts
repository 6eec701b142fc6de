import { z } from 'zod';
import { runInstructionsSchema } from '@shared/safety/instruction-files.ts';
import { effortSchema } from '@shared/models/model-info.ts';
import { policySchema } from '@shared/routing/routing.ts';
import { runNetworkSchema } from '@shared/safety/network-access.ts';
import { messageOriginSchema } from '@shared/events/conversation-events.ts';
import { taskModes } from '@shared/text/task-mode.ts';
import { workspaceModeSchema } from '@shared/events/session-events.ts';
import { approveModeSchema } from '@shared/safety/approval-grants.ts';

/** What a host may ask of one turn; what is absent comes from the settings. */
export const runOptionsSchema = z.object({
  projectPath: z.string().optional(),
  workspace: workspaceModeSchema.optional(),
  sessionId: z.string().optional(),
  check: z.string().optional(),
  policy: policySchema.optional(),
  local: z.string().optional(),
  cloud: z.string().optional(),
  strategy: z.enum(['auto', 'recipe', 'loop']).default('auto'),
  maxSteps: z.number().int().positive().optional(),
  maxMinutes: z.number().positive().optional(),
  maxTokens: z.number().int().positive().optional(),
  maxUsd: z.number().nonnegative().optional(),
  /** At a cap on money. `ask`: the turn waits for a person's answer; where nobody can answer it stops. */
  atCap: z.enum(['stop', 'local', 'ask']).default('stop'),
  approve: approveModeSchema.optional(),
  /** What commands may reach: hosts; `off`: nothing, and nobody is asked; `ask` (or absent): whoever answers approvals is. */
  network: runNetworkSchema.optional(),
  /** Instructions that the project brings along and nobody has approved: asked about, taken as they are, or none at all. */
  instructions: runInstructionsSchema.optional(),
  sandbox: z.enum(['container', 'read-only']).optional(),
  plan: z.boolean().default(false),
  /** What the message is to be taken for; absent: its own words say it. */
  mode: z.enum(taskModes).optional(),
  /** The name of an assistant; what is said beside it goes before what it says. */
  assistant: z.string().max(40).optional(),
  /** The conversation so far is summed up before the first step. */
  compact: z.boolean().optional(),
  seed: z.number().int().optional(),
  /** How hard models think that know this step; absent: as is set for each. */
  thinking: effortSchema.optional(),
  /** The text is the app's, which a person agreed to with a button: to go on with a task, or to have it reviewed. */
  origin: messageOriginSchema.optional(),
  /** Whether there is a person who can answer an approval; else one that is needed ends the turn. */
  interactive: z.boolean().default(false),
});
export type RunOptions = z.infer<typeof runOptionsSchema>;

/** How a run ended, in the words of the result file; decides the exit code. */
export const runStatusSchema = z.enum([
  'done',
  'gave-up',
  'limit',
  'cap',
  'needs-approval',
  'missing',
  'cancelled',
  'error',
]);
export type RunStatus = z.infer<typeof runStatusSchema>;
