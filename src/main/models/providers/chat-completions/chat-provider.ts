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
import { openaiClient } from '../openai/openai-client.ts';
import { toProviderError } from '../openai/openai-errors.ts';
import type { ModelRequest, Provider, ProviderDependencies } from '../define.ts';
import { getJson } from '../api/get-json.ts';
import { createApiProvider, type ApiCalls } from '../api/api-provider.ts';
import { addressBelow } from '../../../lib/net/base-address.ts';

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
  const ownHeader = (key: string | null): Record<string, string> =>
    key === null || service.keyHeader === null ? {} : { [service.keyHeader]: key };
  const ask = async (url: string, signal: AbortSignal): Promise<unknown> => {
    const key = await secret('apiKey');
    const headers = key === null ? {} : { authorization: `Bearer ${key}`, ...ownHeader(key) };
    return getJson({ url, headers, fetch: get, signal });
  };
  // A key is sent only to the address in the settings, and to the service that is known to be there.
  const keyUrl = endpoint.baseUrl === service.baseUrl ? service.keyUrl : null;
  const connect = async (): Promise<OpenAI> => {
    const key = await secret('apiKey');
    return openaiClient({ baseUrl: endpoint.baseUrl, key, headers: ownHeader(key), fetch: get });
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
