import { z } from 'zod';
import type { TurnEndReason } from '@shared/events/turn-events.ts';

/** A child works on the files of its parent without changing any, or on a copy of its own. */
export const childAccessSchema = z.enum(['read-only', 'own-copy']);

export type ChildAccess = z.infer<typeof childAccessSchema>;

/** A child of a child is no help that a parent can look over: the depth of the tree ends here, whoever asks. */
export const mostDepth = 1;

/** A kind of agent that a file describes, as a model is told of it. */
export const agentOfferSchema = z.object({ name: z.string(), description: z.string() });

/** What a turn may start agents of; it is logged, so that a replay builds the same prompt. */
export const agentsOfferSchema = z.object({ kinds: z.array(agentOfferSchema) });

export type AgentsOffer = z.infer<typeof agentsOfferSchema>;

/** Where a session stands in the tree of those that agents and forks made; what is capped is capped for the whole tree. */
export const treePlaceSchema = z.object({
  rootId: z.string(),
  depth: z.number().int().nonnegative(),
  /** The session whose agent started it, and the call; absent for a fork. */
  by: z.object({ sessionId: z.string(), toolCallId: z.string(), name: z.string() }).optional(),
});

export type TreePlace = z.infer<typeof treePlaceSchema>;

/** An agent in a session of its own. */
export interface ChildState {
  readonly sessionId: string;
  readonly name: string;
  readonly kind: string | null;
  /** `PROVIDER/MODEL`, where one was named. */
  readonly model: string | null;
  readonly tools: readonly string[] | null;
  /** What all its runs together may cost, in US dollars; null: as much as its parent may. */
  readonly maxUsd: number | null;
  /** The most steps of each of its runs; absent: the usual. */
  readonly maxSteps?: number;
  /** One line. */
  readonly task: string;
  readonly access: ChildAccess;
  readonly startedAt: number;
  /** Null while it works. */
  readonly endedAt: number | null;
  /** How its last run ended; null while it works, and where nobody knows. */
  readonly reason: TurnEndReason | null;
  /** Of all its runs; null: a part of it is unpriced. */
  readonly costUsd: number | null;
  /** What it said at the end. Capped. */
  readonly text: string;
  readonly changedFiles: number;
}
