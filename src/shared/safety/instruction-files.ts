import { z } from 'zod';

/**
 * The approval of a project's instruction file. `approved`: the user approved exactly these bytes. `new`: nobody has
 * approved any. `changed`: other bytes were approved. `unfit`: it cannot be shown as it is, so nobody can approve it.
 */
export const instructionStateSchema = z.enum(['approved', 'new', 'changed', 'unfit']);
export type InstructionState = z.infer<typeof instructionStateSchema>;

/** Whether a run uses a project's instructions: only approved ones, any, or none. */
export const runInstructionsSchema = z.enum(['ask', 'use', 'off']);

/** What happened to a project's instructions in a turn. Part of the events (`events.ts`). */
export const instructionEvents = {
  'instructions-found': z.object({
    path: z.string(),
    /** Hash of the bytes that were read; null when they could not be read. */
    sha256: z.string().nullable(),
    state: instructionStateSchema,
    use: z.enum(['used', 'held']),
    /** The reason, in one sentence. */
    reason: z.string(),
  }),
} as const;

/** An instruction file of a project, as it is now. */
export interface InstructionFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Null when `state` is `unfit`. */
  readonly sha256: string | null;
  readonly state: InstructionState;
  /** The file's current text; null when it cannot be shown. */
  readonly text: string | null;
  /** Difference between the approved bytes and the current ones; null when they are equal, or none were approved. */
  readonly diff: string | null;
  /** Why it is `unfit`; null when it is not. */
  readonly problem: string | null;
}

/** A longer file is held back, because nobody would read it before approving it. */
export const maxInstructionBytes = 128 * 1024;

/** Best known first. If a project has several, they say much the same. */
const names: readonly string[] = ['agents.md', 'claude.md', 'gemini.md', 'copilot-instructions.md'];

/**
 * The folder of a project's kinds of agents. Like instructions, each file is used only after its bytes were approved.
 */
export const definitionFolder = '.dewpoint/agents';

/** The paths of a project's instruction files: nearest first, then best known. */
export function instructionPaths(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => names.includes(lowerFileName(path)) && path.split('/').length <= 2)
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
}

function rank(path: string): number {
  return path.split('/').length * 10 + names.indexOf(lowerFileName(path));
}

function lowerFileName(path: string): string {
  return (path.split('/').pop() ?? '').toLowerCase();
}
