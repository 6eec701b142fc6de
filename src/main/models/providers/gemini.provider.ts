import { z } from 'zod';
import { geminiSchema } from '@shared/settings/settings.ts';
import type { ListedModel } from './api/bundled-models.ts';
import type { Provider } from './define.ts';
import { defineProvider } from './define.ts';
import { geminiWire } from './gemini/gemini-stream.ts';
import { getJson } from './api/get-json.ts';
import { createApiModels } from './api/api-models.ts';
import { rejectHtmlPages } from './api/reject-html-pages.ts';
import { watchReachability } from './api/reachability.ts';
import { addressBelow, createApiProvider } from './api/api-provider.ts';

/** Gemini models, through Google's own API. */
export default defineProvider({
  kind: 'gemini',
  label: 'Google Gemini',
  settings: geminiSchema,
  secrets: ['apiKey'],
  create(dependencies, { id, settings }): Provider {
    const { now, secret } = dependencies;
    const reach = watchReachability(dependencies.fetch ?? fetch);
    const get = rejectHtmlPages(reach.fetch);
    const book = createApiModels({
      id,
      service: 'gemini',
      where: 'cloud',
      models: settings.models,
      effort: settings.effort,
      now,
      reach,
      usual: () => ({ contextTokens: 1_000_000, tools: true, images: true, reasoning: true, cache: true }),
      fetchList: async (signal) => {
        const url = addressBelow(settings.baseUrl, 'models?pageSize=1000');
        const headers = { 'x-goog-api-key': (await secret('apiKey')) ?? '' };
        return readList(await getJson({ url, headers, fetch: get, signal }));
      },
    });
    const connection = { baseUrl: settings.baseUrl, key: () => secret('apiKey'), fetch: get };
    return createApiProvider({
      id,
      kind: 'gemini',
      where: 'cloud',
      settings,
      book,
      now,
      reach,
      wire: (targetOf) => geminiWire(connection, targetOf),
    });
  },
});

const listSchema = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      displayName: z.string().nullish(),
      inputTokenLimit: z.number().int().positive().nullish().catch(null),
      supportedGenerationMethods: z.array(z.string()).nullish(),
      thinking: z.boolean().nullish(),
    }),
  ),
});

const otherUses = /embedding|imagen|veo|tts|image|live|audio|aqa|omni/u;

function readList(body: unknown): readonly ListedModel[] {
  return listSchema
    .parse(body)
    .models.filter(
      (model) => model.supportedGenerationMethods?.includes('generateContent') === true && !otherUses.test(model.name),
    )
    .map((model) => ({
      name: model.name.replace(/^models\//, ''),
      label: model.displayName ?? undefined,
      contextTokens: model.inputTokenLimit ?? undefined,
      reasoning: model.thinking ?? undefined,
    }));
}
