/** A model as a list describes it: the service's own list, or the one below. Absent fields are unknown. */
export interface ListedModel {
  readonly name: string;
  readonly label?: string | undefined;
  readonly contextTokens?: number | undefined;
  readonly tools?: boolean | undefined;
  readonly images?: boolean | undefined;
  readonly reasoning?: boolean | undefined;
  /** US dollars per million tokens, if the list says them. */
  readonly price?: { readonly input: number; readonly output: number } | undefined;
}

/**
 * The day on which the lists below were compiled, from the services' own pages and packages. For services that offer
 * open models, the source is models.dev, which names the service's page or answer behind each entry.
 */
export const bundledOn = '2026-11-22';

const MILLION = 1_000_000;

const claude = (name: string, label: string, contextTokens = MILLION): ListedModel => ({
  name,
  label,
  contextTokens,
  tools: true,
  images: true,
  reasoning: true,
});

const gpt = (name: string, contextTokens: number, reasoning = true): ListedModel => ({
  name,
  contextTokens,
  tools: true,
  images: true,
  reasoning,
});

const gemini = (name: string, label: string): ListedModel => ({
  name,
  label,
  contextTokens: 1_048_576,
  tools: true,
  images: true,
  reasoning: true,
});

const grok = (name: string, contextTokens: number): ListedModel => ({
  name,
  contextTokens,
  tools: true,
  images: true,
  reasoning: true,
});

const mistral = (name: string, images: boolean): ListedModel => ({
  name,
  contextTokens: 262_144,
  tools: true,
  images,
  reasoning: false,
});

const deepseek = (name: string): ListedModel => ({
  name,
  contextTokens: MILLION,
  tools: true,
  images: false,
  reasoning: true,
});

type Open = Omit<ListedModel, 'name'>;

const open = (label: string, contextTokens: number, can: 'read' | 'see' = 'read'): Open => ({
  label,
  contextTokens,
  tools: true,
  images: can === 'see',
  reasoning: true,
});

/** Many services offer open models, under many names. The context size is the smallest on offer. */
const glm53 = open('GLM-5.3', MILLION);
const glm53Flash = open('GLM-5.3 Flash', MILLION, 'see');
const kimiK3 = open('Kimi K3', MILLION, 'see');
const deepseekPro = open('DeepSeek V4 Pro', MILLION);
const deepseekFlash = open('DeepSeek V4.1 Flash', MILLION, 'see');
const minimaxM3 = open('MiniMax-M3', 512_000, 'see');
const gptOss120 = open('GPT OSS 120B', 131_072);
const gptOss20 = open('GPT OSS 20B', 131_072);

const fireworks = (name: string, model: Open): ListedModel => ({ ...model, name: `accounts/fireworks/models/${name}` });

/**
 * Models by service, for when a service cannot be asked, and for facts that its own list lacks (OpenAI's has only
 * names). Newest first. A model that is missing here still works, with a cautious context size.
 */
export const bundledModels: Readonly<Record<string, readonly ListedModel[]>> = {
  anthropic: [
    claude('claude-fable-5-1', 'Claude Fable 5.1'),
    claude('claude-opus-5-5', 'Claude Opus 5.5'),
    claude('claude-sonnet-5-5', 'Claude Sonnet 5.5'),
    claude('claude-haiku-5-5', 'Claude Haiku 5.5'),
    claude('claude-opus-5', 'Claude Opus 5'),
    claude('claude-sonnet-5', 'Claude Sonnet 5'),
    claude('claude-opus-4-8', 'Claude Opus 4.8'),
    claude('claude-opus-4-7', 'Claude Opus 4.7'),
    claude('claude-opus-4-6', 'Claude Opus 4.6'),
    claude('claude-sonnet-4-6', 'Claude Sonnet 4.6'),
    claude('claude-opus-4-5', 'Claude Opus 4.5', 200_000),
    claude('claude-sonnet-4-5', 'Claude Sonnet 4.5', 200_000),
    claude('claude-haiku-4-5', 'Claude Haiku 4.5', 200_000),
  ],
  openai: [
    gpt('gpt-6-astra', 1_050_000),
    gpt('gpt-6-sol', 1_050_000),
    gpt('gpt-6-luna', 1_050_000),
    gpt('gpt-5.6-sol', 1_050_000),
    gpt('gpt-5.6-terra', 1_050_000),
    gpt('gpt-5.6-luna', 1_050_000),
    gpt('gpt-5.5', 1_050_000),
    gpt('gpt-5.4', 1_050_000),
    gpt('gpt-5.4-mini', 400_000),
    gpt('gpt-5.4-nano', 400_000),
    gpt('gpt-5.2', 400_000),
    gpt('gpt-5.1', 400_000),
    gpt('gpt-5', 400_000),
    gpt('gpt-5-mini', 400_000),
    gpt('gpt-5-nano', 400_000),
    gpt('gpt-4.1', 1_000_000, false),
    gpt('gpt-4.1-mini', 1_000_000, false),
    gpt('gpt-4o', 128_000, false),
    gpt('gpt-4o-mini', 128_000, false),
  ],
  gemini: [
    gemini('gemini-3.8-flash', 'Gemini 3.8 Flash'),
    gemini('gemini-3.7-flash', 'Gemini 3.7 Flash'),
    gemini('gemini-3.5-flash', 'Gemini 3.5 Flash'),
    gemini('gemini-3.5-flash-lite', 'Gemini 3.5 Flash-Lite'),
    gemini('gemini-3.1-pro-preview', 'Gemini 3.1 Pro'),
    gemini('gemini-3-flash-preview', 'Gemini 3 Flash'),
    gemini('gemini-2.5-pro', 'Gemini 2.5 Pro'),
    gemini('gemini-2.5-flash', 'Gemini 2.5 Flash'),
  ],
  deepseek: [deepseek('deepseek-v4-pro'), deepseek('deepseek-v4-flash')],
  mistral: [
    mistral('mistral-large-2512', true),
    mistral('mistral-medium-3-5', true),
    mistral('mistral-small-2603', true),
    mistral('devstral-2512', false),
  ],
  xai: [grok('grok-4.6', 500_000), grok('grok-4.5', 500_000), grok('grok-4.3', MILLION), grok('grok-4.20', MILLION)],
  groq: [
    { ...open('Qwen3.8 27B', 131_042, 'see'), name: 'qwen/qwen3.8-27b' },
    { ...gptOss120, name: 'openai/gpt-oss-120b' },
    { ...gptOss20, name: 'openai/gpt-oss-20b' },
  ],
  together: [
    { ...deepseekFlash, name: 'deepseek-ai/DeepSeek-V4.1-Flash' },
    { ...deepseekPro, name: 'deepseek-ai/DeepSeek-V4-Pro-0813' },
    { ...glm53, name: 'zai-org/GLM-5.3' },
    { ...kimiK3, name: 'moonshotai/Kimi-K3' },
    { ...open('Gemma 4 31B', 262_144, 'see'), name: 'google/gemma-4-31B-it', reasoning: false },
  ],
  fireworks: [
    fireworks('glm-5p3', glm53),
    fireworks('glm-5p3-flash', glm53Flash),
    fireworks('deepseek-v4-pro-0813', deepseekPro),
    fireworks('deepseek-v4-flash-0731', open('DeepSeek V4 Flash', MILLION)),
    fireworks('kimi-k3', kimiK3),
    fireworks('minimax-m3', minimaxM3),
    fireworks('qwen3p8-max', open('Qwen3.8 Max', 262_144, 'see')),
    fireworks('gpt-oss-120b', gptOss120),
  ],
  huggingface: [
    { ...deepseekFlash, name: 'deepseek-ai/DeepSeek-V4.1-Flash' },
    { ...deepseekPro, name: 'deepseek-ai/DeepSeek-V4-Pro-0813' },
    { ...glm53, name: 'zai-org/GLM-5.3' },
    { ...glm53Flash, name: 'zai-org/GLM-5.3-Flash', images: false },
    { ...kimiK3, name: 'moonshotai/Kimi-K3' },
    { ...minimaxM3, name: 'MiniMaxAI/MiniMax-M3' },
    { ...gptOss120, name: 'openai/gpt-oss-120b' },
  ],
  openrouter: [
    claude('anthropic/claude-fable-5.1', 'Claude Fable 5.1'),
    claude('anthropic/claude-opus-5.5', 'Claude Opus 5.5'),
    claude('anthropic/claude-sonnet-5.5', 'Claude Sonnet 5.5'),
    gpt('openai/gpt-6-sol', 1_050_000),
    gpt('openai/gpt-6-luna', 1_050_000),
    gemini('google/gemini-3.5-flash', 'Gemini 3.5 Flash'),
    { ...deepseekFlash, name: 'deepseek/deepseek-v4.1-flash' },
    { ...deepseekPro, name: 'deepseek/deepseek-v4-pro-0813' },
    { ...glm53, name: 'z-ai/glm-5.3' },
    { ...kimiK3, name: 'moonshotai/kimi-k3' },
  ],
};
