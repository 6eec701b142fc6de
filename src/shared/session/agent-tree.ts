import { z } from 'zod';
import type { TurnEndReason } from '@shared/events/turn-events.ts';

/** A child works on its parent's files without changing any, or on a copy of its own. */
export const childAccessSchema = z.enum(['read-only', 'own-copy']);

export type ChildAccess = z.infer<typeof childAccessSchema>;

/** The greatest depth of the tree, whoever asks for more. A parent could not supervise its child's children. */
export const mostDepth = 1;

/** A kind of agent, as a model is told about it. */
export const agentOfferSchema = z.object({ name: z.string(), description: z.string() });

/** The kinds of agents that a turn may start. Logged so that a replay builds the same prompt. */
export const agentsOfferSchema = z.object({ kinds: z.array(agentOfferSchema) });

export type AgentsOffer = z.infer<typeof agentsOfferSchema>;

/** A session's place in the tree of agents and forks. Spending limits hold for the whole tree. */
export const treePlaceSchema = z.object({
  rootId: z.string(),
  depth: z.number().int().nonnegative(),
  /** The session whose agent started it, and the call. Absent for a fork. */
  by: z.object({ sessionId: z.string(), toolCallId: z.string(), name: z.string() }).optional(),
});

export type TreePlace = z.infer<typeof treePlaceSchema>;

/** A child agent in a session of its own. */
export interface ChildState {
  readonly sessionId: string;
  readonly name: string;
  readonly kind: string | null;
  /** `PROVIDER/MODEL`; null when none was named. */
  readonly model: string | null;
  readonly tools: readonly string[] | null;
  /** The spending limit for all its runs together, in US dollars; null: as much as its parent may spend. */
  readonly maxUsd: number | null;
  /** The most steps for each of its runs. Absent: the usual number. */
  readonly maxSteps?: number;
  /** One line. */
  readonly task: string;
  readonly access: ChildAccess;
  readonly startedAt: number;
  /** Null while it works. */
  readonly endedAt: number | null;
  /** How its last run ended; null while it works, and when unknown. */
  readonly reason: TurnEndReason | null;
  /** For all its runs; null when a part is unpriced. */
  readonly costUsd: number | null;
  /** Its last words, capped. */
  readonly text: string;
  readonly changedFiles: number;
}
