import { z } from 'zod';

/** Bytes kept beside the log under their own hash. */
export const blobRefSchema = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.number().int().nonnegative(),
});
export type BlobRef = z.infer<typeof blobRefSchema>;
