import PQueue from 'p-queue';
import { messageOf } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import type { Connection } from '../../lib/net/net-fetch.ts';
import { createEventChannel } from './event-channel.ts';
import { createModelFileCheck } from '../memory/gguf/check-model-file.ts';
import type { ModelFileCheck } from '../memory/gguf/check-model-file.ts';
import type { EventChannel } from './event-channel.ts';
import { createHeaderReader } from '../memory/gguf/gguf-header-reader.ts';
import { askCards, askDownload, askMeasure, askRows, askStats } from './ask-llama-process.ts';
import type { EngineRows } from './ask-llama-process.ts';
import { startLlamaProcess } from './llama-process.ts';
import type { LlamaProcess } from './llama-process.ts';
import type {
  EngineCards,
  DryRun,
  EmbedRequest,
  EngineError,
  EngineRequest,
  EngineStats,
  FromWorker,
  Generation,
  LoadOptions,
  LoadedModel,
} from './worker/worker-protocol.ts';

export type EngineEvent =
  | {
      readonly type: 'progress';
      readonly phase: 'waiting' | 'loading' | 'prefill';
      readonly done: number;
      readonly total: number | null;
    }
  /** `tokens` is the number of tokens since the last delta. */
  | { readonly type: 'delta'; readonly text: string; readonly tokens: number; readonly isThought: boolean }
  | {
      readonly type: 'ended';
      readonly generation: Generation;
      readonly queuedMs: number;
      readonly totalMs: number;
      /** Null if the call ended before its model was in memory. */
      readonly loaded: LoadedModel | null;
    };

/** The built-in engine of the core: it answers one call at a time, in a separate process that starts on demand. */
export interface LlamaEngine {
  /**
   * Yields exactly one `ended`, as the last event. Never throws. Ends within 200 ms of an abort. Loads the model
   * first if it is not the loaded one.
   */
  generate(model: LoadOptions, request: EngineRequest, signal: AbortSignal): AsyncIterable<EngineEvent>;
  /** The number of tokens of the prompt as `generate` would send it. */
  count(
    model: LoadOptions,
    request: EngineRequest,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly tokens: number } | { readonly ok: false; readonly error: EngineError }>;
  /**
   * Vectors or scores of texts, from a model that is loaded with that `use`. Never rejects for errors of the engine.
   */
  embed(model: LoadOptions, request: EmbedRequest, signal: AbortSignal): Promise<EngineRows>;
  /** Downloads a model file by URI into `path`. After an abort, the next try resumes. */
  download(
    uri: string,
    path: string,
    options: { readonly signal: AbortSignal; readonly onProgress: (doneBytes: number) => void },
  ): Promise<Reply<null>>;
  /** The memory that a context would take, by the engine's own dry run. Null if it cannot say. Loads nothing. */
  measure(context: DryRun, signal: AbortSignal): Promise<number | null>;
  /** Unloads a model file after the running call, so that it can be deleted. */
  release(path: string): Promise<void>;
  /** Ends the process after the running call. The next call starts a new one, which finds new libraries. */
  startAnew(): Promise<void>;
  /** The cards that the engine can use, with their memory now. Null if there are none, or no answer in time. */
  cards(signal: AbortSignal): Promise<EngineCards | null>;
  /** Null if no process runs. */
  stats(): Promise<EngineStats | null>;
  /** The process id, for tests and `doctor`. Null if no process runs. */
  pid(): number | null;
  /** The file of the model that is loaded or being loaded. Null: none. */
  loadedPath(): string | null;
  /** The adapter on it. Null: none. */
  loadedAdapter(): string | null;
  /** Ends the process at once. Safe to call twice. A later call would start a new one. */
  dispose(): Promise<void>;
}

export interface LlamaEngineOptions {
  readonly nodePath: string;
  readonly workerPath: string;
  readonly programs: HostPrograms;
  /** The folder of downloaded libraries for cards. Absent: there are none. */
  readonly enginesDir?: string | undefined;
  readonly now: () => number;
  /** Everything else on this machine goes first. */
  readonly isPolite?: boolean;
  /** Default 15 s. */
  readonly hangMs?: number;
  /**
   * How long the engine may take to acknowledge an abort. After that, the call ends without the engine's counts.
   * Default 120 ms.
   */
  readonly abortGraceMs?: number;
  /** Proxy and certificates for downloads, read again for each. Default: from the environment. */
  readonly connection?: () => Connection;
  /** After this time without a request, the process ends and frees its memory. Null: never. */
  readonly idleMs?: () => number | null;
  /** Default: reads the header of the file. */
  readonly checkModelFile?: ModelFileCheck;
}

export function createLlamaEngine(options: LlamaEngineOptions): LlamaEngine {
  const queue = new PQueue({ concurrency: 1 });
  const checkFile = options.checkModelFile ?? createModelFileCheck(createHeaderReader());
  let child: LlamaProcess | null = null;
  let loaded: LoadOptions | null = null;
  const alive = (): LlamaProcess => {
    if (child === null || !child.isAlive) {
      loaded = null;
      child = startLlamaProcess({ ...options, hangMs: options.hangMs ?? 15_000 });
    }
    return child;
  };
  const downloads = createDownloads(options);
  endWhenIdle(queue, options.idleMs ?? (() => null), () => child);
  return {
    generate(model, request, signal) {
      const call = openCall(options.now, signal, queue.size + queue.pending > 0);
      void queue
        .add(async () => {
          if (call.isEnded) return;
          call.begin();
          const fileError = await checkFile(model.modelPath);
          if (fileError === null) {
            const process = alive();
            loaded = model;
            await runCall(process, { model, request, call, graceMs: options.abortGraceMs ?? 120 });
          } else call.fail(fileError);
        })
        .catch((error: unknown) => call.fail({ code: 'internal', message: messageOf(error) }));
      return call.events;
    },
    async count(model, request, signal) {
      return queue.add(async () => {
        const fileError = await checkFile(model.modelPath);
        if (fileError !== null) return { ok: false, error: fileError };
        const process = alive();
        loaded = model;
        return countTokens(process, { model, request, signal });
      });
    },
    embed: (model, request, signal) =>
      queue.add(async () => {
        const fileError = await checkFile(model.modelPath);
        if (fileError !== null) return { ok: false, error: fileError };
        const process = alive();
        loaded = model;
        return askRows(process, { model, request }, signal);
      }),
    download: downloads.fetch,
    measure: (context, signal) => askMeasure(alive(), context, signal),
    cards: (signal) => askCards(alive(), signal),
    async release(path) {
      await queue.add(() => {
        if (path === loaded?.modelPath) child?.kill();
      });
    },
    startAnew: () => queue.add(() => child?.kill()),
    stats: () => (child === null || !child.isAlive ? Promise.resolve(null) : askStats(child)),
    pid: () => (child?.isAlive === true ? (child.pid ?? null) : null),
    loadedPath: () => (child?.isAlive === true ? (loaded?.modelPath ?? null) : null),
    loadedAdapter: () => (child?.isAlive === true ? (loaded?.adapterPath ?? null) : null),
    dispose() {
      child?.kill();
      child = null;
      downloads.end();
      return Promise.resolve();
    },
  };
}

/** Ends the idle process. The next call loads the model again and finds the prompt states on the disk. */
function endWhenIdle(queue: PQueue, idleMs: () => number | null, current: () => LlamaProcess | null): void {
  let timer: NodeJS.Timeout | null = null;
  const stop = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const start = (): void => {
    stop();
    const afterMs = idleMs();
    if (afterMs === null) return;
    timer = setTimeout(() => {
      // A measurement may still be running, outside the queue of calls.
      if (current()?.isBusy() === true) start();
      else current()?.kill();
    }, afterMs);
    timer.unref();
  };
  queue.on('add', stop);
  queue.on('idle', start);
}

interface Downloads {
  readonly fetch: LlamaEngine['download'];
  readonly end: () => void;
}

/**
 * Downloads run in a separate process that exists only while there are any. It may use the network, and reads no
 * model file.
 */
function createDownloads(options: LlamaEngineOptions): Downloads {
  let child: LlamaProcess | null = null;
  const end = (): void => {
    child?.kill();
    child = null;
  };
  return {
    end,
    fetch: async (uri, path, wanted) => {
      if (child?.isAlive !== true) {
        child = startLlamaProcess({ ...options, work: 'downloads', hangMs: options.hangMs ?? 15_000 });
      }
      const mine = child;
      try {
        return await askDownload(mine, { uri, path, connection: options.connection?.() ?? direct, ...wanted });
      } finally {
        if (mine === child && !mine.isBusy()) end();
      }
    },
  };
}

const direct: Connection = { proxy: null, certificates: null };

const cancelledError: EngineError = { code: 'cancelled', message: 'It was cancelled.' };

interface Call {
  readonly events: AsyncIterable<EngineEvent>;
  readonly signal: AbortSignal;
  readonly isEnded: boolean;
  /** Called when the engine is free for this call. The time before counts as waiting. */
  begin(): void;
  /** Notes that the model is in memory. */
  loadedAs(model: LoadedModel): void;
  show(event: Exclude<EngineEvent, { type: 'ended' }>): void;
  end(generation: Generation): void;
  /** Ends the call as cancelled, with the counts that arrived so far. */
  cancel(): void;
  fail(error: EngineError): void;
  /** Called when the signal aborts before the call has ended. */
  onAbort(listener: () => void): void;
}

function openCall(now: () => number, signal: AbortSignal, mustWait: boolean): Call {
  const channel: EventChannel<EngineEvent> = createEventChannel();
  const startedAt = now();
  let begunAt: number | null = null;
  let isEnded = false;
  let abortListener: (() => void) | null = null;
  let promptTokens = 0;
  let loaded: LoadedModel | null = null;
  const aborted = (): void => {
    if (abortListener === null) cancel();
    else abortListener();
  };
  const cancel = (): void => end(cancelledGeneration(promptTokens));
  const end = (generation: Generation): void => {
    if (isEnded) return;
    isEnded = true;
    signal.removeEventListener('abort', aborted);
    const queuedMs = Math.max(0, (begunAt ?? now()) - startedAt);
    channel.push({ type: 'ended', generation, queuedMs, totalMs: Math.max(0, now() - startedAt), loaded });
    channel.close();
  };
  if (mustWait) channel.push({ type: 'progress', phase: 'waiting', done: 0, total: null });
  if (signal.aborted) aborted();
  else signal.addEventListener('abort', aborted);
  return {
    events: channel,
    signal,
    get isEnded() {
      return isEnded;
    },
    begin() {
      begunAt = now();
    },
    loadedAs(model) {
      loaded = model;
    },
    show(event) {
      if (event.type === 'progress' && event.phase === 'prefill') promptTokens = event.done;
      if (!isEnded) channel.push(event);
    },
    end,
    cancel,
    fail: (error) => end({ ...cancelledGeneration(promptTokens), stopReason: 'error', error }),
    onAbort(listener) {
      abortListener = listener;
    },
  };
}

/** Occupies the queue until the engine has answered this call. */
async function runCall(
  child: LlamaProcess,
  { model, request, call, graceMs }: { model: LoadOptions; request: EngineRequest; call: Call; graceMs: number },
): Promise<void> {
  if (call.isEnded) return;
  const loadError = await load(child, model, call);
  if (loadError !== null) call.fail(loadError);
  if (call.isEnded) return;
  await new Promise<void>((resolve) => {
    const id = child.ask({ type: 'generate', request }, (answer) => {
      const isLast = take(call, answer);
      if (isLast) resolve();
      return isLast;
    });
    call.onAbort(() => {
      child.abort(id);
      setTimeout(() => {
        call.cancel();
        resolve();
      }, graceMs).unref();
    });
    if (call.signal.aborted) child.abort(id);
  });
}

/**
 * Loads the model. Null: it is in memory, or the call was aborted. An abort does not stop the load, so the next call
 * finds it done.
 */
function load(child: LlamaProcess, model: LoadOptions, call: Call): Promise<EngineError | null> {
  return new Promise((resolve) => {
    call.onAbort(() => {
      call.cancel();
      resolve(null);
    });
    child.ask({ type: 'load', options: model }, (answer) => {
      if (answer.type === 'progress') showProgress(call, answer);
      if (answer.type === 'loaded') {
        call.loadedAs(answer.model);
        resolve(null);
      }
      if (answer.type === 'failed') resolve(answer.error);
      return answer.type === 'loaded' || answer.type === 'failed';
    });
  });
}

function showProgress(call: Call, { phase, done, total }: Extract<FromWorker, { type: 'progress' }>): void {
  if (phase !== 'downloading') call.show({ type: 'progress', phase, done, total });
}

function take(call: Call, answer: FromWorker): boolean {
  switch (answer.type) {
    case 'delta':
      call.show({
        type: 'delta',
        text: answer.text,
        tokens: answer.tokens,
        isThought: answer.isThought === true,
      });
      return false;
    case 'progress':
      showProgress(call, answer);
      return false;
    case 'ended':
      call.end(answer.generation);
      return true;
    case 'failed':
      call.fail(answer.error);
      return true;
    default:
      return false;
  }
}

function countTokens(
  child: LlamaProcess,
  { model, request, signal }: { model: LoadOptions; request: EngineRequest; signal: AbortSignal },
): ReturnType<LlamaEngine['count']> {
  return new Promise((resolve) => {
    const cancel = (): void => resolve({ ok: false, error: cancelledError });
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const settle = (answer: Awaited<ReturnType<LlamaEngine['count']>>): true => {
      signal.removeEventListener('abort', cancel);
      resolve(answer);
      return true;
    };
    child.ask({ type: 'load', options: model }, (answer) => {
      if (answer.type === 'failed') return settle({ ok: false, error: answer.error });
      return answer.type === 'loaded';
    });
    child.ask({ type: 'count', request }, (answer) => {
      if (answer.type === 'counted') return settle({ ok: true, tokens: answer.tokens });
      return answer.type === 'failed' ? settle({ ok: false, error: answer.error }) : false;
    });
  });
}

function cancelledGeneration(promptTokens: number): Generation {
  return {
    stopReason: 'cancelled',
    promptTokens,
    evaluatedTokens: promptTokens,
    outputTokens: 0,
    prefillMs: null,
    decodeMs: null,
    error: null,
  };
}
