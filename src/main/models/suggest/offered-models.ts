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
    /** Null: not known. The hub is asked before the download, and its answer is pinned. */
    bytes: z.number().int().positive().nullable(),
    /** Used to choose: the exact size, or a size that a source gives in GiB or with a projector. */
    aboutBytes: z.number().int().positive().nullable(),
    sha256: sha256.nullable(),
    /** Why the revision, size or hash is not known. */
    unknown: text.nullable(),
    /** What it loses compared with the full model, and who measured that. Absent: no source says. */
    loss: z.strictObject({ text, source: z.url(), seen }).optional(),
    seen,
  })
  .refine((file) => (file.bytes !== null && file.sha256 !== null && file.revision !== null) || file.unknown !== null, {
    message: 'What was not seen needs a reason.',
  });
export type OfferedFile = z.infer<typeof fileSchema>;

/** What a file loses compared with the full model, with its source. */
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
    /** The entry of `resources/models.json` with its header keys, for the memory planner. */
    header: z.string().nullable(),
    contextBytesPerToken: z.number().int().positive().nullable(),
    parametersB: z.number().positive().nullable(),
    activeB: z.number().positive().nullable(),
    contextTokens: z.number().int().positive().nullable(),
    license: z.string().nullable(),
    files: z.array(fileSchema).min(1),
    /** `llama-cpp` means that the built-in engine supports the chat format of the family. */
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
    /** By the mode that the source names. Null: the source gives no values for it. */
    sampling: z.record(z.string(), samplingSchema.nullable()),
    projector: z
      .strictObject({ file: text, bytes: z.number().int().positive().nullable(), sha256: sha256.nullable() })
      .nullable(),
    draft: z.string().nullable(),
    /** Files from before this day are broken and must be downloaded again. */
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
    /** For each field that is null, the reason. */
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

/** A model that makes vectors or scores for a search. The best of each use comes first. */
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
    /** For each field that is null, the reason. */
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
  /** Absent in older catalogs. */
  readers: z.array(offeredReaderSchema).default([]),
});
export type OfferedCatalog = z.infer<typeof offeredCatalogSchema>;

/** Parses `resources/catalog.json`. Throws if it is not valid, which is a fault of the build. */
export function parseOffered(data: unknown): OfferedCatalog {
  return offeredCatalogSchema.parse(data);
}
