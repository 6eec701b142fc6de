import { nothingThere } from './next-step.ts';
import { readable } from './http-errors.ts';
import { ListRefusedError } from './api-models.ts';

export interface JsonGet {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/**
 * Reads JSON from a service. Throws `ListRefusedError` if the service refuses (a missing key, an unknown name). Also
 * rejects with a readable message if something else answers, such as a sign-in page or a wrong address.
 */
export async function getJson({ url, headers, fetch: get, signal }: JsonGet): Promise<unknown> {
  const response = await get(url, { headers: { accept: 'application/json', ...headers }, signal });
  const text = await response.text();
  const { host, pathname } = new URL(url);
  if (!response.ok) {
    const at = response.status === 404 || response.status === 405 ? ` at ${pathname}` : '';
    const hint = at === '' ? '' : ` ${nothingThere(url)}`;
    const message = `${host} answered ${response.status}${at}: ${messageIn(text)}${hint}`;
    if (response.status >= 400 && response.status < 500) throw new ListRefusedError(message);
    throw new Error(message);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${host} answered at ${pathname}, but not like a model provider: ${messageIn(text)}`);
  }
}

/** The readable message in the body of a refusal. */
export function messageIn(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    return messageOfBody(parsed) ?? readable(body);
  } catch {
    return readable(body);
  }
}

function messageOfBody(value: unknown): string | null {
  if (typeof value === 'string') return readable(value);
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return messageOfBody(value[0]);
  const { error, message, detail, msg } = { error: null, message: null, detail: null, msg: null, ...value };
  const said = messageOfBody(error) ?? messageOfBody(message) ?? messageOfBody(detail) ?? messageOfBody(msg);
  // FastAPI says which field it means.
  const place = Object.entries(value).find(([name]) => name === 'loc')?.[1];
  return said === null || !Array.isArray(place) ? said : `${place.join('.')}: ${said}`;
}
