import type OpenAI from 'openai';
import { baseAddress } from '../../../lib/net/base-address.ts';
import { openaiSdk } from '../api/sdk-packages.ts';
import { noSdkLimitMs } from '../call/stall-watch.ts';

interface OpenaiClientOptions {
  readonly baseUrl: string;
  /** Null: no header with a key is sent. */
  readonly key: string | null;
  /** Sent beside the key. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

/** A client of the `openai` package. It takes nothing from the environment and writes nothing to the terminal. */
export async function openaiClient({ baseUrl, key, headers, fetch }: OpenaiClientOptions): Promise<OpenAI> {
  const { OpenAI: Client } = await openaiSdk.load();
  const { base, query } = baseAddress(baseUrl);
  return new Client({
    baseURL: base,
    defaultQuery: { ...query },
    // The package needs a key.
    apiKey: key ?? 'none',
    defaultHeaders: key === null ? { authorization: null } : { ...headers },
    // The agent retries by itself, so that every retry is visible and can be cancelled.
    maxRetries: 0,
    organization: null,
    project: null,
    logLevel: 'off',
    timeout: noSdkLimitMs,
    fetch,
  });
}
