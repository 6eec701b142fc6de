import { z } from 'zod';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** `read`: in a named source. `reported`: by others, or in a source whose name was not recorded. */
const seen = z.enum(['read', 'reported']);
const text = z.string().min(1);
const reasoned = z.record(z.string(), text);

const fileSchema = z
  .strictObject({
    quantization: text,
    repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
    revision: z.string().nullable(),
    file: z.string().endsWith('.gguf'),
    /** Null: not seen. The hub is asked before the download, and what it says is pinned. */
    bytes: z.number().int().positive().nullable(),
    /** For choosing: the exact size, or one that a source gives in GiB or with a projector. */
    aboutBytes: z.number().int().positive().nullable(),
    sha256: sha256.nullable(),
    /** Why revision, size or hash is not known. */
    unknown: text.nullable(),
    /** What it loses against the full model, by whoever measured; absent: no source says. */
    loss: z.strictObject({ text, source: z.url(), seen }).optional(),
    seen,
  })
  .refine((file) => (file.bytes !== null && file.sha256 !== null && file.revision !== null) || file.unknown !== null, {
    message: 'What was not seen needs a reason.',
  });
export type OfferedFile = z.infer<typeof fileSchema>;

/** What a source says that a file loses against the full model. */
export function lossOf({ loss }: OfferedFile): string {
  return loss === undefined ? 'what it loses against the full model is not known' : `${loss.text} (${loss.source})`;
}

const samplingSchema = z
  .strictObject({
    temperature: z.number(),
    topP: z.number(),
    topK: z.number(),
    minP: z.number(),
    repeatPenalty: z.number(),
    presencePenalty: z.number(),
  })
  .partial();

const offeredSchema = z
  .strictObject({
    id: text,
    label: text,
    family: text,
    kind: z.enum(['dense', 'moe']),
    architecture: z.string().nullable(),
    /** The entry of `resources/models.json` with the keys of its header, for the memory planner. */
    header: z.string().nullable(),
    contextBytesPerToken: z.number().int().positive().nullable(),
    parametersB: z.number().positive().nullable(),
    activeB: z.number().positive().nullable(),
    contextTokens: z.number().int().positive().nullable(),
    license: z.string().nullable(),
    files: z.array(fileSchema).min(1),
    /** `llama-cpp`: the engine inside has a chat wrapper for the family. */
    engines: z.array(z.enum(['llama-cpp', 'ollama', 'llama-server'])).min(1),
    ollama: z.strictObject({ tag: text, seen }).nullable(),
    minEngineBuild: z.string().nullable(),
    tools: z.enum(['native', 'none']),
    thinking: z.strictObject({
      switch: z.string().nullable(),
      effort: z.string().nullable().optional(),
      keep: z.string().nullable().optional(),
      effortDefault: z.enum(['off', 'low', 'medium', 'high']).nullable(),
    }),
    /** By the mode that the source names; null: the source has none for it. */
    sampling: z.record(z.string(), samplingSchema.nullable()),
    projector: z
      .strictObject({ file: text, bytes: z.number().int().positive().nullable(), sha256: sha256.nullable() })
      .nullable(),
    draft: z.string().nullable(),
    /** Files from before this day are wrong and must be fetched again. */
    badBefore: z.strictObject({ date: z.iso.date(), why: text, source: z.url() }).nullable(),
    scores: z.array(
      z.strictObject({
        bench: text,
        value: text,
        by: z.enum(['maker', 'rival', 'outside', 'mixed']),
        source: text,
        seen,
      }),
    ),
    sources: z.array(text).min(1),
    note: text,
    /** Why a field is null, by its name. */
    unknown: reasoned,
  })
  .superRefine((model, context) => {
    const effort = model.thinking.effortDefault === null ? ['effortDefault'] : [];
    const named = [
      'architecture',
      'contextTokens',
      'parametersB',
      'activeB',
      'license',
      'ollama',
      'minEngineBuild',
      'projector',
      'draft',
      'badBefore',
    ] as const;
    for (const field of [...named.filter((name) => model[name] === null), ...effort])
      if (model.unknown[field] === undefined)
        context.addIssue({ code: 'custom', message: `${model.id}: ${field} is null without a reason.` });
  });
export type OfferedModel = z.infer<typeof offeredSchema>;

/** A model for a search, which answers nothing. The best of its use comes first. */
const offeredReaderSchema = z
  .strictObject({
    id: text,
    label: text,
    use: z.enum(['vectors', 'scores']),
    parametersB: z.number().positive(),
    contextTokens: z.number().int().positive().nullable(),
    license: z.string().nullable(),
    file: fileSchema,
    ollama: z.strictObject({ tag: text, seen }).nullable(),
    why: text,
    sources: z.array(text).min(1),
    /** Why a field is null, by its name. */
    unknown: reasoned,
  })
  .superRefine((model, context) => {
    for (const field of (['contextTokens', 'license', 'ollama'] as const).filter((name) => model[name] === null))
      if (model.unknown[field] === undefined)
        context.addIssue({ code: 'custom', message: `${model.id}: ${field} is null without a reason.` });
  });

const offeredCatalogSchema = z.strictObject({
  version: z.literal(1),
  date: z.iso.date(),
  models: z.array(offeredSchema),
  /** Absent in catalogs from before there were any. */
  readers: z.array(offeredReaderSchema).default([]),
});
export type OfferedCatalog = z.infer<typeof offeredCatalogSchema>;

/** Parses `resources/catalog.json`; throws for a catalog that is wrong, which is a fault of the build. */
export function parseOffered(data: unknown): OfferedCatalog {
  return offeredCatalogSchema.parse(data);
}
