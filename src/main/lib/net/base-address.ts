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

/** Joins a base address and a path, which may have a query of its own. An address that ends with the path keeps it. */
export function addressBelow(baseUrl: string, path: string): string {
  const { base, query } = baseAddress(baseUrl);
  const below = `/${path.replace(/^\/+/u, '')}`;
  const joined = base.endsWith(below) ? base : `${base}${below}`;
  const more = new URLSearchParams(query).toString();
  return more === '' ? joined : `${joined}${joined.includes('?') ? '&' : '?'}${more}`;
}
