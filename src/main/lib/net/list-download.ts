import { AppError, messageOf } from '@shared/errors.ts';
import { rootCause } from './root-cause.ts';

export const mostDownloadBytes = 8 * 1024 * 1024;

interface ListDownload {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** What is as it was where the download fails, as a sentence. */
  readonly kept: string;
}

/** The whole text at an address that a person asked for. Throws `AppError` with what is wrong. */
export async function downloadList(address: string, { fetch: get, signal, kept }: ListDownload): Promise<string> {
  try {
    const response = await get(address, { signal, redirect: 'error' });
    if (!response.ok) throw new AppError('network', `${address} answered ${response.status}. ${kept}`);
    const text = await wholeText(response);
    if (text !== null) return text;
    throw new AppError('bad-input', `What ${address} sends is too large. ${kept}`, { hint: 'Check its address.' });
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error;
    throw new AppError(
      'network',
      `${address} could not be reached: ${messageOf(error instanceof Error ? rootCause(error) : error)}. ${kept}`,
      { cause: error },
    );
  }
}

/** Null: too large, and the rest is not read. */
async function wholeText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostDownloadBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
