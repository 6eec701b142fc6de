import { z } from 'zod';
import { ownToolFactsSchema } from '@shared/tools/own-tool.ts';

/**
 * A tool that is not built in. The facts of each turn hold it in full, so that a replay reads the calls as they were
 * read, without the server.
 */
export const connectedToolSchema = z.object({
  /** The name for models: `server__tool`. */
  name: z.string(),
  server: z.string(),
  /** The server's name for it. */
  tool: z.string(),
  description: z.string(),
  /** The server's schema, unchanged. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** Whether its input may leave this machine. */
  leaves: z.boolean(),
  /** Whether it may read files on this machine. */
  readsFiles: z.boolean(),
  /** The user marked it as only reading: an equal call in a turn reuses the earlier result. */
  reads: z.literal(true).optional(),
  /** It may pass on calls of other tools, which are in its arguments. */
  isRouter: z.literal(true).optional(),
  /** Set for a tool from a file of the user or the project, instead of a server. */
  own: ownToolFactsSchema.optional(),
});
export type ConnectedToolSpec = z.infer<typeof connectedToolSchema>;
