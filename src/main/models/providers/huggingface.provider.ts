import { huggingfaceSchema } from '@shared/settings/settings.ts';
import { createChatProvider } from './chat-completions/chat-provider.ts';
import { huggingfacePreset } from './chat-completions/chat-presets.ts';
import { defineProvider } from './define.ts';

/** Hugging Face's router: one key for the models of many services. `MODEL:SERVICE` chooses the service. */
export default defineProvider({
  kind: 'huggingface',
  label: 'Hugging Face',
  settings: huggingfaceSchema,
  secrets: ['apiKey'],
  create: (dependencies, { id, settings }) =>
    createChatProvider(dependencies, {
      id,
      kind: 'huggingface',
      baseUrl: settings.baseUrl,
      where: 'cloud',
      service: huggingfacePreset,
      models: settings.models,
      effort: settings.effort,
      firstWordSeconds: settings.firstWordSeconds,
    }),
});
