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
  /** `tokens`: how many have come since the one before. */
  | { readonly type: 'delta'; readonly text: string; readonly tokens: number; readonly isThought: boolean }
  | {
      readonly type: 'ended';
      readonly generation: Generation;
      readonly queuedMs: number;
      readonly totalMs: number;
      /** Null where the call ended before its model was in memory. */
      readonly loaded: LoadedModel | null;
    };

/** The in-process model: one generator for the whole core, in a process of its own that is started when it is needed. */
export interface LlamaEngine {
  /** Exactly one `ended`, last; never throws. Ends within 200 ms of an abort. Loads the model first where another, or none, is loaded. */
  generate(model: LoadOptions, request: EngineRequest, signal: AbortSignal): AsyncIterable<EngineEvent>;
  /** Tokens of the prompt as `generate` would send it. */
  count(
    model: LoadOptions,
    request: EngineRequest,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly tokens: number } | { readonly ok: false; readonly error: EngineError }>;
  /** Texts as vectors or scores, by a model that is loaded with that `use`. Never rejects for what the engine says. */
  embed(model: LoadOptions, request: EmbedRequest, signal: AbortSignal): Promise<EngineRows>;
  /** Fetches a model file by URI into `path`; an abort leaves what the next try goes on from. */
  download(
    uri: string,
    path: string,
    options: { readonly signal: AbortSignal; readonly onProgress: (doneBytes: number) => void },
  ): Promise<Reply<null>>;
  /** What a context would take, by the engine's own dry run; null where it cannot say. Loads nothing. */
  measure(context: DryRun, signal: AbortSignal): Promise<number | null>;
  /** Lets go of a model file, after the call that uses it: it can then be deleted. Its memory is given back. */
  release(path: string): Promise<void>;
  /** After the call that runs now the process ends; the next call starts one that sees other libraries. */
  startAnew(): Promise<void>;
  /** The cards that the engine itself can use, with their memory now; null where there is none, or no answer in time. */
  cards(signal: AbortSignal): Promise<EngineCards | null>;
  /** Null where no process runs. */
  stats(): Promise<EngineStats | null>;
  /** Of the running process; for tests and `doctor`. */
  pid(): number | null;
  /** The file whose model is in memory, or on its way there; null: none. */
  loadedPath(): string | null;
  /** The adapter on it; null: none. */
  loadedAdapter(): string | null;
  /** Ends the process at once; safe to call twice. The next call would start a new one. */
  dispose(): Promise<void>;
}

export interface LlamaEngineOptions {
  readonly nodePath: string;
  readonly workerPath: string;
  readonly programs: HostPrograms;
  /** Where libraries for cards lie that were fetched; absent: none were. */
  readonly enginesDir?: string | undefined;
  readonly now: () => number;
  /** Default 15 s. */
  readonly hangMs?: number;
  /** How long the engine may take to acknowledge an abort before the call ends without its account. Default 120 ms. */
  readonly abortGraceMs?: number;
  /** How the sources of downloads are reached; default: as the environment says. Read anew for each. */
  readonly connection?: () => Connection;
  /** A process that nothing was asked of for so long is ended, and its model's memory given back; null: never. */
  readonly idleMs?: () => number | null;
  /** Default: the header of the file. */
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

/** The prefixes of its conversations lie on the disk; the next call loads the model again. */
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
      // A measurement goes on beside the calls.
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

/** A process of their own, for as long as there are any: it knows the way to the network, and reads no model file. */
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
  /** Called when the engine is this call's own: what came before was waiting. */
  begin(): void;
  /** Its model is in memory. */
  loadedAs(model: LoadedModel): void;
  show(event: Exclude<EngineEvent, { type: 'ended' }>): void;
  end(generation: Generation): void;
  /** Ends it as cancelled, with as much of an account as it told by itself. */
  cancel(): void;
  fail(error: EngineError): void;
  /** Runs when the signal aborts, until the call has ended. */
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

/** Occupies the queue until the engine has answered for this call. */
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

/** Null when the model is in memory. An abort ends the call, not the loading: the next call finds it done. */
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
