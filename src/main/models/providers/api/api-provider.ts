import { streamAnswer, type Wire } from '../call/stream-answer.ts';
import type { ModelRequest, Provider } from '../define.ts';
import type { ApiModels } from './api-models.ts';
import type { Reachability } from './reachability.ts';
import { firstWordMs, stallMs } from '../call/stall-watch.ts';

/** What a wire format must know of the model that is called. */
export interface ModelTarget {
  /** `KIND/MODEL`, whose reasoning is sent back. */
  readonly by: string;
  readonly images: boolean;
  /** It thinks before it answers, and takes no temperature then. */
  readonly reasoning: boolean;
}

export interface ApiProviderOptions<Event> {
  readonly id: string;
  /** Of the definition or the preset, for what is carried from answer to request. */
  readonly kind: string;
  readonly where: 'local' | 'cloud';
  readonly settings: { readonly firstWordSeconds?: number | undefined };
  readonly book: ApiModels;
  readonly now: () => number;
  readonly reach: Reachability;
  readonly tryKey?: Provider['tryKey'];
  /** One use: one call. */
  readonly wire: (targetOf: (request: ModelRequest) => ModelTarget) => Wire<Event>;
}

/** A provider that is a service: models from its book, calls over its wire, nothing held open between them. */
export function createApiProvider<Event>(service: ApiProviderOptions<Event>): Provider {
  const { id, kind, where, book, now, reach, tryKey } = service;
  const limits = { firstWordMs: firstWordMs(service.settings), stallMs: stallMs[where] };
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
    stream: (request, signal) => streamAnswer(service.wire(targetOf), request, { signal, now, ...limits }),
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
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
