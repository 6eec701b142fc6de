import { z } from 'zod';
import { priceSchema } from '@shared/money/token-cost.ts';

/** Where a model runs: on this machine, or somewhere that costs money and sees the prompt. */
export const whereSchema = z.enum(['local', 'cloud']);
export type Where = z.infer<typeof whereSchema>;

/**
 * Splits `PROVIDER/NAME`, the form in which every model is named to the user. The name may contain slashes. Null for
 * anything else.
 */
export function splitModelId(id: string): { readonly provider: string; readonly name: string } | null {
  const slash = id.indexOf('/');
  if (slash <= 0 || slash === id.length - 1) return null;
  return { provider: id.slice(0, slash), name: id.slice(slash + 1) };
}

/** The use of a model that does not write answers. */
const textUseSchema = z.enum(['vectors', 'scores']);
export type TextUse = z.infer<typeof textUseSchema>;

/** What a model can be asked for. A false capability is emulated or not used, never just tried. */
export const capabilitiesSchema = z.object({
  /** Native tool calls through the provider's own field. */
  tools: z.boolean(),
  /** Output forced to a JSON Schema or grammar. */
  grammar: z.boolean(),
  /** Its server accepts a JSON Schema for the answer; a probe finds out whether it obeys. Absent: no. */
  schema: z.boolean().optional(),
  /** The answer can begin with a given text. */
  prefill: z.boolean(),
  /** Fill-in-the-middle. */
  infill: z.boolean(),
  /** Tokens can be counted with the model's own tokenizer. */
  countTokens: z.boolean(),
  /** Accepts images in a message. For this field and the next two, absent means no. */
  images: z.boolean().optional(),
  /** Reasons before it answers, and can be told how hard. */
  reasoning: z.boolean().optional(),
  /** Sending the same prefix again costs less, and the answer says how much of it was reused. */
  cache: z.boolean().optional(),
});

/** How hard a model should think. A service with fewer steps gets the nearest one. */
export const effortSchema = z.enum(['none', 'low', 'medium', 'high', 'max']);
export type Effort = z.infer<typeof effortSchema>;

/** The user's words for these steps. */
export const thinkingWords = ['off', 'low', 'medium', 'high', 'max'] as const;

/** Null for an unknown word. `on` is the middle step. */
export function effortOfWord(word: string): Effort | null {
  const asked = word === 'off' ? 'none' : word === 'on' ? 'medium' : word;
  return effortSchema.safeParse(asked).data ?? null;
}

export const wordOfEffort = (effort: Effort): string => (effort === 'none' ? 'off' : effort);

/** The thinking steps of a model as a sentence without its period. */
export function thinkingInWords({ label, efforts = [] }: Pick<ModelInfo, 'label' | 'efforts'>): string {
  return efforts.length === 0
    ? `${label} has no switch for thinking`
    : `${label} knows ${efforts.map(wordOfEffort).join(', ')}`;
}

/** The model with the user's thinking step. Unchanged if the model does not have this step. */
export function withThinking<Info extends Pick<ModelInfo, 'efforts' | 'effort'>>(
  info: Info,
  wanted: Effort | undefined,
): Info {
  return wanted !== undefined && info.efforts?.includes(wanted) === true ? { ...info, effort: wanted } : info;
}

/** What a probe, or the user, says about how to drive a model. Absent fields keep the default. */
export const drivingSchema = z.strictObject({
  /** How it calls tools in the loop. */
  calls: z.enum(['native', 'grammar', 'schema', 'text']).optional(),
  /** The most tools that it is told about. */
  toolBudget: z.number().int().min(2).optional(),
  promptForm: z.enum(['short', 'full']).optional(),
  /** How it edits files in the loop: by quoting the replaced text, or by writing whole files. Absent: it may choose. */
  edits: z.enum(['search-replace', 'whole-file']).optional(),
  /** For calls that would otherwise be greedy. */
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  /** How hard it thinks when a message does not say. Used only if the model has this step. */
  thinking: effortSchema.optional(),
  /** Added to every system text. */
  systemText: z.string().max(8_000).optional(),
});

export const modelInfoSchema = z.object({
  /** `PROVIDER/NAME` */
  id: z.string(),
  provider: z.string(),
  name: z.string(),
  label: z.string(),
  where: whereSchema,
  /** The context window in tokens that calls may use, prompt and answer together. */
  contextTokens: z.number().int().positive(),
  /** The longest answer that may be requested, without thinking. Absent: the default for an unknown model. */
  outputTokens: z.number().int().positive().optional(),
  /** Billions of parameters; null when unknown. Decides prompt form and cascade. */
  parametersB: z.number().positive().nullable(),
  capabilities: capabilitiesSchema,
  /** Null: unpriced. Local models have a price of 0 with source "local". */
  price: priceSchema.nullable(),
  /** Strategies that passed the probe for this model, best first. */
  strategies: z.array(z.enum(['recipe', 'loop'])),
  /** It only makes vectors or scores of texts. Absent: it writes answers. */
  use: textUseSchema.optional(),
  /** From the settings or the catalog. Absent: the service's default. */
  effort: effortSchema.optional(),
  /** The thinking steps that the user may choose, lowest first. Absent: no choice. */
  efforts: z.array(effortSchema).readonly().optional(),
  /** How it is driven when the default is not best, according to its probe or its user. */
  driving: drivingSchema.extend({ systemText: z.string().max(40_000).optional() }).optional(),
  /** How its server can draft tokens ahead on this machine. Absent: it cannot. */
  drafting: z
    .object({
      ways: z.array(z.string()),
      /** The server, as a probe names it. */
      on: z.string(),
      /** The catalog's knowledge of draft models for it. Absent: none. */
      known: z.string().optional(),
    })
    .optional(),
  /** The date of the list that ships with Dewpoint, when the service could not be asked for its own. */
  listedOn: z.string().optional(),
  /** The most tokens that one picture takes. Absent: an estimate for any service. */
  imageTokens: z.number().int().positive().optional(),
  /** The engine with which the same file sees images, as this one does not. Absent: there is none. */
  seesWith: z.literal('llama-server').optional(),
  /** Size of its weights, if its server says. */
  sizeBytes: z.number().optional(),
  /** The digest of its files; absent in the cloud, and until its files were hashed. */
  digest: z.string().optional(),
  /** A remark for the user before choosing it. */
  note: z.string().optional(),
  /** It costs nothing per token, but its server is another machine. */
  isElsewhere: z.boolean().optional(),
});
export type ModelInfo = z.infer<typeof modelInfoSchema>;

/**
 * Whether a call's content leaves this machine. A cloud service counts as elsewhere even at a local address, because it
 * passes on what it gets.
 */
export function leavesMachine(info: Pick<ModelInfo, 'where' | 'isElsewhere'>): boolean {
  return info.where === 'cloud' || info.isElsewhere === true;
}

export const strategySchema = z.enum(['recipe', 'loop']);
export type Strategy = z.infer<typeof strategySchema>;

/** A strategy with a model: one stage of a task's cascade. */
export const stageSchema = z.object({ strategy: strategySchema, model: z.string(), where: whereSchema });
export type Stage = z.infer<typeof stageSchema>;

/**
 * How to get a missing model, as the beginning of a sentence. Suggests a download only for models that can be
 * downloaded.
 */
export function howToGet(model: string): string {
  if (/^(?:llama-cpp|ollama)\/|^hf:/u.test(model)) return `Get it with \`dewpoint models pull ${model}\``;
  return model.includes('/') ? 'Set up its provider' : `Use its full name (llama-cpp/${model}?)`;
}

/** Whether another engine would see images with the model's projector, and no provider is of its kind. */
export function needsSeeingEngine(
  { seesWith }: Pick<ModelInfo, 'seesWith'>,
  providers: Readonly<Record<string, { readonly kind: string }>>,
): boolean {
  return seesWith !== undefined && Object.values(providers).every(({ kind }) => kind !== seesWith);
}
