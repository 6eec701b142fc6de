import { openaiCompatibleSchema } from '@shared/settings/settings.ts';
import { createChatProvider } from './chat-completions/chat-provider.ts';
import { chatPreset } from './chat-completions/chat-presets.ts';
import { defineProvider } from './define.ts';

/**
 * Chat Completions at any base URL, for servers on this machine and services alike. Presets know what some of them
 * need.
 */
export default defineProvider({
  kind: 'openai-compatible',
  label: 'OpenAI-compatible endpoint',
  settings: openaiCompatibleSchema,
  secrets: ['apiKey'],
  create(dependencies, { id, settings }) {
    const preset = chatPreset(settings.preset);
    const where = settings.where ?? preset.where;
    // The usual servers of one's own take both, and a recipe needs them.
    const habits = where === 'local' ? { ...preset, isSamplingUnsure: false } : preset;
    const service = settings.images === undefined ? habits : { ...habits, images: settings.images };
    return createChatProvider(dependencies, {
      id,
      kind: settings.preset ?? 'openai-compatible',
      // The schema guarantees that one of the two is there.
      baseUrl: settings.baseUrl ?? service.baseUrl ?? '',
      where,
      service,
      models: settings.models,
      effort: settings.effort,
      firstWordSeconds: settings.firstWordSeconds,
    });
  },
});
