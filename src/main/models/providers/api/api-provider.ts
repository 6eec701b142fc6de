import type { Effort } from '@shared/models/model-info.ts';
import { PermanentError } from '../../../lib/net/permanent-error.ts';
import { streamAnswer, type Wire } from '../call/stream-answer.ts';
import type { ModelRequest, Provider, ProviderDependencies } from '../define.ts';
import { createApiModels, type ApiModelsOptions } from './api-models.ts';
import { readable } from './http-errors.ts';
import { watchReachability } from './reachability.ts';
import { afterSleepMs, firstWordMs, stallMs } from '../call/stall-watch.ts';

/** What a wire format needs to know about the called model. */
export interface ModelTarget {
  /** `KIND/MODEL`. Only this model's reasoning is sent back. */
  readonly by: string;
  readonly images: boolean;
  /** It thinks before it answers, and then accepts no temperature. */
  readonly reasoning: boolean;
}

/** A service, and what is known of its models in advance. */
export interface ApiService extends Pick<ApiModelsOptions, 'service' | 'where' | 'isElsewhere' | 'ownNames' | 'usual'> {
  readonly id: string;
  /** The kind of the definition or the preset, used to mark reasoning that is sent back later. */
  readonly kind: string;
  readonly settings: Pick<ApiModelsOptions, 'models'> & {
    readonly effort?: Effort | undefined;
    readonly firstWordSeconds?: number | undefined;
  };
}

/** How to call a service. */
export interface ApiCalls<Event> {
  readonly fetchList: ApiModelsOptions['fetchList'];
  readonly tryKey?: Provider['tryKey'];
  /** Use it for one call only. */
  readonly wire: (targetOf: (request: ModelRequest) => ModelTarget) => Wire<Event>;
}

/**
 * A provider for a service over the network. It keeps no connection open between calls. `callsOver` must use the
 * given `fetch` for everything, because that one watches whether the service can be reached.
 */
export function createApiProvider<Event>(
  dependencies: Pick<ProviderDependencies, 'now' | 'fetch'>,
  { id, kind, settings, ...about }: ApiService,
  callsOver: (get: typeof fetch) => ApiCalls<Event>,
): Provider {
  const { now } = dependencies;
  const reach = watchReachability(dependencies.fetch);
  const { fetchList, tryKey, wire } = callsOver(rejectHtmlPages(reach.fetch));
  const { models, effort } = settings;
  const book = createApiModels({ ...about, id, models, effort, now, reach, fetchList });
  const limits = {
    firstWordMs: firstWordMs(settings),
    stallMs: stallMs[about.where],
    // A local server may have slept with the machine, and then continues.
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
 * A `fetch` for services, which never answer with a web page. A page with a success status comes from something in
 * between (such as a portal that asks you to sign in) or from a wrong address. `fetch` fails then.
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

/** Joins a base address and a path. The base may end with a slash. */
export function addressBelow(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}/${path}`;
}
