import { knownProviders } from '@shared/models/known-providers.ts';
import type { Preset } from '@shared/settings/settings.ts';
import type { HistoryRules } from '../call/fit-history.ts';

/** What sets a service apart that speaks Chat Completions. The default is what plain servers take. */
export interface ChatPreset {
  readonly baseUrl: string | null;
  readonly where: 'local' | 'cloud';
  /** Names the list of models that comes with Dewpoint. */
  readonly bundled: string | null;
  readonly callId: HistoryRules['callId'];
  readonly answersResults: boolean;
  /** In which field the model wants its own reasoning back; null: in none. */
  readonly reasoningBack: 'reasoning_content' | 'reasoning_details' | null;
  readonly effort: 'reasoning_effort' | 'reasoning' | 'thinking';
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
  readonly seed: 'seed' | 'random_seed';
  readonly streamOptions: boolean;
  /** Refuses `top_p` beside a temperature of 0. */
  readonly strictGreedy: boolean;
  /** A header of its own for the key, beside the usual one. */
  readonly keyHeader: string | null;
  /** Where a key can be tried for nothing, at a service whose list of models is open to everybody. */
  readonly keyUrl: string | null;
  /** Models are called by names of the user's own (of a deployment), which no list has. */
  readonly ownNames: boolean;
  readonly cache: boolean;
  readonly images: boolean;
  readonly contextTokens: number;
}

/** Services in the footsteps of OpenAI take any id of up to 40 characters; these are safe everywhere. */
const usualId = { pattern: /^[a-zA-Z0-9_-]{1,40}$/, length: 24 };

const plain: ChatPreset = {
  baseUrl: null,
  where: 'cloud',
  bundled: null,
  callId: usualId,
  answersResults: false,
  reasoningBack: null,
  effort: 'reasoning_effort',
  maxTokens: 'max_tokens',
  seed: 'seed',
  streamOptions: true,
  strictGreedy: false,
  keyHeader: null,
  keyUrl: null,
  ownNames: false,
  cache: false,
  images: false,
  contextTokens: 32_768,
};

const cloud = (baseUrl: string, habits: Partial<ChatPreset> = {}): ChatPreset => ({
  ...plain,
  baseUrl,
  cache: true,
  contextTokens: 128_000,
  ...habits,
});

const local = (baseUrl: string): ChatPreset => ({
  ...plain,
  baseUrl,
  where: 'local',
  cache: true,
});

const presets: Readonly<Record<Preset, ChatPreset>> = {
  openrouter: cloud('https://openrouter.ai/api/v1', {
    bundled: 'openrouter',
    keyUrl: 'https://openrouter.ai/api/v1/key',
    effort: 'reasoning',
    reasoningBack: 'reasoning_details',
  }),
  groq: cloud('https://api.groq.com/openai/v1', { bundled: 'groq' }),
  deepseek: cloud('https://api.deepseek.com/v1', {
    bundled: 'deepseek',
    effort: 'thinking',
    reasoningBack: 'reasoning_content',
  }),
  mistral: cloud('https://api.mistral.ai/v1', {
    bundled: 'mistral',
    callId: { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 },
    answersResults: true,
    seed: 'random_seed',
    streamOptions: false,
    strictGreedy: true,
  }),
  xai: cloud('https://api.x.ai/v1', { bundled: 'xai' }),
  together: cloud('https://api.together.xyz/v1', { bundled: 'together' }),
  fireworks: cloud('https://api.fireworks.ai/inference/v1', { bundled: 'fireworks' }),
  azure: {
    ...cloud('', {
      maxTokens: 'max_completion_tokens',
      images: true,
      keyHeader: 'api-key',
      ownNames: true,
    }),
    baseUrl: null,
  },
  'lm-studio': local(knownProviders['lm-studio'].address),
  vllm: local(knownProviders.vllm.address),
  'llama-server': local(knownProviders['llama-server'].address),
};

export const huggingfacePreset: ChatPreset = cloud('https://router.huggingface.co/v1', {
  bundled: 'huggingface',
  keyUrl: 'https://huggingface.co/api/whoami-v2',
  cache: false,
});

/** The habits of a preset; those of a plain server without one. */
export function chatPreset(preset: Preset | undefined): ChatPreset {
  return preset === undefined ? plain : presets[preset];
}
