import type OpenAI from 'openai';
import type { Effort } from '@shared/models/model-info.ts';
import type { ModelSettings } from '@shared/settings/settings.ts';
import { isThisMachine } from '../../../lib/net/this-machine.ts';
import { readChatModels } from './chat-models.ts';
import type { ChatPreset } from './chat-presets.ts';
import { codecWire } from '../call/codec-wire.ts';
import type { Wire } from '../call/stream-answer.ts';
import { chatCodec } from '../../wire/chat-codec.ts';
import type { ChatTarget } from '../../wire/chat-request.ts';
import { toProviderError } from '../openai/openai-errors.ts';
import type { ModelRequest, Provider, ProviderDependencies } from '../define.ts';
import { openaiSdk } from '../api/sdk-packages.ts';
import { getJson } from '../api/get-json.ts';
import { createApiProvider, type ApiCalls } from '../api/api-provider.ts';
import { addressBelow, baseAddress } from '../../../lib/net/base-address.ts';
import { noSdkLimitMs } from '../call/stall-watch.ts';

export interface ChatEndpoint {
  readonly id: string;
  /** The kind of the definition, used to mark reasoning that is sent back later. */
  readonly kind: string;
  readonly baseUrl: string;
  readonly where: 'local' | 'cloud';
  readonly service: ChatPreset;
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly effort: Effort | undefined;
  readonly firstWordSeconds: number | undefined;
}

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;

/** The effort levels that each field accepts. */
const stepsOf = {
  reasoning_effort: ['low', 'medium', 'high'],
  reasoning: ['none', 'low', 'medium', 'high'],
  thinking: ['none', 'high'],
} as const satisfies Record<ChatPreset['effort'], readonly Effort[]>;

/** A provider for any service that speaks Chat Completions. */
export function createChatProvider(dependencies: ProviderDependencies, endpoint: ChatEndpoint): Provider {
  const { id, kind, service, where } = endpoint;
  return createApiProvider(
    dependencies,
    {
      id,
      kind,
      where,
      isElsewhere: where === 'local' && !isThisMachine(new URL(endpoint.baseUrl).hostname),
      service: service.bundled,
      settings: endpoint,
      ownNames: service.ownNames,
      usual: () => ({
        contextTokens: service.contextTokens,
        tools: true,
        images: service.images,
        reasoning: service.reasoningBack !== null,
        cache: service.cache,
        schema: where === 'local',
        efforts: stepsOf[service.effort],
      }),
    },
    (get) => chatCalls(dependencies, endpoint, get),
  );
}

function chatCalls(
  { secret }: Pick<ProviderDependencies, 'secret'>,
  endpoint: ChatEndpoint,
  get: typeof fetch,
): ApiCalls<Chunk> {
  const { service } = endpoint;
  const headersOf = (key: string | null): Record<string, string> | null => {
    // The package needs a key. Without one, no header is sent.
    if (key === null) return null;
    const own = service.keyHeader === null ? {} : { [service.keyHeader]: key };
    return { authorization: `Bearer ${key}`, ...own };
  };
  const ask = async (url: string, signal: AbortSignal): Promise<unknown> =>
    getJson({ url, headers: headersOf(await secret('apiKey')) ?? {}, fetch: get, signal });
  // A key is sent only to the address in the settings, and to the service that is known to be there.
  const keyUrl = endpoint.baseUrl === service.baseUrl ? service.keyUrl : null;
  const connect = async (): Promise<OpenAI> => {
    const key = await secret('apiKey');
    const { base, query } = baseAddress(endpoint.baseUrl);
    // The agent retries by itself, so that every retry is visible and can be cancelled.
    const { OpenAI: Client } = await openaiSdk.load();
    return new Client({
      baseURL: base,
      defaultQuery: { ...query },
      apiKey: key ?? 'none',
      maxRetries: 0,
      // Nothing is taken from the environment, and the package must not write to the terminal.
      organization: null,
      project: null,
      logLevel: 'off',
      timeout: noSdkLimitMs,
      fetch: get,
      defaultHeaders: headersOf(key) ?? { authorization: null },
    });
  };
  return {
    fetchList: async (signal) => readChatModels(await ask(addressBelow(endpoint.baseUrl, 'models'), signal)),
    ...(keyUrl === null ? {} : { tryKey: async (signal: AbortSignal) => void (await ask(keyUrl, signal)) }),
    wire: (targetOf) => chatWire(connect, (request) => ({ service, ...targetOf(request) })),
  };
}

/** Chat Completions through the `openai` package. Use it for one call only. */
export function chatWire(connect: () => Promise<OpenAI>, targetOf: (request: ModelRequest) => ChatTarget): Wire<Chunk> {
  return codecWire({
    codec: chatCodec,
    targetOf,
    send: async (body, signal) => (await connect()).chat.completions.create(body, { signal }),
    errorOf: toProviderError,
  });
}
