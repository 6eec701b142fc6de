import type { Syntax } from '../../recipes/code/code-syntax.ts';
import type { ProgramLanguage } from '@shared/tools/program-tool.ts';
import type { ModelReview, ProgramReview } from '@shared/events/approval-events.ts';
import type { ToolStatus } from '@shared/events/tool-events.ts';

/** What somebody is to say yes to before a program runs. */
export interface ProgramQuestion {
  readonly subject: string;
  readonly reason: string;
  /** The plan, the announced calls and the whole program. */
  readonly text: string;
  /** Absent: nothing was found. */
  readonly review?: ProgramReview;
}

/** A call of a program, as it is to be made. */
export interface ProgramCall<Tool> {
  readonly tool: Tool;
  readonly input: unknown;
  /** The hosts that a yes to the program was said for. */
  readonly hosts: readonly string[];
}

/** How a call of a program ended; `text` is whole where there is room for it. */
export interface ProgramCallResult {
  readonly status: ToolStatus;
  readonly text: string;
  readonly exitCode: number | null;
  readonly data: unknown;
  /** A question came up and there was nobody to ask. */
  readonly isUnanswered: boolean;
}

/** What the log says of programs before this one. */
export interface EarlierPrograms {
  /** How these very bytes failed, where nothing has changed since; null: they did not. */
  readonly sameFailed: string | null;
  /** Programs that failed in this turn. */
  readonly failed: number;
  /** What the last one that had something to leave left; an empty object where none had. */
  readonly state: unknown;
}

/** A program that somebody said yes to, to be imported or called. */
export interface KeptProgram {
  readonly name: string;
  readonly language: ProgramLanguage;
  readonly text: string;
}

/** The way of a program to the tools of its turn: each call passes all that a model's own call passes. */
export interface ProgramDoor<Tool> {
  /** What may be called, whether it is announced or not. */
  readonly tools: readonly Tool[];
  /** Reads an input as a model's is read; `problem`: what is wrong with it. */
  readonly read: (tool: Tool, input: unknown) => { readonly input: unknown } | { readonly problem: string };
  readonly earlier: (sha256: string) => Promise<EarlierPrograms>;
  /** Programs that were kept and may be imported. */
  readonly kept: () => Promise<readonly KeptProgram[]>;
  /** What parses a program for the review before a question. */
  readonly loadSyntax: () => Promise<Syntax>;
  /** What a model says of a program in which the rules found something; null: no model was chosen for it. */
  readonly review: (text: string) => Promise<ModelReview | null>;
  readonly ask: (question: ProgramQuestion) => Promise<'allow' | 'deny' | 'nobody'>;
  readonly call: (call: ProgramCall<Tool>, signal: AbortSignal) => Promise<ProgramCallResult>;
  /** How long people were waited for so far. */
  readonly heldMs: () => number;
}
