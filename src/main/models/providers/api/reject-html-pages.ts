import { PermanentError } from '../../../lib/net/net-fetch.ts';
import { readable } from './http-errors.ts';

/**
 * A `fetch` for services, which answer with no page for people. One that says that all is well comes from whoever is in
 * the way (a portal that wants a name first), or from an address that is no service's; `fetch` fails then.
 */
export function rejectHtmlPages(get: typeof fetch): typeof fetch {
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
