import { z } from 'zod';

/** A sandbox image other than Dewpoint's own. */
export const bringImageSchema = z.discriminatedUnion('type', [
  /** From a file: the output of `docker save`, or a root file system. */
  z.object({ type: z.literal('import'), file: z.string().min(1) }),
  /** From its registry. */
  z.object({ type: z.literal('pull'), name: z.string().min(1).max(400) }),
  /** The image that a project defines, exactly as it was shown (`approval`). From then on its sessions run in it. */
  z.object({ type: z.literal('project'), projectPath: z.string().min(1), approval: z.string().length(64) }),
]);
export type BringImage = z.infer<typeof bringImageSchema>;

/** The image that a project defines, and its state. */
export interface ProjectImage {
  /** Relative to the project. */
  readonly path: string;
  /** Built from the text alone, or downloaded by name. */
  readonly kind: 'dockerfile' | 'image';
  /** The exact text of the file, or the name. */
  readonly text: string;
  /**
   * Commands that install its packages. They run at the preparation, which shows them again. And variables for its
   * commands.
   */
  readonly setup: { readonly python?: string; readonly javascript?: string };
  readonly environment: Readonly<Record<string, string>>;
  /** Requested features that it does not get, each with the reason. */
  readonly leftOut: readonly string[];
  /** The toolchains of an image that Dewpoint offers; `path` is then its name. Absent: the project defines it. */
  readonly toolchains?: readonly string[];
  /** SHA-256 of all of the above. If it changes, the user is asked again. */
  readonly approval: string;
  /** Sessions of the project run in the image that was made from exactly this. */
  readonly isUsed: boolean;
}

export interface BroughtImage {
  /** The name to use in the settings. */
  readonly name: string;
  readonly id: string;
  readonly sizeBytes: number;
}

/** Sentences about the progress, and the result at the end. */
export type BringProgress =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'ended'; readonly image: BroughtImage };
