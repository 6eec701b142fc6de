import { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { messageOf } from '@shared/errors.ts';
import type { ProviderError } from './define.ts';

/** What went wrong in a call through the `openai` package, in our words. `null`: it was aborted by the caller. */
export function toProviderError(error: unknown): ProviderError | null {
  if (error instanceof APIUserAbortError) return null;
  if (error instanceof APIConnectionError)
    return { code: 'network', message: connectionMessage(error), retryable: true };
  if (error instanceof APIError) return fromStatus(error);
  if (error instanceof SyntaxError) {
    return { code: 'cut', message: `The answer could not be read: ${error.message}`, retryable: true };
  }
  return { code: 'network', message: `The connection broke: ${messageOf(error)}`, retryable: true };
}

function connectionMessage(error: APIConnectionError): string {
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `The server could not be reached: ${error.message}${cause}`;
}

function fromStatus(error: APIError): ProviderError {
  const message = error.message;
  const status: number | undefined = error.status;
  const wait = retryAfterMs(error.headers);
  const later = wait === null ? {} : { retryAfterMs: wait };
  if (status === 429) return { code: 'rate-limit', message, retryable: true, ...later };
  if (status === 401 || status === 403) return { code: 'auth', message, retryable: false };
  if (status === 404) return { code: 'missing-model', message, retryable: false };
  if (isContextFull(message)) return { code: 'context-full', message, retryable: false };
  if (status === 408 || status === 409) return { code: 'overloaded', message, retryable: true, ...later };
  if (status !== undefined && status >= 400 && status < 500) return { code: 'bad-request', message, retryable: false };
  // An error frame inside a 200 has no status: the server gave up in the middle.
  return { code: 'overloaded', message, retryable: true, ...later };
}

function isContextFull(message: string): boolean {
  return /context (length|window|size)|maximum context|exceed_context|too many tokens/iu.test(message);
}

function retryAfterMs(headers: Headers | undefined): number | null {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers?.get('retry-after');
  if (text === null || text === undefined) return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}
