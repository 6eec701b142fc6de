import OpenAI from 'openai';
import type { Effort } from '@shared/models/model-info.ts';
import type { ModelSettings } from '@shared/settings/settings.ts';
import { readChatModels } from './chat-models.ts';
import type { ChatPreset } from './chat-presets.ts';
import { chatWire } from './chat-stream.ts';
import type { Provider, ProviderDependencies } from '../define.ts';
import { getJson } from '../api/get-json.ts';
import { createApiModels } from '../api/api-models.ts';
import { rejectHtmlPages } from '../api/reject-html-pages.ts';
import { watchReachability } from '../api/reachability.ts';
import { addressBelow, createApiProvider, isThisMachine } from '../api/api-provider.ts';
import { firstWordMs } from '../call/stall-watch.ts';

export interface ChatEndpoint {
  readonly id: string;
  /** Of the definition, for what is carried from answer to request. */
  readonly kind: string;
  readonly baseUrl: string;
  readonly where: 'local' | 'cloud';
  readonly service: ChatPreset;
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly effort: Effort | undefined;
  readonly firstWordSeconds: number | undefined;
}

/** A provider for any service that speaks Chat Completions. */
export function createChatProvider(dependencies: ProviderDependencies, endpoint: ChatEndpoint): Provider {
  const { now, secret } = dependencies;
  const { id, service, where } = endpoint;
  const reach = watchReachability(dependencies.fetch ?? fetch);
  const get = rejectHtmlPages(reach.fetch);
  const headersOf = (key: string | null): Record<string, string> => {
    if (key === null) return {};
    const own = service.keyHeader === null ? {} : { [service.keyHeader]: key };
    return { authorization: `Bearer ${key}`, ...own };
  };
  const ask = async (url: string, signal: AbortSignal): Promise<unknown> =>
    getJson({ url, headers: headersOf(await secret('apiKey')), fetch: get, signal });
  // A key goes nowhere but to the address of the settings and to the service that is known to be there.
  const keyUrl = endpoint.baseUrl === service.baseUrl ? service.keyUrl : null;
  const book = createApiModels({
    id,
    where,
    isElsewhere: where === 'local' && !isThisMachine(endpoint.baseUrl),
    service: service.bundled,
    models: endpoint.models,
    effort: endpoint.effort,
    now,
    reach,
    ownNames: service.ownNames,
    usual: () => ({
      contextTokens: service.contextTokens,
      tools: true,
      images: service.images,
      reasoning: service.reasoningBack !== null,
      cache: service.cache,
      schema: where === 'local',
    }),
    fetchList: async (signal) => readChatModels(await ask(addressBelow(endpoint.baseUrl, 'models'), signal)),
  });
  const connect = async (): Promise<OpenAI> => {
    const key = await secret('apiKey');
    // Retries are the agent's, so that every one of them is seen and can be cancelled.
    return new OpenAI({
      baseURL: endpoint.baseUrl,
      apiKey: key ?? 'none',
      maxRetries: 0,
      // Nothing of the environment but what the settings name, and nothing of ours on the terminal.
      organization: null,
      project: null,
      logLevel: 'off',
      timeout: firstWordMs(endpoint),
      fetch: get,
      defaultHeaders: headersOf(key),
    });
  };
  return createApiProvider({
    id,
    kind: endpoint.kind,
    where,
    settings: endpoint,
    book,
    now,
    reach,
    ...(keyUrl === null ? {} : { tryKey: async (signal: AbortSignal) => void (await ask(keyUrl, signal)) }),
    wire: (targetOf) => chatWire(connect, (request) => ({ service, ...targetOf(request) })),
  });
}
