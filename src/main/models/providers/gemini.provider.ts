import { z } from 'zod';
import { geminiSchema } from '@shared/settings/settings.ts';
import type { ListedModel } from './api/bundled-models.ts';
import { defineProvider } from './define.ts';
import { geminiWire } from './gemini/gemini-connection.ts';
import { getJson } from './api/get-json.ts';
import { createApiProvider } from './api/api-provider.ts';
import { addressBelow } from '../../lib/net/base-address.ts';

/** Gemini models, through Google's own API. */
export default defineProvider({
  kind: 'gemini',
  label: 'Google Gemini',
  settings: geminiSchema,
  secrets: ['apiKey'],
  create: (dependencies, { id, settings }) =>
    createApiProvider(
      dependencies,
      {
        id,
        kind: 'gemini',
        service: 'gemini',
        where: 'cloud',
        settings,
        usual: (name) => ({
          contextTokens: 1_000_000,
          tools: true,
          images: true,
          reasoning: true,
          cache: true,
          // Thinking cannot be switched off for the large models.
          efforts: name.includes('pro') ? ['low', 'medium', 'high'] : ['none', 'low', 'medium', 'high'],
        }),
      },
      (get) => {
        const key = (): Promise<string | null> => dependencies.secret('apiKey');
        const connection = { baseUrl: settings.baseUrl, key, fetch: get };
        return {
          fetchList: async (signal) => {
            const url = addressBelow(settings.baseUrl, 'models?pageSize=1000');
            const own = await key();
            const headers: Record<string, string> = own === null ? {} : { 'x-goog-api-key': own };
            return readList(await getJson({ url, headers, fetch: get, signal }));
          },
          wire: (targetOf) => geminiWire(connection, targetOf),
        };
      },
    ),
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
