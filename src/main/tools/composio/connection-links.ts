import { isRecord } from '@shared/unknown-value.ts';

/** An account that waits for the user to sign in. */
export interface ConnectionLink {
  readonly url: string;
  /** The service. Null: the result did not name it. */
  readonly toolkit: string | null;
}

const deepest = 8;
const mostLinks = 10;
/** The field in which Composio gives the address of a sign-in. */
const linkField = 'redirect_url';

/**
 * The links for connecting accounts, wherever they are in a result, because the shape of results is not documented.
 * Only `https` addresses count, because they are shown to be opened.
 */
export function linksIn(result: unknown): readonly ConnectionLink[] {
  const found = new Map<string, ConnectionLink>();
  const look = (value: unknown, key: string | null, depth: number): void => {
    if (depth > deepest || found.size >= mostLinks || typeof value !== 'object' || value === null) return;
    const url = isRecord(value) ? value[linkField] : undefined;
    if (isRecord(value) && typeof url === 'string' && URL.parse(url)?.protocol === 'https:' && !isDone(value)) {
      const named = value.toolkit ?? value.toolkit_slug;
      const toolkit = typeof named === 'string' ? named : key;
      found.set(url, { url, toolkit: toolkit !== null && isToolkit(toolkit) ? toolkit.toLowerCase() : null });
    }
    for (const [name, inner] of Object.entries(value)) look(inner, Array.isArray(value) ? key : name, depth + 1);
  };
  look(result, null, 0);
  return [...found.values()];
}

/** A result may also hold the link of an account that is already connected. */
function isDone({ status, has_active_connection: isActive }: Readonly<Record<string, unknown>>): boolean {
  return isActive === true || (typeof status === 'string' && /^(active|connected)$/i.test(status));
}

function isToolkit(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/i.test(text) && !['data', 'results', 'connection_details'].includes(text);
}
