import { failure, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import type { Connection } from '../../lib/net/net-fetch.ts';
import { explainDownloadFailure } from '../files/download/explain-download-failure.ts';
import type { LlamaProcess } from './llama-process.ts';
import type {
  DryRun,
  EmbedRequest,
  EngineCards,
  EngineError,
  EngineStats,
  FromWorker,
  LoadOptions,
  LoadedModel,
} from './worker/worker-protocol.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import { reasonNow } from '../../lib/net/send-reason.ts';

/** Questions to the engine's process other than calls. */

export function askDownload(
  child: LlamaProcess,
  {
    uri,
    path,
    connection,
    signal,
    onProgress,
  }: {
    readonly uri: string;
    readonly path: string;
    readonly connection: Connection;
    readonly signal: AbortSignal;
    readonly onProgress: (doneBytes: number) => void;
  },
): Promise<Reply<null>> {
  return new Promise((resolve) => {
    const id = child.ask({ type: 'download', uri, path, connection, why: reasonNow() }, (answer) => {
      if (answer.type === 'progress') onProgress(answer.done);
      if (answer.type !== 'downloaded' && answer.type !== 'failed') return false;
      signal.removeEventListener('abort', onAbort);
      if (answer.error === null) resolve(success(null));
      else if (signal.aborted) resolve(failure('cancelled', 'The download was cancelled.'));
      else if (answer.type === 'failed') resolve(explainDownloadFailure(uri, answer.error.message));
      else resolve(failure(answer.error.code, answer.error.message, answer.error.hint));
      return true;
    });
    const onAbort = (): void => child.abort(id);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

/** Vectors or scores: one row for each text, as the bytes of 32-bit numbers in base64. */
export type EngineRows =
  | { readonly ok: true; readonly rows: readonly string[]; readonly tokens: number; readonly loaded: LoadedModel }
  | { readonly ok: false; readonly error: EngineError };

/** Loads the model first if it is not the loaded one. */
export async function askRows(
  child: LlamaProcess,
  { model, request }: { readonly model: LoadOptions; readonly request: EmbedRequest },
  signal: AbortSignal,
): Promise<EngineRows> {
  const gone: EngineRows = { ok: false, error: { code: 'cancelled', message: 'It was cancelled.' } };
  const loaded = await askLast(child, { type: 'load', options: model }, signal);
  if (loaded === null || signal.aborted) return gone;
  if (loaded.type === 'failed') return { ok: false, error: loaded.error };
  const answer = await askLast(child, { type: 'embed', request }, signal);
  if (answer?.type === 'failed') return { ok: false, error: answer.error };
  if (answer?.type !== 'embedded' || loaded.type !== 'loaded') return gone;
  return { ok: true, rows: answer.rows, tokens: answer.tokens, loaded: loaded.model };
}

/** The final answer to a question. Null if the signal aborts first; the process is then told. */
function askLast(
  child: LlamaProcess,
  question: Parameters<LlamaProcess['ask']>[0],
  signal: AbortSignal,
): Promise<FromWorker | null> {
  return new Promise((resolve) => {
    const id = child.ask(question, (answer) => {
      if (answer.type === 'progress') return false;
      signal.removeEventListener('abort', onAbort);
      resolve(answer);
      return true;
    });
    const onAbort = (): void => {
      child.abort(id);
      resolve(null);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

export function askMeasure(child: LlamaProcess, context: DryRun, signal: AbortSignal): Promise<number | null> {
  return askOnce(child, { type: 'measure', context }, signal, (answer) =>
    answer.type === 'measured' ? answer.contextBytes : null,
  );
}

export function askCards(child: LlamaProcess, signal: AbortSignal): Promise<EngineCards | null> {
  return askOnce(child, { type: 'cards' }, signal, (answer) => (answer.type === 'seen' ? answer.cards : null));
}

export function askStats(child: LlamaProcess): Promise<EngineStats | null> {
  return askOnce(child, { type: 'stats' }, neverAborts, (answer) => (answer.type === 'stats' ? answer.stats : null));
}

/** Null also if the signal aborts first. */
function askOnce<T>(
  child: LlamaProcess,
  question: Parameters<LlamaProcess['ask']>[0],
  signal: AbortSignal,
  valueOf: (answer: FromWorker) => T | null,
): Promise<T | null> {
  return new Promise((resolve) => {
    const giveUp = (): void => resolve(null);
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    child.ask(question, (answer) => {
      signal.removeEventListener('abort', giveUp);
      resolve(valueOf(answer));
      return true;
    });
  });
}
