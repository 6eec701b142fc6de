import { AppError, messageOf } from '@shared/errors.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { PermanentError } from '../../../lib/net/permanent-error.ts';
import { rootCause } from '../../../lib/net/root-cause.ts';
import type { ProviderError } from '../define.ts';
import { openaiSdk } from '../api/sdk-packages.ts';
import { errorOfRefusal } from '../api/http-errors.ts';
import { RefusedOnTheWay } from '../api/service-fetch.ts';

/** Translates an error of the `openai` package. Null: the caller aborted it. */
export function toProviderError(error: unknown): ProviderError | null {
  const sdk = openaiSdk.loaded();
  if (sdk === null) return brokenStream(error);
  if (error instanceof sdk.APIUserAbortError) return null;
  if (error instanceof sdk.APIConnectionError) return connectionError(error);
  if (error instanceof sdk.APIError) {
    const status: number | undefined = error.status;
    const kind = [error.code, error.type].filter((word) => typeof word === 'string').join(' ');
    return errorOfRefusal({ status, message: withContext(error.message, error.error), headers: error.headers, kind });
  }
  return brokenStream(error);
}

/** llama.cpp names its context in a field of its own. */
function withContext(message: string, body: unknown): string {
  const tokens = isRecord(body) ? body.n_ctx : undefined;
  return typeof tokens === 'number' && !message.includes(String(tokens)) ? `${message} (n_ctx ${tokens})` : message;
}

/** An error for a failed connection. Packages and `fetch` hide the reason ("connect ECONNREFUSED …") in the cause. */
export function connectionError(error: Error): ProviderError {
  const root = rootCause(error);
  if (root instanceof RefusedOnTheWay) return root.error;
  if (root instanceof AppError) return keyError(root);
  return { code: 'network', message: connectionMessage(error), retryable: !isLasting(error) };
}

export function connectionMessage(error: Error): string {
  const root = rootCause(error);
  const { message } = root;
  if (isLasting(error) || root instanceof RefusedOnTheWay) return message;
  // A 407 of what is no proxy of ours ends a request without a word.
  const why =
    message === '' ? 'it ended the request without a reason; a proxy that wants a password (407) does so' : message;
  return `The server could not be reached: ${why}`;
}

function isLasting(error: Error): boolean {
  return rootCause(error) instanceof PermanentError;
}

/** A stream that broke off or cannot be parsed. */
export function brokenStream(error: unknown): ProviderError {
  if (error instanceof AppError) return keyError(error);
  if (error instanceof SyntaxError) {
    return { code: 'cut', message: `The answer could not be read: ${error.message}`, retryable: true };
  }
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return { code: 'network', message: `The connection was lost: ${messageOf(error)}${cause}`, retryable: true };
}

/** The key could not be read, so nothing was sent. */
function keyError({ code, message, hint }: AppError): ProviderError {
  const text = hint === undefined ? message : `${message} ${hint}`;
  return { code: code === 'missing-key' ? 'no-key' : 'internal', message: text, retryable: false };
}
