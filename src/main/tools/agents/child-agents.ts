import type { FenceHit } from '@shared/safety/fences.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { AgentsOffer, ChildAccess } from '@shared/session/agent-tree.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { ChildState } from '@shared/session/agent-tree.ts';
import type { TurnPolicy } from '@shared/routing/routing.ts';
import type { ApproveMode } from '@shared/safety/approval-grants.ts';

/** What the work of a turn lays on the agents that it starts. */
export interface ParentTurn {
  readonly turnId: string;
  readonly toolCallId: string;
  readonly policy: TurnPolicy;
  readonly local: string;
  readonly cloud: string | null;
  readonly approve: ApproveMode;
  readonly network: RunOptions['network'];
  readonly instructions: RunOptions['instructions'];
  /** The cap of the parent's task; null: that of the settings. */
  readonly taskCapUsd: number | null;
  readonly atCap: RunOptions['atCap'];
  readonly tokensLeft: number;
  readonly millisecondsLeft: number;
  /** What the task was built from and is not to leave: then it is worked on here alone. */
  readonly fenced: readonly FenceHit[];
}

export interface SpawnRequest {
  readonly task: string;
  readonly access: ChildAccess;
  readonly kind: string | null;
  /** `PROVIDER/MODEL`; null: as the parent's policy has it, the cheapest that can. */
  readonly model: string | null;
  readonly tools: readonly string[] | null;
  readonly maxSteps: number | null;
  readonly maxUsd: number | null;
}

/** How a run of a child ended, as its parent is told. */
export interface ChildResult {
  readonly child: ChildState;
  readonly reason: string;
  readonly text: string;
  readonly seconds: number;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly changes: readonly ChildChange[];
}

/** A file that a child left otherwise than it found it in its copy. */
export interface ChildChange {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
  readonly added: number | null;
  readonly removed: number | null;
}

/** The agents that the agent of one session starts. Rejects with an AppError that says why, for the model to read. */
export interface ChildAgents {
  /** Null: it may start none. */
  readonly offer: () => Promise<AgentsOffer | null>;
  /** Ends when the child has; an abort ends the child first. */
  readonly spawn: (request: SpawnRequest, parent: ParentTurn, signal: AbortSignal) => Promise<ChildResult>;
  /** Goes on with one that has ended. */
  readonly message: (
    name: string,
    message: { readonly text: string; readonly parent: ParentTurn },
    signal: AbortSignal,
  ) => Promise<ChildResult>;
  readonly list: () => readonly ChildState[];
  /** It takes no more messages, and what it holds is given back. */
  readonly stop: (name: string) => Promise<void>;
  readonly changes: (name: string) => Promise<readonly ChildChange[]>;
  /** What it changed, as diffs. */
  readonly diff: (name: string) => Promise<string>;
  /** The bytes of an image; null: they are gone, or were not kept. */
  readonly bytes: (image: FileImage) => Promise<Uint8Array | null>;
  /** Notes in the child's log that its parent took these. */
  readonly taken: (name: string, paths: readonly string[]) => Promise<void>;
  /** Ends all that work, and waits for that. */
  readonly end: () => Promise<void>;
}
