import { z } from 'zod';
import { errorOfRefusal, type Refusal } from '../api/http-errors.ts';
import type { ProviderError } from '../define.ts';
import { connectionMessage } from '../openai/openai-errors.ts';

/** An error that the server returned, or that no answer came. */
export class OllamaError extends Error {
  readonly error: ProviderError;
  constructor(error: ProviderError) {
    super(error.message);
    this.name = 'OllamaError';
    this.error = error;
  }
}

const errorSchema = z.object({
  error: z.union([z.string(), z.object({ message: z.string() })]),
  status: z.number().int().nonnegative().nullish().catch(null),
});

/** Throws if a value within an answer is an error. A stream can begin well and still contain one. */
export function throwInside(value: unknown): void {
  const parsed = errorSchema.safeParse(value);
  if (!parsed.success) return;
  const { error, status } = parsed.data;
  const message = typeof error === 'string' ? error : error.message;
  throw new OllamaError(errorOfOllama({ status: status ?? undefined, message }));
}

/** Translates Ollama's messages into our words where we have any. */
export function errorOfOllama(refusal: Refusal): ProviderError {
  const { message, status } = refusal;
  if (
    /exceeds? (the )?(available )?context|context length|prompt is too long|too long for|context limit/iu.test(message)
  )
    return { code: 'context-full', message, retryable: false };
  if (/requires more (system )?memory|out of memory|insufficient memory|cudaMalloc|failed to allocate/iu.test(message))
    return {
      code: 'out-of-memory',
      message: `${message} (Set a smaller context with providers.ollama.contextTokens, or use a smaller model.)`,
      retryable: false,
    };
  if (/runner (process )?(has )?(terminated|unexpectedly|no longer)|unexpectedly stopped/iu.test(message))
    return { code: 'engine-lost', message, retryable: true };
  if ((status === 404 || /not found/iu.test(message)) && /model|manifest|tag/iu.test(message))
    return { code: 'missing-model', message: `${message}. Download it with: ollama pull NAME`, retryable: false };
  if (/does not support|invalid|unable to load model|unknown (model|architecture)/iu.test(message))
    return { code: status === 400 ? 'bad-request' : 'bad-model', message, retryable: false };
  return errorOfRefusal(refusal);
}

/** Nothing answers at the address. `more` replaces the usual advice. */
export class NotThere extends OllamaError {
  constructor(address: string, cause: unknown, more: string | null) {
    const why = cause instanceof Error ? connectionMessage(cause) : String(cause);
    const isRefused = why.includes('ECONNREFUSED');
    const what = isRefused
      ? `Ollama is not running at ${address}.`
      : `Ollama at ${address}: ${why.replace(/\.?$/u, '.')}`;
    const settings = `dewpoint settings set providers.ollama '{"kind": "ollama", "baseUrl": "…"}'`;
    const wayOut = isRefused
      ? `Start it with "ollama serve", or set its address: ${settings}`
      : `To set another address: ${settings}`;
    const message = `${what} ${more ?? wayOut}`;
    super({ code: 'network', message, retryable: false });
    this.cause = cause;
  }
}
