import { z } from 'zod';
import { ownToolDeclarationSchema, ownToolNameSchema } from './own-tool.ts';

/** The name, description and input schema under which a program is kept. */
export const keptNamesSchema = z.object({
  name: ownToolNameSchema,
  description: ownToolDeclarationSchema.shape.description,
  input_schema: ownToolDeclarationSchema.shape.input_schema.optional(),
});
export type KeptNames = z.infer<typeof keptNamesSchema>;
