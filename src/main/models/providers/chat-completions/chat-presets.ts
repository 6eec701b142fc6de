import { knownProviders } from '@shared/models/known-providers.ts';
import type { Preset } from '@shared/settings/settings.ts';
import type { HistoryRules } from '../call/fit-history.ts';

/** How a service differs from a plain Chat Completions server, which is the default. */
export interface ChatPreset {
  readonly baseUrl: string | null;
  readonly where: 'local' | 'cloud';
  /** The name of the list of models that comes with Dewpoint. */
  readonly bundled: string | null;
  readonly callId: HistoryRules['callId'];
  readonly answersResults: boolean;
  /** The field in which the model expects its own reasoning back. Null: none. */
  readonly reasoningBack: 'reasoning_content' | 'reasoning_details' | null;
  readonly effort: 'reasoning_effort' | 'reasoning' | 'thinking';
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
  readonly seed: 'seed' | 'random_seed';
  readonly streamOptions: boolean;
  /** It is not known whether the service takes a temperature and `top_p`: many models refuse one or both. */
  readonly isSamplingUnsure: boolean;
  /** The service refuses `top_p` together with a temperature of 0. */
  readonly strictGreedy: boolean;
  /** An additional header for the key. Null: only the usual one. */
  readonly keyHeader: string | null;
  /** Where to check a key for free, if the service's list of models needs no key. */
  readonly keyUrl: string | null;
  /** Models have names that the user chose (of a deployment), which no list contains. */
  readonly ownNames: boolean;
  readonly cache: boolean;
  readonly images: boolean;
  readonly contextTokens: number;
}

/** Services that imitate OpenAI accept any id of up to 40 characters. These characters are safe everywhere. */
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
  isSamplingUnsure: true,
  strictGreedy: false,
  keyHeader: null,
  keyUrl: null,
  ownNames: false,
  cache: false,
  images: false,
  contextTokens: 65_536,
};

const cloud = (baseUrl: string, habits: Partial<ChatPreset> = {}): ChatPreset => ({
  ...plain,
  isSamplingUnsure: false,
  baseUrl,
  cache: true,
  contextTokens: 128_000,
  ...habits,
});

const local = (baseUrl: string): ChatPreset => ({
  ...plain,
  isSamplingUnsure: false,
  baseUrl,
  where: 'local',
  cache: true,
  contextTokens: 32_768,
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

/** The preset of a service, or that of a plain server. */
export function chatPreset(preset: Preset | undefined): ChatPreset {
  return preset === undefined ? plain : presets[preset];
}
