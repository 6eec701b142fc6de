import { messageOf } from '@shared/errors.ts';
import type { TextUse } from '@shared/models/model-info.ts';
import type { OneAtATime } from '../../../lib/async/one-at-a-time.ts';
import type { LlamaEngine } from '../../engine/llama-engine.ts';
import type { ProviderError, TextsReply, TextsRequest } from '../define.ts';
import { providerFailure } from '../call/call-ended.ts';
import { toProviderError } from './engine-call.ts';
import type { FoundModel, LlamaCppDependencies, LlamaSettings } from './llama-cpp-model.ts';
import { findModel } from './llama-cpp-model.ts';

export interface TextParts {
  readonly dependencies: LlamaCppDependencies;
  readonly settings: LlamaSettings;
  readonly turn: OneAtATime;
  /** Unloads other engines' models if this load needs their memory. */
  readonly makeRoom: (model: FoundModel, signal: AbortSignal) => Promise<unknown>;
}

/** Turns texts into vectors or scores. Takes turns with all other calls to this machine's models. */
export async function readTexts(parts: TextParts, request: TextsRequest, signal: AbortSignal): Promise<TextsReply> {
  const { now } = parts.dependencies;
  const [startedAt, leave] = [now(), await parts.turn.enter(signal)];
  const begunAt = now();
  const timings = () => ({
    queuedMs: begunAt - startedAt,
    prefillMs: now() - begunAt,
    decodeMs: null,
    totalMs: now() - startedAt,
  });
  const no = (error: ProviderError): TextsReply => ({ ok: false, error, timings: timings() });
  if (leave === null) return no(providerFailure('internal', 'It was cancelled.'));
  try {
    const found = await ready(parts, request, signal);
    if ('code' in found) return no(found);
    const { texts, query } = request;
    const read = await found.llama.embed(found.model.options, { texts, query }, signal);
    if (!read.ok) return no(toProviderError(read.error));
    return { ok: true, rows: read.rows, tokens: read.tokens, timings: timings() };
  } catch (error) {
    return no(providerFailure('internal', messageOf(error)));
  } finally {
    leave();
  }
}

async function ready(
  { dependencies, settings, makeRoom }: TextParts,
  request: TextsRequest,
  signal: AbortSignal,
): Promise<ProviderError | { readonly llama: LlamaEngine; readonly model: FoundModel }> {
  const { llama } = dependencies;
  const model = await findModel(dependencies, settings, { model: request.model, signal });
  if (llama === undefined || model === null)
    return providerFailure('missing-model', `The model ${request.model} is not here.`);
  if (model.refusal !== null) return providerFailure('bad-model', model.refusal);
  const wanted: TextUse = request.query === null ? 'vectors' : 'scores';
  if (model.use !== wanted) return providerFailure('bad-request', `${request.model} makes no ${wanted} of texts.`);
  await makeRoom(model, signal);
  return { llama, model };
}
