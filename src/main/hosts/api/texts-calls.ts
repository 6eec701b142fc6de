import { z } from 'zod';
import type { EndpointTexts, TextsRead } from '@shared/contract/endpoint-contract.ts';
import { parseBody, WireProblem } from '../../models/wire/decode-parts.ts';

/** A call that is answered as a whole: how to read it, and how to write its answer. */
export interface ReadTextsCall {
  readonly texts: EndpointTexts;
  /** Throws a `WireProblem` for what this model cannot provide. */
  readonly write: (read: Extract<TextsRead, { ok: true }>) => unknown;
}

const mostTexts = 2_048;
const textSchema = z.string().min(1);

const embeddingsSchema = z.object({
  model: z.string(),
  input: z.union([textSchema, z.array(textSchema).min(1).max(mostTexts)], {
    error: `input: a text, or a list of up to ${mostTexts} texts. None of them may be empty, and tokens are not taken.`,
  }),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.number().int().positive().nullish(),
});

/** OpenAI's embeddings API. */
export function readEmbeddingsCall(body: unknown): ReadTextsCall {
  const { model, input, encoding_format: format, dimensions } = parseBody(embeddingsSchema, body);
  return {
    texts: { model, texts: typeof input === 'string' ? [input] : input, query: null },
    write: ({ model: by, rows, tokens }) => {
      checkLength(by, rows, dimensions ?? null);
      return {
        object: 'list',
        data: rows.map((row, index) => ({
          object: 'embedding',
          index,
          embedding: format === 'base64' ? row : [...numbersOf(row)],
        })),
        model: by,
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      };
    },
  };
}

/** Refuses other lengths: no model file says whether its vectors may be shortened, and a wrong cut is harmful. */
function checkLength(model: string, rows: readonly string[], dimensions: number | null): void {
  const length = numbersOf(rows[0] ?? '').length;
  if (dimensions === null || dimensions === length) return;
  throw new WireProblem(`dimensions: vectors of ${model} have ${length} numbers, and are not cut.`);
}

const rerankSchema = z.object({
  model: z.string(),
  query: textSchema,
  documents: z
    .array(z.union([textSchema, z.object({ text: textSchema })]))
    .min(1)
    .max(mostTexts),
  top_n: z.number().int().positive().nullish(),
  return_documents: z.boolean().nullish(),
});

/** The form of Jina, Cohere and llama-server: the best document comes first. */
export function readRerankCall(body: unknown): ReadTextsCall {
  const { model, query, documents, top_n: most, return_documents: returns } = parseBody(rerankSchema, body);
  const texts = documents.map((document) => (typeof document === 'string' ? document : document.text));
  return {
    texts: { model, texts, query },
    write: ({ model: by, rows, tokens }) => ({
      object: 'list',
      model: by,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
      results: rows
        .map((row, index) => ({ index, relevance_score: numbersOf(row)[0] ?? 0 }))
        .sort((left, right) => right.relevance_score - left.relevance_score || left.index - right.index)
        .slice(0, most ?? undefined)
        .map((one) => (returns === true ? { ...one, document: { text: texts[one.index] ?? '' } } : one)),
    }),
  };
}

function numbersOf(base64: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 4));
}
