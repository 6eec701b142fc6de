/** A browser sign-in that any program may use and that creates a key for the user. */
interface KeySignIn {
  /** The page where the user agrees. */
  readonly page: string;
  /** The address that exchanges the browser's answer for a key. */
  readonly exchange: string;
  /** The page where the user sees and revokes keys. */
  readonly keys: string;
}

/** A service or server that Dewpoint knows by name. */
export interface KnownProvider {
  readonly label: string;
  readonly kind: 'openai' | 'anthropic' | 'gemini' | 'huggingface' | 'openai-compatible';
  /** Its preset, if it speaks Chat Completions. */
  readonly preset?: string;
  /** The environment variable that may hold its key; null when it needs none. */
  readonly keyVariable: string | null;
  /** Its usual address, which the user may change. Absent: the same for everybody. */
  readonly address?: string;
  /**
   * Its models belong to its user: files on their machine, or deployments of their account. Dewpoint cannot ship a list
   * of them, so the only list is the provider's own answer.
   */
  readonly isOwn?: true;
  /** Absent: it only takes a key. */
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
