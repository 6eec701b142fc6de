import { z } from 'zod';

/** An image of the sandbox other than Dewpoint's own. */
export const bringImageSchema = z.discriminatedUnion('type', [
  /** Out of a file: what `docker save` wrote, or the root of a file system. */
  z.object({ type: z.literal('import'), file: z.string().min(1) }),
  /** From its registry. */
  z.object({ type: z.literal('pull'), name: z.string().min(1).max(400) }),
  /** What a project brings along, as it was shown (`approval`); from then on its sessions run in it. */
  z.object({ type: z.literal('project'), projectPath: z.string().min(1), approval: z.string().length(64) }),
]);
export type BringImage = z.infer<typeof bringImageSchema>;

/** The image that a project brings along, and how it stands. */
export interface ProjectImage {
  /** Relative to the project. */
  readonly path: string;
  /** Built from the text, which is all that the build is given, or fetched by its name. */
  readonly kind: 'dockerfile' | 'image';
  /** The exact text of the file, or the name. */
  readonly text: string;
  /** Commands that install its packages, run when they are prepared and shown again then; and variables for its commands. */
  readonly setup: { readonly python?: string; readonly javascript?: string };
  readonly environment: Readonly<Record<string, string>>;
  /** What it asks for besides and does not get, each with the reason. */
  readonly leftOut: readonly string[];
  /** SHA-256 of all of that; other bytes are asked about again. */
  readonly approval: string;
  /** Sessions of the project run in the image that was made of exactly this. */
  readonly isUsed: boolean;
}

export interface BroughtImage {
  /** As the settings take it. */
  readonly name: string;
  readonly id: string;
  readonly sizeBytes: number;
}

/** A sentence about what is being done, and at the end what came of it. */
export type BringProgress =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'ended'; readonly image: BroughtImage };
