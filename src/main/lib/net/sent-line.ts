import { z } from 'zod';

/**
 * A line in the record of what left this machine. `out` and `in` are what moved since the line before it of the same
 * connection: the bytes of TCP that the system took and gave.
 */
export const sentLineSchema = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  /** The number of the connection in its file. */
  id: z.number().int(),
  /**
   * `open`: connected, nothing sent yet. `request`: a request is about to go. `more`: bytes moved. `closed`: it is
   * over. `unseen`: a program was started that has a network of its own, which nobody counts.
   */
  state: z.enum(['open', 'request', 'more', 'closed', 'unseen']),
  /** Where it goes in the end: for a connection through a proxy, not the proxy. */
  host: z.string(),
  port: z.number().int().nullable(),
  isHere: z.boolean(),
  out: z.number().int(),
  in: z.number().int(),
  /** The size of a request with its body. Null: it is not known. */
  announced: z.number().int().nullable().optional(),
  why: z.object({
    sessionId: z.string().optional(),
    project: z.string().optional(),
    command: z.string().optional(),
    model: z.string().optional(),
    step: z.number().int().optional(),
    tool: z.string().optional(),
    toolCallId: z.string().optional(),
    server: z.string().optional(),
  }),
});
export type SentLine = Readonly<z.infer<typeof sentLineSchema>>;
