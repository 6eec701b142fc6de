import { z } from 'zod';
import { ownToolDeclarationSchema, ownToolNameSchema } from './own-tool.ts';

/** How a program is called that is to be kept. */
export const keptNamesSchema = z.object({
  name: ownToolNameSchema,
  description: ownToolDeclarationSchema.shape.description,
  input_schema: ownToolDeclarationSchema.shape.input_schema.optional(),
});
export type KeptNames = z.infer<typeof keptNamesSchema>;
