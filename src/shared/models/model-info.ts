import { z } from 'zod';
import { priceSchema } from '@shared/money/token-cost.ts';

/** Where a model runs: on this machine, or somewhere that costs money and sees the prompt. */
export const whereSchema = z.enum(['local', 'cloud']);
export type Where = z.infer<typeof whereSchema>;

/** Splits `PROVIDER/NAME`, the only way a model is named to a person; the name may contain slashes. Null for anything else. */
export function splitModelId(id: string): { readonly provider: string; readonly name: string } | null {
  const slash = id.indexOf('/');
  if (slash <= 0 || slash === id.length - 1) return null;
  return { provider: id.slice(0, slash), name: id.slice(slash + 1) };
}

/** What a model is for that answers nothing. */
const textUseSchema = z.enum(['vectors', 'scores']);
export type TextUse = z.infer<typeof textUseSchema>;

/** What a model can be asked for. What is false is emulated or not used, never tried in the hope that it works. */
export const capabilitiesSchema = z.object({
  /** Native tool calls through the provider's own field. */
  tools: z.boolean(),
  /** Output forced to a JSON Schema or grammar. */
  grammar: z.boolean(),
  /** Its server may be asked to hold an answer to a JSON Schema; whether it does, a probe finds out. Absent: no. */
  schema: z.boolean().optional(),
  /** The answer may be opened for the model with a given text. */
  prefill: z.boolean(),
  /** Fill-in-the-middle. */
  infill: z.boolean(),
  /** Several answers to one prompt cost little more than one, at least on a processor. Absent: no. */
  together: z.boolean().optional(),
  /** Tokens can be counted with the model's own tokenizer. */
  countTokens: z.boolean(),
  /** Pictures in a message. Absent, as in the three below: no. */
  images: z.boolean().optional(),
  /** It reasons before it answers, and can be told how hard. */
  reasoning: z.boolean().optional(),
  /** What was sent before costs less when it is sent again, and the answer says how much of it that was. */
  cache: z.boolean().optional(),
});

/** How hard a model should think. A service that knows fewer steps gets the nearest one that it knows. */
export const effortSchema = z.enum(['none', 'low', 'medium', 'high', 'max']);
export type Effort = z.infer<typeof effortSchema>;

/** Words for the same that a person uses. */
export const thinkingWords = ['off', 'low', 'medium', 'high', 'max'] as const;

/** Null for a word that is none of them; `on` is the step in the middle. */
export function effortOfWord(word: string): Effort | null {
  const asked = word === 'off' ? 'none' : word === 'on' ? 'medium' : word;
  return effortSchema.safeParse(asked).data ?? null;
}

export const wordOfEffort = (effort: Effort): string => (effort === 'none' ? 'off' : effort);

/** Which steps a model can be told to think in, as a sentence without its point. */
export function thinkingInWords({ label, efforts = [] }: Pick<ModelInfo, 'label' | 'efforts'>): string {
  return efforts.length === 0
    ? `${label} has no switch for thinking`
    : `${label} knows ${efforts.map(wordOfEffort).join(', ')}`;
}

/** A model with a person's choice. One that does not know this step is as it was: the choice is not offered for it. */
export function withThinking<Info extends Pick<ModelInfo, 'efforts' | 'effort'>>(
  info: Info,
  wanted: Effort | undefined,
): Info {
  return wanted !== undefined && info.efforts?.includes(wanted) === true ? { ...info, effort: wanted } : info;
}

/** What a probe, or a person who knows better, says of the way to drive a model; what is absent is decided as usual. */
export const drivingSchema = z.strictObject({
  /** How it is made to call tools in the loop. */
  calls: z.enum(['native', 'grammar', 'schema', 'text']).optional(),
  /** Tools that it is told of at most. */
  toolBudget: z.number().int().min(2).optional(),
  promptForm: z.enum(['short', 'full']).optional(),
  /** How it changes files in the loop: by quoting what is replaced, or by writing them whole. Absent: it may choose. */
  edits: z.enum(['search-replace', 'whole-file']).optional(),
  /** Of calls that would be greedy otherwise. */
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  /** How hard it thinks where a message does not say; only a step that it knows counts. */
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
  /** The window in tokens that calls may use, prompt and answer together. */
  contextTokens: z.number().int().positive(),
  /** The longest answer that may be asked of it, thoughts left out; absent: as for a model of which nothing is known. */
  outputTokens: z.number().int().positive().optional(),
  /** Billions of parameters where known; decides prompt form and cascade. */
  parametersB: z.number().positive().nullable(),
  capabilities: capabilitiesSchema,
  /** Null: unpriced. Local models have a price of 0 with source "local". */
  price: priceSchema.nullable(),
  /** Strategies that passed the probe for this model, best first. */
  strategies: z.array(z.enum(['recipe', 'loop'])),
  /** It answers nothing: it makes vectors of texts, or scores for them. Absent: it answers. */
  use: textUseSchema.optional(),
  /** As the settings or the catalog say; absent: the service's own default. */
  effort: effortSchema.optional(),
  /** The steps that a person may choose from, least first; absent: it has no switch. */
  efforts: z.array(effortSchema).readonly().optional(),
  /** How it is driven where the usual is not best for it: as its probe found out, or as its user says. */
  driving: drivingSchema.extend({ systemText: z.string().max(20_000).optional() }).optional(),
  /** How its server can draft tokens ahead on this machine; absent: it cannot. */
  drafting: z
    .object({
      ways: z.array(z.string()),
      /** The server, as a probe names it. */
      on: z.string(),
      /** What the catalog knows of files that draft for it; absent: of none. */
      known: z.string().optional(),
    })
    .optional(),
  /** The date of the list that comes with Dewpoint, where the service could not be asked for its own. */
  listedOn: z.string().optional(),
  /** Of its weights, where its server says. */
  sizeBytes: z.number().optional(),
  /** Something to know before it is chosen. */
  note: z.string().optional(),
  /** It costs nothing by the token, but its server is another machine. */
  isElsewhere: z.boolean().optional(),
});
export type ModelInfo = z.infer<typeof modelInfoSchema>;

/** Whether what a call carries leaves this machine. A service counts as elsewhere also where its address is here: it passes on what it gets. */
export function leavesMachine(info: Pick<ModelInfo, 'where' | 'isElsewhere'>): boolean {
  return info.where === 'cloud' || info.isElsewhere === true;
}

export const strategySchema = z.enum(['recipe', 'loop']);
export type Strategy = z.infer<typeof strategySchema>;

/** A strategy and a model: one stage of the cascade of a task. */
export const stageSchema = z.object({ strategy: strategySchema, model: z.string(), where: whereSchema });
export type Stage = z.infer<typeof stageSchema>;

/** What to do about a model that is not there, as the beginning of a sentence. Only what can be fetched is said to be: models of services and made-up names cannot. */
export function howToGet(model: string): string {
  if (/^(?:llama-cpp|ollama)\/|^hf:/u.test(model)) return `Get it with \`dewpoint models pull ${model}\``;
  return model.includes('/') ? 'Set up its provider' : `Use its full name (llama-cpp/${model}?)`;
}
