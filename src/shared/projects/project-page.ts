import type { ProjectRecord } from './project-record.ts';

/** A project with a record, as lists show it. */
export interface ProjectHead extends ProjectRecord {
  readonly id: string;
  /** What everything about it is kept by. */
  readonly key: string;
}

/** The user's own instructions for one project. */
export interface OwnInstructions {
  /** Empty: none, or a problem. */
  readonly text: string;
  /** About how many tokens each message of the project costs more. */
  readonly tokens: number;
  /** Why they cannot be used; null: they can. */
  readonly problem: string | null;
}

/** What a project is, besides what is set by its key. */
export interface ProjectPage {
  readonly key: string;
  /** Null: nothing was said about it yet. */
  readonly head: ProjectHead | null;
  readonly instructions: OwnInstructions;
  /** The file that holds them, which may be edited by hand. Null: there is no record yet. */
  readonly file: string | null;
}

/** What deleting a project takes away, and what stays. */
export interface ProjectRemoval {
  readonly key: string;
  readonly lost: readonly string[];
  readonly kept: readonly string[];
}

/** What a move would change for a talk. */
export interface MovePreview {
  readonly sessionId: string;
  /** Why it cannot be moved; null: it can. */
  readonly refused: string | null;
  /** One sentence each. Empty: nothing changes. */
  readonly changes: readonly string[];
}
