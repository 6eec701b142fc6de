import { loadSizeInWords, loadSizeOf } from '@shared/models/load-size.ts';
import type { EngineError } from '../../engine/worker/worker-protocol.ts';
import type { ProviderDependencies, ProviderError } from '../define.ts';
import type { FoundModel } from './llama-cpp-model.ts';

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
  const [now, before] = [smaller, grant].map((size) => loadSizeInWords(loadSizeOf(size)));
  const message = `${error.message} From now on it is loaded with ${now} in place of ${before}.`;
  return { code: 'out-of-memory', message, retryable: true };
}
