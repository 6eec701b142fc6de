import { isRecord } from '@shared/unknown-value.ts';
import { parsedUrl } from '../../lib/net/parsed-url.ts';

/** An account that waits for a person to sign in. */
export interface ConnectionLink {
  readonly url: string;
  /** The service; null: nobody said. */
  readonly toolkit: string | null;
}

const deepest = 8;
const mostLinks = 10;
/** What Composio calls the address at which a person signs in. */
const linkField = 'redirect_url';

/**
 * The links by which a person is to connect accounts, wherever they stand in a result: the shape of results is not promised.
 * Only addresses of the web count, for they are shown to be opened.
 */
export function linksIn(result: unknown): readonly ConnectionLink[] {
  const found = new Map<string, ConnectionLink>();
  const look = (value: unknown, key: string | null, depth: number): void => {
    if (depth > deepest || found.size >= mostLinks || typeof value !== 'object' || value === null) return;
    const url = isRecord(value) ? value[linkField] : undefined;
    if (isRecord(value) && typeof url === 'string' && parsedUrl(url)?.protocol === 'https:' && !isDone(value)) {
      const named = value.toolkit ?? value.toolkit_slug;
      const toolkit = typeof named === 'string' ? named : key;
      found.set(url, { url, toolkit: toolkit !== null && isToolkit(toolkit) ? toolkit.toLowerCase() : null });
    }
    for (const [name, inner] of Object.entries(value)) look(inner, Array.isArray(value) ? key : name, depth + 1);
  };
  look(result, null, 0);
  return [...found.values()];
}

/** A link may be told of with an account that is there. */
function isDone({ status, has_active_connection: isActive }: Readonly<Record<string, unknown>>): boolean {
  return isActive === true || (typeof status === 'string' && /^(active|connected)$/i.test(status));
}

function isToolkit(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/i.test(text) && !['data', 'results', 'connection_details'].includes(text);
}
