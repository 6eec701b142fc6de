import type { Effort } from '@shared/models/model-info.ts';
import { isLoopbackHost } from '../../../lib/net/loopback-host.ts';
import { PermanentError } from '../../../lib/net/net-fetch.ts';
import { streamAnswer, type Wire } from '../call/stream-answer.ts';
import type { ModelRequest, Provider, ProviderDependencies } from '../define.ts';
import { createApiModels, type ApiModelsOptions } from './api-models.ts';
import { readable } from './http-errors.ts';
import { watchReachability } from './reachability.ts';
import { afterSleepMs, firstWordMs, stallMs } from '../call/stall-watch.ts';

/** What a wire format must know of the model that is called. */
export interface ModelTarget {
  /** `KIND/MODEL`, whose reasoning is sent back. */
  readonly by: string;
  readonly images: boolean;
  /** It thinks before it answers, and takes no temperature then. */
  readonly reasoning: boolean;
}

/** A service, and what is known of its models beforehand. */
export interface ApiService extends Pick<ApiModelsOptions, 'service' | 'where' | 'isElsewhere' | 'ownNames' | 'usual'> {
  readonly id: string;
  /** Of the definition or the preset, for what is carried from answer to request. */
  readonly kind: string;
  readonly settings: Pick<ApiModelsOptions, 'models'> & {
    readonly effort?: Effort | undefined;
    readonly firstWordSeconds?: number | undefined;
  };
}

/** How a service is asked. */
export interface ApiCalls<Event> {
  readonly fetchList: ApiModelsOptions['fetchList'];
  readonly tryKey?: Provider['tryKey'];
  /** One use: one call. */
  readonly wire: (targetOf: (request: ModelRequest) => ModelTarget) => Wire<Event>;
}

/**
 * A provider that is a service: models from its book, calls over its wire, nothing held open between them. All of
 * `callsOver` goes through the `fetch` that it is given, which sees whether the service can be reached.
 */
export function createApiProvider<Event>(
  dependencies: Pick<ProviderDependencies, 'now' | 'fetch'>,
  { id, kind, settings, ...about }: ApiService,
  callsOver: (get: typeof fetch) => ApiCalls<Event>,
): Provider {
  const { now } = dependencies;
  const reach = watchReachability(dependencies.fetch ?? fetch);
  const { fetchList, tryKey, wire } = callsOver(rejectHtmlPages(reach.fetch));
  const { models, effort } = settings;
  const book = createApiModels({ ...about, id, models, effort, now, reach, fetchList });
  const limits = {
    firstWordMs: firstWordMs(settings),
    stallMs: stallMs[about.where],
    // A server in the house may have slept, too, and goes on.
    ...(about.where === 'cloud' ? { wokenMs: afterSleepMs } : {}),
  };
  const targetOf = ({ model }: ModelRequest): ModelTarget => {
    const { images, reasoning } = book.find(model).capabilities;
    return { by: `${kind}/${model}`, images: images === true, reasoning: reasoning === true };
  };
  return {
    id,
    listModels: book.list,
    knows: book.knows,
    reach: reach.now,
    ...(tryKey === undefined ? {} : { tryKey }),
    countTokens: async () => null,
    dispose: async () => {},
    stream: (request, signal) => streamAnswer(wire(targetOf), request, { signal, now, ...limits }),
  };
}

/**
 * A `fetch` for services, which answer with no page for people. One that says that all is well comes from whoever is in
 * the way (a portal that wants a name first), or from an address that is no service's; `fetch` fails then.
 */
function rejectHtmlPages(get: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await get(input, init);
    if (!response.ok || !/text\/html/iu.test(response.headers.get('content-type') ?? '')) return response;
    const page = readable(await response.text());
    const cause = new PermanentError(
      `The provider answered with ${page}, not with a model's answer. Check its address.`,
    );
    throw new TypeError('fetch failed', { cause });
  };
}

/** An address below a base, which people write with and without a slash at its end. */
export function addressBelow(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}/${path}`;
}

/**
 * Whether an address is that of this machine itself, whatever a name may stand for elsewhere: only the names and numbers
 * that always are. A machine in the same house is not this one.
 */
export function isThisMachine(address: string): boolean {
  const host = new URL(address).hostname.toLowerCase();
  return isLoopbackHost(host) || host.endsWith('.localhost');
}
