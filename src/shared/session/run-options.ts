import { z } from 'zod';
import { chosenOptionsSchema } from './chosen-options.ts';
import { runLimitsSchema } from './run-limits.ts';
import { runInstructionsSchema } from '@shared/safety/instruction-files.ts';
import { strategySchema } from '@shared/models/model-info.ts';
import { runNetworkSchema } from '@shared/safety/network-access.ts';
import { messageOriginSchema } from '@shared/events/conversation-events.ts';
import { workspaceModeSchema } from '@shared/events/session-events.ts';
import { approveModeSchema } from '@shared/safety/approval-grants.ts';

/** Where a task runs and for whom. A turn itself knows nothing of these. */
const placeOptionsSchema = z.object({
  projectPath: z.string().optional(),
  /** The key of a project without a folder. */
  projectKey: z.string().optional(),
  workspace: workspaceModeSchema.optional(),
  sessionId: z.string().optional(),
  sandbox: z.enum(['container', 'read-only']).optional(),
  /** Whether a person can answer approvals. If not, a needed approval ends the turn. */
  interactive: z.boolean().default(false),
});

/**
 * How one turn works. The options of a turn, their copy in the log, the flags of the terminal and what the window sends
 * derive from this, so an option is added here and where its value is used.
 */
export const turnChoicesSchema = z.object({
  ...chosenOptionsSchema.shape,
  assistant: z.string().max(40).optional(),
  check: z.string().optional(),
  strategy: z.enum(['auto', ...strategySchema.options]).default('auto'),
  ...runLimitsSchema.partial().shape,
  maxUsd: z.number().nonnegative().optional(),
  /** What happens at a spending limit. `ask`: the turn waits for the user; if nobody can answer, it stops. */
  atCap: z.enum(['stop', 'local', 'ask']).default('stop'),
  approve: approveModeSchema.optional(),
  /** How long a question of the agent waits before the agent's own default counts. Absent: until it is answered. */
  defaultAfterMinutes: z.number().positive().max(1440).optional(),
  /**
   * The hosts that commands may reach. `off`: none, and nobody is asked. `ask` or absent: whoever answers approvals
   * decides.
   */
  network: runNetworkSchema.optional(),
  /** What happens to a project's instructions that nobody has approved: ask, use them as they are, or ignore all. */
  instructions: runInstructionsSchema.optional(),
  /** Summarizes the conversation before the first step. */
  compact: z.boolean().optional(),
  seed: z.number().int().optional(),
  /** Set when the app wrote the text and the user agreed with a button: to resume a task, or to have it reviewed. */
  origin: messageOriginSchema.optional(),
});

/** What a host may set for one turn. Absent options come from the settings. */
export const runOptionsSchema = z.object({ ...placeOptionsSchema.shape, ...turnChoicesSchema.shape });
export type RunOptions = z.infer<typeof runOptionsSchema>;

/** How a run ended, as the result file says it. Decides the exit code. */
export const runStatusSchema = z.enum([
  'done',
  'waiting',
  'incomplete',
  'gave-up',
  'limit',
  'cap',
  'needs-approval',
  'missing',
  'cancelled',
  'error',
]);
export type RunStatus = z.infer<typeof runStatusSchema>;
