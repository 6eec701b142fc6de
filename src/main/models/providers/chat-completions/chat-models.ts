import { z } from 'zod';
import type { ListedModel } from '../api/bundled-models.ts';

const count = z.number().int().positive().nullish().catch(null);
const flag = z.boolean().nullish().catch(null);
const money = z.union([z.string(), z.number()]).nullish().catch(null);
const priceSchema = z.object({ prompt: money, completion: money, input: money, output: money }).nullish().catch(null);

/** One entry of `/models`, with the extra fields of all known services. */
const entrySchema = z.object({
  id: z.string(),
  name: z.string().nullish().catch(null),
  display_name: z.string().nullish().catch(null),
  type: z.string().nullish().catch(null),
  active: flag,
  context_length: count,
  context_window: count,
  max_context_length: count,
  max_model_len: count,
  meta: z.object({ n_ctx: count, n_ctx_train: count }).nullish().catch(null),
  supports_tools: flag,
  supports_image_input: flag,
  supports_chat: flag,
  supported_parameters: z.array(z.string()).nullish().catch(null),
  architecture: z
    .object({ input_modalities: z.array(z.string()).nullish() })
    .nullish()
    .catch(null),
  capabilities: z
    .object({ completion_chat: flag, function_calling: flag, vision: flag, reasoning: flag })
    .nullish()
    .catch(null),
  pricing: priceSchema,
  providers: z
    .array(z.object({ context_length: count, supports_tools: flag, pricing: priceSchema }))
    .nullish()
    .catch(null),
});

const listSchema = z.union([
  z.object({ data: z.array(z.unknown()) }).transform((list) => list.data),
  z.array(z.unknown()),
]);

/**
 * Reads the list of models of any service that speaks Chat Completions. Leaves out models that cannot chat. Throws
 * if the body is no list.
 */
export function readChatModels(body: unknown): readonly ListedModel[] {
  return listSchema.parse(body).flatMap((value) => {
    const entry = entrySchema.safeParse(value);
    return entry.success && canChat(entry.data) ? [listed(entry.data)] : [];
  });
}

type Entry = z.infer<typeof entrySchema>;

const notForChat = /embed|whisper|\btts\b|moderation|rerank|transcri|image-gen|dall-e|stable-diffusion|flux/iu;

function canChat(entry: Entry): boolean {
  if (entry.active === false || entry.supports_chat === false || entry.capabilities?.completion_chat === false)
    return false;
  if (entry.type !== null && entry.type !== undefined && /embedding|image|audio|rerank|moderation/u.test(entry.type))
    return false;
  return !notForChat.test(entry.id);
}

function listed(entry: Entry): ListedModel {
  const inputs = entry.architecture?.input_modalities;
  const parameters = entry.supported_parameters;
  const served = entry.providers ?? [];
  return {
    name: entry.id,
    label: entry.display_name ?? (entry.name === null ? undefined : entry.name),
    // A router may send a call to any server of the model, so the smallest window counts. For tools, one server that
    // supports them is enough.
    contextTokens:
      entry.context_length ??
      entry.context_window ??
      entry.max_context_length ??
      entry.max_model_len ??
      entry.meta?.n_ctx ??
      entry.meta?.n_ctx_train ??
      least(served.map((one) => one.context_length)),
    tools:
      entry.supports_tools ??
      entry.capabilities?.function_calling ??
      parameters?.includes('tools') ??
      (served.length === 0 ? undefined : served.some((one) => one.supports_tools === true)),
    images: entry.supports_image_input ?? entry.capabilities?.vision ?? inputs?.includes('image') ?? undefined,
    reasoning: entry.capabilities?.reasoning ?? parameters?.includes('reasoning') ?? undefined,
    price: priceOf(entry.pricing),
  };
}

function least(values: readonly (number | null | undefined)[]): number | undefined {
  const known = values.filter((value) => typeof value === 'number');
  return known.length === 0 ? undefined : Math.min(...known);
}

/** `prompt` and `completion` are in dollars per token; `input` and `output` are in dollars per million tokens. */
function priceOf(pricing: Entry['pricing']): ListedModel['price'] {
  const perToken = { input: amount(pricing?.prompt), output: amount(pricing?.completion), factor: 1_000_000 };
  const perMillion = { input: amount(pricing?.input), output: amount(pricing?.output), factor: 1 };
  const { input, output, factor } = perToken.input === null ? perMillion : perToken;
  if (input === null || output === null) return undefined;
  return { input: input * factor, output: output * factor };
}

/** Null for a missing or negative price. Routers use a negative one for "it depends". */
function amount(value: string | number | null | undefined): number | null {
  if (value === null || value === undefined || value === '') return null;
  const parsed = Number(value);
  return Number.isFinite(parsed) && parsed >= 0 ? parsed : null;
}
