/** A model as a list names it: the service's own, or the one below. What is absent is not known. */
export interface ListedModel {
  readonly name: string;
  readonly label?: string | undefined;
  readonly contextTokens?: number | undefined;
  readonly tools?: boolean | undefined;
  readonly images?: boolean | undefined;
  readonly reasoning?: boolean | undefined;
  /** US dollars per million tokens, where the list says them. */
  readonly price?: { readonly input: number; readonly output: number } | undefined;
}

/** The day on which the list below was put together from the services' own pages and packages. */
export const bundledOn = '2026-11-21';

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

/**
 * Models by service, for when it cannot be asked, and what its own list leaves out (OpenAI's has names alone).
 * Newest first. A model that is missing here works all the same, with a careful window.
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
};
