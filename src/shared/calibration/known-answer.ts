import { z } from 'zod';

const nameSchema = z.string().min(1).max(4096);
const namesSchema = z.array(nameSchema).max(1000);

/** What a right answer to a question contains. */
export const knownAnswerSchema = z.discriminatedUnion('type', [
  /** This file, named before the others, of which an answer may name one. */
  z.object({ type: z.literal('file'), path: nameSchema, others: namesSchema }),
  /** All these names, and few of the others. */
  z.object({ type: z.literal('names'), names: namesSchema.min(1), others: namesSchema }),
  /** Words, and none of these names: who knows them has looked where it must not. */
  z.object({ type: z.literal('without'), others: namesSchema.min(1) }),
]);
export type KnownAnswer = z.infer<typeof knownAnswerSchema>;
