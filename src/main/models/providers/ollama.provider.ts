import { ollamaSchema } from '@shared/settings/settings.ts';
import { defineProvider } from './define.ts';
import { createOllamaProvider } from './ollama/create-ollama-provider.ts';
import { firstWordMs, stallMs } from './call/stall-watch.ts';

/**
 * An Ollama server on this machine or another, over its own API. Its OpenAI-compatible API ignores the requested
 * context size.
 */
export default defineProvider({
  kind: 'ollama',
  label: 'Ollama',
  settings: ollamaSchema,
  secrets: [],
  create: (dependencies, instance) =>
    createOllamaProvider(dependencies, instance, {
      askMs: 5_000,
      loadMs: firstWordMs(instance.settings),
      stallMs: stallMs.local,
    }),
});
