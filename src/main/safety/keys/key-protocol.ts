import { z } from 'zod';

/** Requests to the key process. Values travel only over the pipe between the two processes. */
export const keyRequestSchema = z.discriminatedUnion('type', [
  z.object({ id: z.number(), type: z.literal('get'), service: z.string(), account: z.string() }),
  z.object({ id: z.number(), type: z.literal('set'), service: z.string(), account: z.string(), value: z.string() }),
  z.object({ id: z.number(), type: z.literal('delete'), service: z.string(), account: z.string() }),
]);
export type KeyRequest = z.infer<typeof keyRequestSchema>;

export const keyReplySchema = z.discriminatedUnion('type', [
  /** The native library cannot be loaded on this machine (Linux without libsecret). */
  z.object({ type: z.literal('not-loaded'), message: z.string() }),
  /** `value`: the result of `get`; null for `set` and `delete`. */
  z.object({ id: z.number(), type: z.literal('done'), value: z.string().nullable() }),
  z.object({ id: z.number(), type: z.literal('failed'), message: z.string() }),
]);
export type KeyReply = z.infer<typeof keyReplySchema>;
