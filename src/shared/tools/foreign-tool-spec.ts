import { z } from 'zod';
import { ownToolFactsSchema } from '@shared/tools/own-tool.ts';

/**
 * A tool that Dewpoint does not bring. It stands in the facts of each turn, whole, so that a replay reads the calls as they
 * were read, with no server near.
 */
export const foreignToolSchema = z.object({
  /** As models call it: `server__tool`. */
  name: z.string(),
  server: z.string(),
  /** As its server calls it. */
  tool: z.string(),
  description: z.string(),
  /** As the server gave it, word for word. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** Whether what it is given may leave this machine. */
  leaves: z.boolean(),
  /** Whether it may read files of this machine. */
  readsFiles: z.boolean(),
  /** By the word of the person it only reads: an equal call in a turn is answered by the one before. */
  reads: z.literal(true).optional(),
  /** It may pass on calls of other tools, which stand in its arguments. */
  isRouter: z.literal(true).optional(),
  /** Of a tool that is a file of the person's or the project's, and no server's. */
  own: ownToolFactsSchema.optional(),
});
export type ForeignToolSpec = z.infer<typeof foreignToolSchema>;
