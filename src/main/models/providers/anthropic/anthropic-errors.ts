import { z } from 'zod';
import { errorOfRefusal } from '../api/http-errors.ts';
import { anthropicSdk } from '../api/sdk-packages.ts';
import type { ProviderError } from '../define.ts';
import { brokenStream, connectionError } from '../openai/openai-errors.ts';

const bodySchema = z.object({ error: z.object({ type: z.string().nullish(), message: z.string().nullish() }) });

/** Translates an error of Anthropic's package. Null: the caller aborted it. */
export function anthropicErrorOf(error: unknown): ProviderError | null {
  const sdk = anthropicSdk.loaded();
  if (sdk !== null && error instanceof sdk.APIUserAbortError) return null;
  if (sdk !== null && error instanceof sdk.APIConnectionError) return connectionError(error);
  if (sdk === null || !(error instanceof sdk.APIError)) return brokenStream(error);
  const body = bodySchema.safeParse(error.error);
  const said = body.success ? body.data.error : {};
  return errorOfRefusal({
    status: error.status,
    message: said.message ?? error.message,
    headers: error.headers,
    kind: said.type ?? '',
  });
}
