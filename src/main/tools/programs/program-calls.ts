import type { Syntax } from '../../recipes/code/code-syntax.ts';
import type { ProgramLanguage } from '@shared/tools/program-tool.ts';
import type { ModelReview, ProgramReview } from '@shared/events/approval-events.ts';
import type { ProgramWriter } from '@shared/tools/program-writer.ts';
import type { ToolStatus } from '@shared/events/tool-events.ts';

/** The question that the user must approve before a program runs. */
export interface ProgramQuestion {
  readonly subject: string;
  readonly reason: string;
  /** The plan, the announced calls and the whole program. */
  readonly text: string;
  /** Absent: the review found nothing. */
  readonly review?: ProgramReview;
}

/** A call that a program wants to make. */
export interface ProgramCall<Tool> {
  readonly tool: Tool;
  readonly input: unknown;
  /** The hosts that were approved with the program. */
  readonly hosts: readonly string[];
}

/** The outcome of a program's call. `text` is whole if there is room for it. */
export interface ProgramCallResult {
  readonly status: ToolStatus;
  readonly text: string;
  readonly exitCode: number | null;
  readonly data: unknown;
  /** A question came up, and nobody could be asked. */
  readonly isUnanswered: boolean;
}

/** What the log says about earlier programs. */
export interface EarlierPrograms {
  /** How exactly this program failed before, if nothing has changed since. Null: it did not. */
  readonly sameFailed: string | null;
  /** How many programs failed in this turn. */
  readonly failed: number;
  /** The state that an earlier program left last. An empty object if none did. */
  readonly state: unknown;
}

/** What earlier calls of one tool took, by the log of the session. */
export interface EarlierCalls {
  /** The time of each call that was made, without the time that it waited for people. */
  readonly ms: readonly number[];
  /** What models cost that the tool's server asked, for each call. Null: it asked none, or a cost is unknown. */
  readonly modelUsd: number | null;
}

/** An approved program that can be imported or called. */
export interface KeptProgram {
  readonly name: string;
  readonly language: ProgramLanguage;
  readonly text: string;
  readonly writer: ProgramWriter | null;
}

/** The program's access to the tools of its turn. Each call passes the same checks as a call of the model. */
export interface ProgramDoor<Tool> {
  /** The tools that may be called, announced or not. */
  readonly tools: readonly Tool[];
  /** Parses an input like one from a model. `problem`: what is wrong with it. */
  readonly read: (tool: Tool, input: unknown) => { readonly input: unknown } | { readonly problem: string };
  readonly earlier: (sha256: string) => Promise<EarlierPrograms>;
  /** What writes the programs of this turn: the model that made this call. */
  readonly writer: () => ProgramWriter;
  /** What earlier calls took, by the name of their tool. */
  readonly earlierCalls: () => Promise<ReadonlyMap<string, EarlierCalls>>;
  /** Kept programs that may be imported. */
  readonly kept: () => Promise<readonly KeptProgram[]>;
  /** Loads the parser for the review before a question. */
  readonly loadSyntax: () => Promise<Syntax>;
  /** A model's review of a program in which the rules found something. Null: no model was chosen for it. */
  readonly review: (text: string) => Promise<ModelReview | null>;
  readonly ask: (question: ProgramQuestion) => Promise<'allow' | 'deny' | 'nobody'>;
  readonly call: (call: ProgramCall<Tool>, signal: AbortSignal) => Promise<ProgramCallResult>;
  /** How long the program has waited for people so far, in milliseconds. */
  readonly heldMs: () => number;
}
