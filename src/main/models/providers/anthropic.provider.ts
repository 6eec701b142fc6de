import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import { anthropicSchema } from '@shared/settings/settings.ts';
import { messagesCodec } from '../wire/messages-codec.ts';
import { errorOfRefusal } from './api/http-errors.ts';
import type { ProviderError } from './define.ts';
import { brokenStream, connectionError } from './openai/openai-errors.ts';
import { codecWire } from './call/codec-wire.ts';
import type { ListedModel } from './api/bundled-models.ts';
import { defineProvider } from './define.ts';
import { ListRefusedError } from './api/api-models.ts';
import { anthropicSdk } from './api/sdk-packages.ts';
import { createApiProvider } from './api/api-provider.ts';
import { noSdkLimitMs } from './call/stall-watch.ts';
import { baseAddress } from '../../lib/net/base-address.ts';

/** Claude models, through Anthropic's Messages API. */
export default defineProvider({
  kind: 'anthropic',
  label: 'Anthropic',
  settings: anthropicSchema,
  secrets: ['apiKey'],
  create: (dependencies, { id, settings }) =>
    createApiProvider(
      dependencies,
      {
        id,
        kind: 'anthropic',
        service: 'anthropic',
        where: 'cloud',
        settings,
        usual: () => ({
          contextTokens: 200_000,
          tools: true,
          images: true,
          reasoning: true,
          cache: true,
          efforts: ['none', 'low', 'medium', 'high', 'max'],
        }),
      },
      (get) => {
        const { base, query } = baseAddress(settings.baseUrl);
        const connect = async (): Promise<Anthropic> => {
          const own = await dependencies.secret('apiKey');
          const { Anthropic: Client } = await anthropicSdk.load();
          return new Client({
            // The package adds the version to every path.
            baseURL: base.replace(/\/v1$/u, ''),
            defaultQuery: { ...query },
            // The package must not pick up keys from the environment or from files of other programs.
            apiKey: own ?? 'none',
            // Without a key, no header is sent.
            ...(own === null ? { defaultHeaders: { 'x-api-key': null } } : {}),
            authToken: null,
            // The agent retries by itself, so that every retry is visible and can be cancelled.
            maxRetries: 0,
            logLevel: 'off',
            timeout: noSdkLimitMs,
            fetch: get,
          });
        };
        return {
          fetchList: async (signal) => readList(await connect(), signal),
          wire: (targetOf) =>
            codecWire({
              codec: messagesCodec,
              targetOf,
              // `messages.create` is this call, and warns of old models on the console, past everything that makes a
              // text safe to see.
              send: async (body, signal) =>
                (await connect()).post<AsyncIterable<Anthropic.RawMessageStreamEvent>>('/v1/messages', {
                  body,
                  stream: true,
                  signal,
                }),
              errorOf: anthropicErrorOf,
            }),
        };
      },
    ),
});

const support = z.object({ supported: z.boolean() }).nullish().catch(null);
const listSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      display_name: z.string().nullish(),
      max_input_tokens: z.number().int().positive().nullish().catch(null),
      lifecycle: z.string().nullish(),
      capabilities: z.object({ image_input: support, thinking: support }).nullish().catch(null),
    }),
  ),
});

async function readList(client: Anthropic, signal: AbortSignal): Promise<readonly ListedModel[]> {
  const { APIError } = await anthropicSdk.load();
  const page = await client.models.list({ limit: 1000 }, { signal }).catch((error: unknown) => {
    const isRefused = error instanceof APIError && error.status !== undefined && error.status < 500;
    throw isRefused ? new ListRefusedError(error.message) : error;
  });
  return listSchema
    .parse({ data: page.data })
    .data.filter((model) => model.lifecycle !== 'retired')
    .map(({ id, display_name: label, max_input_tokens: window, capabilities }) => ({
      name: id,
      label: label ?? undefined,
      contextTokens: window ?? undefined,
      tools: true,
      images: capabilities?.image_input?.supported,
      reasoning: capabilities?.thinking?.supported,
    }));
}

const refusalSchema = z.object({ error: z.object({ type: z.string().nullish(), message: z.string().nullish() }) });

/** Translates an error of Anthropic's package. Null: the caller aborted it. */
function anthropicErrorOf(error: unknown): ProviderError | null {
  const sdk = anthropicSdk.loaded();
  if (sdk !== null && error instanceof sdk.APIUserAbortError) return null;
  if (sdk !== null && error instanceof sdk.APIConnectionError) return connectionError(error);
  if (sdk === null || !(error instanceof sdk.APIError)) return brokenStream(error);
  const body = refusalSchema.safeParse(error.error);
  const said = body.success ? body.data.error : {};
  return errorOfRefusal({
    status: error.status,
    message: said.message ?? error.message,
    headers: error.headers,
    kind: said.type ?? '',
  });
}
