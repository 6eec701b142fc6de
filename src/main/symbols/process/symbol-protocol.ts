import { z } from 'zod';

const text = z.string();
const project = { id: z.number(), project: text };

/** Requests to the process that keeps the names of projects. Texts of files travel only over the pipe between both. */
export const symbolRequestSchema = z.discriminatedUnion('type', [
  /** Which files there are, with a fingerprint each. Answers with the paths whose text is needed. */
  z.object({ ...project, type: z.literal('sync'), files: z.array(z.tuple([text, text])) }),
  /** The texts of such files; null: it has none that can be read. */
  z.object({
    ...project,
    type: z.literal('add'),
    files: z.array(z.object({ path: text, fingerprint: text, text: text.nullable() })),
  }),
  z.object({ ...project, type: z.literal('rank'), words: text, touched: z.array(text), limit: z.number() }),
  z.object({ ...project, type: z.literal('map'), words: text, touched: z.array(text), tokens: z.number() }),
  z.object({ ...project, type: z.literal('find'), names: z.array(text) }),
  z.object({ ...project, type: z.literal('outline'), path: text }),
]);
export type SymbolRequest = z.infer<typeof symbolRequestSchema>;

export const symbolReplySchema = z.discriminatedUnion('type', [
  z.object({ id: z.number(), type: z.literal('done'), value: z.unknown() }),
  z.object({ id: z.number(), type: z.literal('failed'), message: text }),
]);
export type SymbolReply = z.infer<typeof symbolReplySchema>;

export const foundSymbolSchema = z.object({
  path: text,
  /** 1-based, as `endLine`. */
  line: z.number(),
  endLine: z.number(),
  name: text,
  /** `function`, `method`, `class`, `interface`, `type`, `constant`, `module`, `macro` or `field`. */
  what: text,
  signature: text,
  /** What it belongs to, such as its class. */
  container: text.nullable(),
});
/** A definition with its place. */
export type FoundSymbol = z.infer<typeof foundSymbolSchema>;

export const rankedSymbolSchema = foundSymbolSchema.extend({ score: z.number() });
export type RankedSymbol = z.infer<typeof rankedSymbolSchema>;

export const foundNamesSchema = z.object({
  definitions: z.array(foundSymbolSchema),
  references: z.array(
    z.object({
      path: text,
      line: z.number(),
      name: text,
      /** The definition around it; null: none. */
      inside: text.nullable(),
    }),
  ),
  /** How many definitions are not named, and whether there are more uses than are. */
  moreDefinitions: z.number(),
  hasMoreReferences: z.boolean(),
});
export type FoundNames = z.infer<typeof foundNamesSchema>;

export const projectMapSchema = z.object({
  /** Empty: there is nothing to show. */
  text,
  files: z.number(),
  definitions: z.number(),
  /** Of the whole project. */
  all: z.object({ files: z.number(), definitions: z.number() }),
});
export type ProjectMap = z.infer<typeof projectMapSchema>;
