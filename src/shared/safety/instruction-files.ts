import { z } from 'zod';

/**
 * What is known of a file of instructions that a project brings along. `approved`: a person has said yes to exactly
 * these bytes; `new`: nobody has; `changed`: to other bytes of it; `unfit`: it cannot be shown as it is, so nobody can.
 */
export const instructionStateSchema = z.enum(['approved', 'new', 'changed', 'unfit']);
export type InstructionState = z.infer<typeof instructionStateSchema>;

/** Whether a run takes a project's instructions: as they were approved, as they are, or not at all. */
export const runInstructionsSchema = z.enum(['ask', 'use', 'off']);
export type RunInstructions = z.infer<typeof runInstructionsSchema>;

/** What became of a project's instructions in a turn; part of the events (`events.ts`). */
export const instructionEvents = {
  'instructions-found': z.object({
    path: z.string(),
    /** Of the bytes that were looked at; null where they could not be read. */
    sha256: z.string().nullable(),
    state: instructionStateSchema,
    use: z.enum(['used', 'held']),
    /** Why, in a sentence. */
    reason: z.string(),
  }),
} as const;

/** A file of instructions as it lies in a project now. */
export interface InstructionFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Null where `state` is `unfit`. */
  readonly sha256: string | null;
  readonly state: InstructionState;
  /** Of the file as it is; null where it cannot be shown. */
  readonly text: string | null;
  /** From the bytes that were approved to those of now; null where they are the same, or none were. */
  readonly diff: string | null;
  /** Why it is `unfit`; null where it is not. */
  readonly problem: string | null;
}

/** What is longer is held back: nobody reads it before they say yes. */
export const maxInstructionBytes = 128 * 1024;

/** The best known first: where a project has several they say much the same. */
const names: readonly string[] = ['agents.md', 'claude.md', 'gemini.md', 'copilot-instructions.md'];

/** Where a project has kinds of agents, each a file that is used as instructions are: after a yes to its bytes. */
export const definitionFolder = '.dewpoint/agents';

/** Those of a project's files that are instructions for agents: nearest first, then best known. */
export function instructionPaths(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => names.includes(nameOf(path)) && path.split('/').length <= 2)
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
}

function rank(path: string): number {
  return path.split('/').length * 10 + names.indexOf(nameOf(path));
}

function nameOf(path: string): string {
  return (path.split('/').pop() ?? '').toLowerCase();
}
