/** A sign-in by a browser that any program may use, and that ends in a key of the person's own. */
interface KeySignIn {
  /** Where the person says yes. */
  readonly page: string;
  /** Where what the browser brings back becomes a key. */
  readonly exchange: string;
  /** Where the person sees and ends keys. */
  readonly keys: string;
}

/** A service or a server that Dewpoint knows by name. */
export interface KnownProvider {
  readonly label: string;
  readonly kind: 'openai' | 'anthropic' | 'gemini' | 'huggingface' | 'openai-compatible';
  /** Its habits, where it speaks Chat Completions. */
  readonly preset?: string;
  /** The environment variable that may hold its key; null: it needs none. */
  readonly keyVariable: string | null;
  /** Where it usually is, for a person to change; absent: at one place for everybody. */
  readonly address?: string;
  /**
   * What it serves is its user's own: files on their machine, deployments of their account. No list of its models can
   * come with Dewpoint, so there is none but the one that it answers itself.
   */
  readonly isOwn?: true;
  /** Absent: it takes a key alone. */
  readonly signIn?: KeySignIn;
}

const chat = (preset: string, label: string, keyVariable: string | null): KnownProvider => ({
  label,
  kind: 'openai-compatible',
  preset,
  keyVariable,
});

const own = (preset: string, label: string, address: string, keyVariable: string | null = null) => ({
  ...chat(preset, label, keyVariable),
  address,
  isOwn: true as const,
});

export const knownProviders = {
  openai: { label: 'OpenAI', kind: 'openai', keyVariable: 'OPENAI_API_KEY' },
  anthropic: { label: 'Anthropic', kind: 'anthropic', keyVariable: 'ANTHROPIC_API_KEY' },
  gemini: { label: 'Google Gemini', kind: 'gemini', keyVariable: 'GEMINI_API_KEY' },
  huggingface: { label: 'Hugging Face', kind: 'huggingface', keyVariable: 'HF_TOKEN' },
  openrouter: {
    ...chat('openrouter', 'OpenRouter', 'OPENROUTER_API_KEY'),
    signIn: {
      page: 'https://openrouter.ai/auth',
      exchange: 'https://openrouter.ai/api/v1/auth/keys',
      keys: 'https://openrouter.ai/settings/keys',
    },
  },
  groq: chat('groq', 'Groq', 'GROQ_API_KEY'),
  deepseek: chat('deepseek', 'DeepSeek', 'DEEPSEEK_API_KEY'),
  mistral: chat('mistral', 'Mistral', 'MISTRAL_API_KEY'),
  xai: chat('xai', 'xAI', 'XAI_API_KEY'),
  together: chat('together', 'Together', 'TOGETHER_API_KEY'),
  fireworks: chat('fireworks', 'Fireworks', 'FIREWORKS_API_KEY'),
  azure: own('azure', 'Azure OpenAI', 'https://RESOURCE.openai.azure.com/openai/v1', 'AZURE_OPENAI_API_KEY'),
  'lm-studio': own('lm-studio', 'LM Studio', 'http://127.0.0.1:1234/v1'),
  vllm: own('vllm', 'vLLM', 'http://127.0.0.1:8000/v1'),
  'llama-server': own('llama-server', 'llama-server', 'http://127.0.0.1:8080/v1'),
} satisfies Readonly<Record<string, KnownProvider>>;
