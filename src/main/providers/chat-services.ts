import type { Preset } from '@shared/settings.ts';
import type { HistoryRules } from './fit-history.ts';

/** What sets a service apart that speaks Chat Completions. The default is what plain servers take. */
export interface ChatService {
  readonly label: string;
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
  /** Models are called by names of the user's own (of a deployment), which no list has. */
  readonly ownNames: boolean;
  readonly cache: boolean;
  readonly images: boolean;
  readonly contextTokens: number;
}

/** Services in the footsteps of OpenAI take any id of up to 40 characters; these are safe everywhere. */
const usualId = { pattern: /^[a-zA-Z0-9_-]{1,40}$/, length: 24 };

const plain: ChatService = {
  label: 'OpenAI-compatible endpoint',
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
  ownNames: false,
  cache: false,
  images: false,
  contextTokens: 32_768,
};

const cloud = (label: string, baseUrl: string, habits: Partial<ChatService> = {}): ChatService => ({
  ...plain,
  label,
  baseUrl,
  cache: true,
  contextTokens: 128_000,
  ...habits,
});

const local = (label: string, baseUrl: string): ChatService => ({
  ...plain,
  label,
  baseUrl,
  where: 'local',
  cache: true,
});

const presets: Readonly<Record<Preset, ChatService>> = {
  openrouter: cloud('OpenRouter', 'https://openrouter.ai/api/v1', {
    effort: 'reasoning',
    reasoningBack: 'reasoning_details',
  }),
  groq: cloud('Groq', 'https://api.groq.com/openai/v1'),
  deepseek: cloud('DeepSeek', 'https://api.deepseek.com/v1', {
    bundled: 'deepseek',
    effort: 'thinking',
    reasoningBack: 'reasoning_content',
  }),
  mistral: cloud('Mistral', 'https://api.mistral.ai/v1', {
    bundled: 'mistral',
    callId: { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 },
    answersResults: true,
    seed: 'random_seed',
    streamOptions: false,
    strictGreedy: true,
  }),
  xai: cloud('xAI', 'https://api.x.ai/v1', { bundled: 'xai' }),
  together: cloud('Together', 'https://api.together.xyz/v1'),
  fireworks: cloud('Fireworks', 'https://api.fireworks.ai/inference/v1'),
  azure: {
    ...cloud('Azure OpenAI', '', {
      maxTokens: 'max_completion_tokens',
      images: true,
      keyHeader: 'api-key',
      ownNames: true,
    }),
    baseUrl: null,
  },
  'lm-studio': local('LM Studio', 'http://127.0.0.1:1234/v1'),
  vllm: local('vLLM', 'http://127.0.0.1:8000/v1'),
  'llama-server': local('llama-server', 'http://127.0.0.1:8080/v1'),
};

export const huggingfaceService: ChatService = cloud('Hugging Face', 'https://router.huggingface.co/v1', {
  cache: false,
});

/** The habits of a preset; those of a plain server without one. */
export function chatService(preset: Preset | undefined): ChatService {
  return preset === undefined ? plain : presets[preset];
}
