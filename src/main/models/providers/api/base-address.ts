/** What people paste with the address: the ends of paths that a provider adds by itself. */
const pasted = /\/(?:chat\/completions|completions|responses|messages|embeddings|models)$/u;

export interface BaseAddress {
  /** Without a query, pasted ends and slashes at the end. */
  readonly base: string;
  /** Parameters that belong to every request (`?api-version=1`). */
  readonly query: Readonly<Record<string, string>>;
}

/** The one reading of a base address from the settings. Doubled slashes, ends that were pasted, and fragments go. */
export function baseAddress(text: string): BaseAddress {
  const url = URL.parse(text.trim());
  if (url === null) return { base: text.replace(/(?<!\/)\/+$/u, ''), query: {} };
  const query = Object.fromEntries(url.searchParams);
  const path = url.pathname
    .replace(/\/{2,}/gu, '/')
    .replace(/\/$/u, '')
    .replace(pasted, '');
  url.pathname = path;
  url.search = '';
  url.hash = '';
  return { base: url.href.replace(/\/$/u, ''), query };
}

/** Joins a base address and a path, which may have a query of its own. */
export function addressBelow(baseUrl: string, path: string): string {
  const { base, query } = baseAddress(baseUrl);
  const joined = `${base}/${path.replace(/^\/+/u, '')}`;
  const more = new URLSearchParams(query).toString();
  return more === '' ? joined : `${joined}${joined.includes('?') ? '&' : '?'}${more}`;
}

/** What to try after a 404 at an address of a call. */
export function nothingThere(calledUrl: string): string {
  const likely = likelyBase(calledUrl);
  return likely === null
    ? 'Check the base URL of this provider.'
    : `Most servers answer below ${likely}: set that as the base URL of this provider.`;
}

/** An address below which more servers answer than below the one of this call. Null: there is none to suggest. */
function likelyBase(calledUrl: string): string | null {
  const { base } = baseAddress(calledUrl);
  const url = URL.parse(base);
  if (url === null) return null;
  const parts = base.split('/');
  const isVersion = (part = ''): boolean => /^v\d\w{0,20}$/u.test(part);
  while (isVersion(parts.at(-1)) && isVersion(parts.at(-2))) parts.pop();
  const once = parts.join('/');
  if (once !== base) return once;
  return url.pathname.split('/').some(isVersion) ? null : `${base}/v1`;
}
