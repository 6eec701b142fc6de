import type { Effort } from '@shared/models/model-info.ts';
import { streamAnswer, type Wire } from '../call/stream-answer.ts';
import type { ModelRequest, ModelSource, Provider, ProviderDependencies } from '../define.ts';
import { createApiModels, type ApiModelsOptions } from './api-models.ts';
import { createEventFetch } from './plain-events.ts';
import { withReason } from '../../../lib/net/send-reason.ts';
import { createServiceFetch } from './service-fetch.ts';
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
  readonly tryKey?: ModelSource['tryKey'];
  /** Use it for one call only. */
  readonly wire: (targetOf: (request: ModelRequest) => ModelTarget) => Wire<Event>;
}

/** For the record of what leaves: a service elsewhere is one even if its address is on this machine. */
function passingOn(get: typeof fetch): typeof fetch {
  return (input, init) => withReason({ passesOn: true }, () => get(input, init));
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
  const reach = watchReachability(about.where === 'cloud' ? passingOn(dependencies.fetch) : dependencies.fetch);
  const { fetchList, tryKey, wire } = callsOver(createEventFetch(createServiceFetch(reach.fetch)));
  const { models, effort } = settings;
  const book = createApiModels({ ...about, id, models, effort, now, reach, fetchList });
  const limits = {
    service: { id, where: about.where },
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
    list: book.list,
    resolve: book.resolve,
    reach: reach.now,
    ...(tryKey === undefined ? {} : { tryKey }),
    countTokens: async () => null,
    dispose: async () => {},
    stream: (request, signal) => streamAnswer(wire(targetOf), request, { signal, now, ...limits }),
  };
}
