import { z } from 'zod';

const bytesSchema = z.number().int().nonnegative();
/** A question to the memory planner: a known model, or the keys of a header. Null where nothing is asked. */
export const memoryPlanInputSchema = z.object({
  model: z.string().min(1).nullable(),
  keys: z.record(z.string(), z.unknown()).nullable(),
  context: z.number().int().positive().nullable(),
  kv: z.enum(['f16', 'q8_0', 'q4_0']).nullable(),
  flash: z.boolean(),
  ubatch: z.number().int().positive(),
  slots: z.number().int().positive().max(256),
  unified: z.boolean(),
  engine: z.enum(['llama-server', 'node-llama-cpp']),
  /** Imagined cards; null: those of this machine. */
  cards: z.array(z.object({ totalBytes: bytesSchema, freeBytes: bytesSchema })).nullable(),
});
export type MemoryPlanInput = z.infer<typeof memoryPlanInputSchema>;
