import { ListRefusedError } from './model-book.ts';

export interface JsonGet {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** Reads JSON from a service. A refusal (a missing key, a name that it does not know) is a `ListRefusedError`. */
export async function getJson({ url, headers, fetch: get, signal }: JsonGet): Promise<unknown> {
  const response = await get(url, { headers: { accept: 'application/json', ...headers }, signal });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  const message = `${new URL(url).host} answered ${response.status}: ${messageIn(text)}`;
  if (response.status >= 400 && response.status < 500) throw new ListRefusedError(message);
  throw new Error(message);
}

/** What a person can read in the body of a refusal. */
export function messageIn(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    return messageOfBody(parsed) ?? body.slice(0, 300);
  } catch {
    return body.slice(0, 300);
  }
}

function messageOfBody(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return messageOfBody(value[0]);
  const { error, message, detail } = { error: null, message: null, detail: null, ...value };
  return messageOfBody(error) ?? messageOfBody(message) ?? messageOfBody(detail);
}
