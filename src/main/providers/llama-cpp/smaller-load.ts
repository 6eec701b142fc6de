import type { ContextGrant } from '../../engines/grant-context.ts';
import type { EngineError } from '../../engines/llama-worker/protocol.ts';
import type { ProviderDependencies, ProviderError } from '../define.ts';
import type { FoundModel } from './found-model.ts';

/**
 * Where the engine ran out of memory with what the plan granted, the model gets one step less from now on, and the call
 * may be made again: whoever makes it says so. Null where there is no such step.
 */
export async function smallerLoad(
  { stepDown }: ProviderDependencies,
  { path, wish, grant }: FoundModel,
  error: EngineError,
): Promise<ProviderError | null> {
  if (error.code !== 'out-of-memory' || stepDown === undefined) return null;
  const smaller = await stepDown(path, wish, error);
  if (smaller === null) return null;
  const message = `${error.message} From now on it is loaded with ${sizeOf(smaller)} in place of ${sizeOf(grant)}.`;
  return { code: 'out-of-memory', message, retryable: true };
}

function sizeOf({ grantedTokens, sequences: count }: ContextGrant): string {
  return `${grantedTokens} tokens for ${count === 1 ? 'one conversation' : `each of ${count} conversations`}`;
}
