import { openaiSchema } from '@shared/settings/settings.ts';
import { readChatModels } from './chat-completions/chat-models.ts';
import { defineProvider } from './define.ts';
import { getJson } from './api/get-json.ts';
import { createApiProvider } from './api/api-provider.ts';
import { addressBelow } from '../../lib/net/base-address.ts';
import { responsesCodec } from '../wire/responses-codec.ts';
import { codecWire } from './call/codec-wire.ts';
import { openaiClient } from './openai/openai-client.ts';
import { toProviderError } from './openai/openai-errors.ts';

/** From version 5.1 on, thinking can be switched off. */
const canBeOff = /^gpt-(?:5\.[1-9]|[6-9])(?!.*-pro)/u;

/** OpenAI's own models, through its Responses API. */
export default defineProvider({
  kind: 'openai',
  label: 'OpenAI',
  settings: openaiSchema,
  secrets: ['apiKey'],
  create: (dependencies, { id, settings }) =>
    createApiProvider(
      dependencies,
      {
        id,
        kind: 'openai',
        service: 'openai',
        where: 'cloud',
        settings,
        usual: (name) => ({
          contextTokens: 128_000,
          tools: true,
          images: true,
          reasoning: !withoutReasoning.test(name),
          cache: true,
          efforts: canBeOff.test(name) ? ['none', 'low', 'medium', 'high'] : ['low', 'medium', 'high'],
        }),
      },
      (get) => {
        const key = (): Promise<string | null> => dependencies.secret('apiKey');
        const connect = async () => openaiClient({ baseUrl: settings.baseUrl, key: await key(), fetch: get });
        return {
          fetchList: async (signal) => {
            const url = addressBelow(settings.baseUrl, 'models');
            const known = await key();
            const headers: Record<string, string> = known === null ? {} : { authorization: `Bearer ${known}` };
            const listed = readChatModels(await getJson({ url, headers, fetch: get, signal }));
            return listed.filter((model) => !otherApis.test(model.name));
          },
          wire: (targetOf) =>
            codecWire({
              codec: responsesCodec,
              targetOf,
              send: async (body, signal) => (await connect()).responses.create(body, { signal }),
              errorOf: toProviderError,
            }),
        };
      },
    ),
});

const withoutReasoning = /^(gpt-[34]|chatgpt)|chat-latest/u;

/** These are in the list of models, but need another API. */
const otherApis =
  /^(davinci|babbage|gpt-3\.5-turbo-instruct|sora|chatgpt-image|computer-use)|image|audio|realtime|search/u;
