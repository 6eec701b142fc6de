import type { FenceHit } from '@shared/safety/fences.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { AgentsOffer, ChildAccess } from '@shared/session/agent-tree.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { ChildState } from '@shared/session/agent-tree.ts';
import type { TurnPolicy } from '@shared/routing/routing.ts';
import type { ApproveMode } from '@shared/safety/approval-grants.ts';

/** The limits, rights and models that a turn passes on to the agents that it starts. */
export interface ParentTurn {
  readonly turnId: string;
  readonly toolCallId: string;
  readonly policy: TurnPolicy;
  readonly local: string;
  readonly cloud: string | null;
  readonly modelOrder: RunOptions['modelOrder'];
  readonly approve: ApproveMode;
  readonly network: RunOptions['network'];
  readonly instructions: RunOptions['instructions'];
  /** The tools that the skills of the parent's turn leave as a whole; absent: all. */
  readonly tools?: readonly string[];
  /** The spending limit of the parent's task. Null: the limit of the settings. */
  readonly taskCapUsd: number | null;
  readonly atCap: RunOptions['atCap'];
  readonly tokensLeft: number;
  readonly millisecondsLeft: number;
  /** Content of the task that must not leave this machine. If there is any, only a local model works on the task. */
  readonly fenced: readonly FenceHit[];
}

export interface SpawnRequest {
  readonly task: string;
  readonly access: ChildAccess;
  readonly kind: string | null;
  /** `PROVIDER/MODEL`. Null: the cheapest model that the parent's policy allows and that can do it. */
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

/** A file that a child changed in its copy of the workspace. */
export interface ChildChange {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
  readonly added: number | null;
  readonly removed: number | null;
}

/** The agents that a session's agent starts. Methods reject with an AppError whose message is for the model. */
export interface ChildAgents {
  /** Null: the session may start no agents. */
  readonly offer: () => Promise<AgentsOffer | null>;
  /** Resolves when the child has ended. An abort ends the child first. */
  readonly spawn: (request: SpawnRequest, parent: ParentTurn, signal: AbortSignal) => Promise<ChildResult>;
  /** Continues a child that has ended. */
  readonly message: (
    name: string,
    message: { readonly text: string; readonly parent: ParentTurn },
    signal: AbortSignal,
  ) => Promise<ChildResult>;
  readonly list: () => readonly ChildState[];
  /** The child takes no more messages, and its resources are released. */
  readonly stop: (name: string) => Promise<void>;
  readonly changes: (name: string) => Promise<readonly ChildChange[]>;
  /** The child's changes, as diffs. */
  readonly diff: (name: string) => Promise<string>;
  /** The bytes of an image. Null: they were not kept, or are gone. */
  readonly bytes: (image: FileImage) => Promise<Uint8Array | null>;
  /** Notes in the child's log that its parent took these files. */
  readonly taken: (name: string, paths: readonly string[]) => Promise<void>;
  /** Stops all children that run, and resolves when they have ended. */
  readonly end: () => Promise<void>;
}
