import { failure, success, type Reply } from '@shared/errors.ts';
import { printable } from '@shared/text/seen-text.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { addressBelow } from '../../lib/net/base-address.ts';
import { decodeText, sourceLine } from './read-page.ts';
import type { RequestWeb, SearchAccess, WebRequest } from './web-request.ts';

/** How to query a search service, as data. */
interface SearchService {
  /** Null: the user's own address, from the settings. */
  readonly address: string | null;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The header that holds the key. Null: no key is needed. */
  readonly keyHeader: string | null;
  /** The path of the results in the answer, and the fields for title, address and text. */
  readonly results: readonly string[];
  readonly fields: readonly [title: string, url: string, text: string];
}

const services: Readonly<Record<string, SearchService>> = {
  searxng: {
    address: null,
    path: '/search',
    query: { format: 'json' },
    keyHeader: null,
    results: ['results'],
    fields: ['title', 'url', 'content'],
  },
  brave: {
    address: 'https://api.search.brave.com',
    path: '/res/v1/web/search',
    query: { count: '10' },
    keyHeader: 'x-subscription-token',
    results: ['web', 'results'],
    fields: ['title', 'url', 'description'],
  },
};

/** The services that need a key. */
export const keyedServices: readonly string[] = Object.entries(services).flatMap(([name, { keyHeader }]) =>
  keyHeader === null ? [] : [name],
);

const mostResults = 10;
const longestText = 400;

export interface SearchWish {
  readonly query: string;
  readonly why: string;
}

/** Queries the service. Returns titles, addresses and texts, which are all untrusted. */
export async function searchWeb(
  access: SearchAccess,
  { query, why }: SearchWish,
  request: RequestWeb,
): Promise<Reply<string>> {
  const service = services[access.service];
  if (service === undefined) return failure('bad-input', `There is no search service ${access.service}.`);
  const asked = requestOf(service, access, { query, why });
  if (asked === null)
    return failure('bad-input', 'The address of the search service is not a valid address. Look at web.searxng.');
  const reply = await request(asked);
  if (!reply.ok) return reply;
  const { status, isCut } = reply.value;
  const name = access.service;
  if (status === 401 || status === 403) {
    const hint =
      service.keyHeader === null
        ? 'Its JSON format may be off: add json to search.formats in its settings.'
        : `Set the key anew: dewpoint tools secret web_search ${name}`;
    return failure('network', `The search service ${name} refused (${status}).`, hint);
  }
  if (status === 429)
    return failure(
      'network',
      `The search service ${name} takes no more searches for now (429). Wait, or go on without it.`,
    );
  if (status !== 200 || isCut)
    return failure('network', `The search service ${name} answered ${isCut ? 'too much' : status}.`);
  const found = resultsIn(decodeText(reply.value), service);
  if (found === null) return failure('network', `The search service ${name} gave an answer that is not understood.`);
  if (found.length === 0) return success('Nothing was found.');
  return success(`${sourceLine(new URL(asked.url).host)}\n\n${found.join('\n\n')}`);
}

function requestOf(
  service: SearchService,
  { address, key }: SearchAccess,
  { query, why }: SearchWish,
): WebRequest | null {
  const url = URL.parse(addressBelow(service.address ?? address ?? '', service.path));
  if (url === null) return null;
  for (const [name, value] of [['q', query], ...Object.entries(service.query)] as const)
    url.searchParams.set(name, value);
  const headers = service.keyHeader === null || key === null ? {} : { [service.keyHeader]: key };
  const own = { headers, isInner: service.address === null };
  return { method: 'GET', url: url.href, headers: { accept: 'application/json' }, body: null, why, service: own };
}

function resultsIn(json: string, { results, fields }: SearchService): readonly string[] | null {
  let at: unknown;
  try {
    at = JSON.parse(json);
  } catch {
    return null;
  }
  for (const step of results) at = isRecord(at) ? at[step] : undefined;
  // Some services leave out the list when nothing was found.
  if (at === undefined) return [];
  if (!Array.isArray(at)) return null;
  const items: readonly unknown[] = at;
  return items
    .flatMap((item) => {
      const [title = '', url = '', text = ''] = fields.map((name) =>
        plainText(isRecord(item) ? item[name] : undefined),
      );
      return url === '' ? [] : [[title, url, text].filter((line) => line !== '').join('\n')];
    })
    .slice(0, mostResults);
}

/** On one line, without the HTML tags that some services put around words. */
function plainText(value: unknown): string {
  if (typeof value !== 'string') return '';
  const bare = value.slice(0, 4 * longestText).replaceAll(/<\/?[a-z][^<>]{0,40}>/giu, '');
  return printable(bare).replaceAll(/\s+/gu, ' ').trim().slice(0, longestText);
}
