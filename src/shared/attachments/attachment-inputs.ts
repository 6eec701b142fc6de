import { z } from 'zod';
import { blobRefSchema } from '@shared/events/blob-ref.ts';
import type { FenceVerdict } from '@shared/safety/fences.ts';

/** Where a file may lie: in the workspace of a session, or in a project for which there is none yet. */
const placeSchema = z.union([
  z.strictObject({ sessionId: z.string().min(1).max(100) }),
  z.strictObject({ projectPath: z.string().min(1).max(4096) }),
]);
export type FilePlace = z.infer<typeof placeSchema>;

export const keptFileSchema = z.object({
  name: z.string().min(1).max(500),
  /** Base64. */
  data: z.string().max(12 * 1024 * 1024),
  /** Where it lies on the machine of the core, where the host knows that; fences go by it within `place`. */
  path: z.string().min(1).max(4096).optional(),
  place: placeSchema.optional(),
});
export type KeptFile = z.infer<typeof keptFileSchema>;

export const readInput = z.object({ blob: blobRefSchema });

export const findInput = z.object({
  place: placeSchema,
  text: z.string().max(300),
  limit: z.number().int().positive().max(100).default(12),
});

/** A file or folder (with `/` at its end) of a workspace. `staysHere`: what a fence says of it. */
export interface FoundFile {
  readonly path: string;
  readonly staysHere: FenceVerdict | null;
}
