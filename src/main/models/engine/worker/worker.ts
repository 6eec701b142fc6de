import { hideSecrets } from '../../../lib/secrets/secret-patterns.ts';
import { diagnostics, keepDiagnostics } from '../../../lib/log.ts';
import { createNetFetch } from '../../../lib/net/net-fetch.ts';
import { recordSends } from '../../../lib/net/record-of-sends.ts';
import { withReasonOnly } from '../../../lib/net/send-reason.ts';
import { createFetchUri } from '../../files/download/fetch-uri.ts';
import { explainError } from './explain-engine-error.ts';
import { useFetchedEngines, readEngineCards } from './load/open-library.ts';
import { startGeneration } from './answer/generate.ts';
import type { RunningGeneration } from './answer/generate.ts';
import { loadModel } from './load/load-model.ts';
import type { Engine } from './load/load-model.ts';
import { loadReader, TooLongError } from './load/load-reader.ts';
import type { TextReader } from './load/load-reader.ts';
import { measureContext } from './load/dry-run-watch.ts';
import type { Counters } from './sequences/prepare-sequence.ts';
import { downloadErrorSchema, toWorkerSchema } from './worker-protocol.ts';
import type { EmbedRequest, EngineError, EngineRequest, FromWorker, LoadOptions, ToWorker } from './worker-protocol.ts';
import { createTokenMemory, tokenizeChat } from './prompt/tokenize-chat.ts';
import type { TokenMemory } from './prompt/tokenize-chat.ts';

/**
 * The engine's own process. It loads one model at a time and answers one call after the other. A native crash ends
 * only this process. It ends with the process that started it.
 */
const counters: Counters = {
  promptTokens: 0,
  evaluatedTokens: 0,
  evaluatedAgain: 0,
  forks: 0,
  statesSaved: 0,
  statesLoaded: 0,
};
const running = new Map<number, { readonly abort: AbortController }>();
interface Loaded {
  readonly engine: Engine;
  readonly memory: TokenMemory;
  readonly options: string;
}
let loaded: Loaded | null = null;
/** A loaded model for vectors or scores. It replaces `loaded`, because memory is for one model. */
let reader: { readonly engine: TextReader; readonly options: string } | null = null;
/** The engine's last output. It also goes to stderr, for the case that this process ends. */
const log: string[] = [];
let free: Promise<unknown> = Promise.resolve();

const send = (message: FromWorker): void => {
  if (process.connected) process.send?.(message);
};

process.on('message', (raw: unknown) => {
  const parsed = toWorkerSchema.safeParse(raw);
  if (!parsed.success) {
    const id = typeof raw === 'object' && raw !== null && 'id' in raw && typeof raw.id === 'number' ? raw.id : -1;
    send({
      type: 'failed',
      id,
      error: {
        code: 'bad-request',
        message: `The engine was asked for something it does not know: ${parsed.error.message}`,
      },
    });
    return;
  }
  const message = parsed.data;
  switch (message.type) {
    case 'ping':
      send({ type: 'pong', id: message.id });
      return;
    case 'stats':
      send({ type: 'stats', id: message.id, stats: { ...counters, rssBytes: process.memoryUsage.rss() } });
      return;
    case 'abort':
      running.get(message.id)?.abort.abort();
      return;
    case 'download':
      void download(message);
      return;
    case 'load':
      inTurn(message.id, () => load(message.id, message.options));
      return;
    case 'count':
      inTurn(message.id, () => Promise.resolve(count(message.id, message.request)));
      return;
    case 'embed':
      embed(message.id, message.request);
      return;
    case 'measure':
      inTurn(message.id, async () =>
        send({ type: 'measured', id: message.id, contextBytes: await measureContext(message.context) }),
      );
      return;
    case 'cards':
      inTurn(message.id, async () =>
        send({ type: 'seen', id: message.id, cards: await readEngineCards(loaded?.engine.llama ?? null) }),
      );
      return;
    case 'generate':
      generate(message.id, message.request);
      return;
    default:
      message satisfies never;
  }
});

// Nothing needs saving, and a normal exit would wait for the native call.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const [enginesDir = '', logFolder = '', sendsFolder = ''] = process.argv.slice(2);
// It downloads, and writes down by itself what it sends.
if (sendsFolder !== '') recordSends(sendsFolder);
if (enginesDir !== '') useFetchedEngines(enginesDir);
if (logFolder !== '') keepDiagnostics(logFolder, 'engine', (text) => hideSecrets(text).text);
process.on('uncaughtExceptionMonitor', (error) => diagnostics.error('a bug that nothing caught', error));

send({ type: 'ready' });

/** Runs one job after the other, because the engine's objects must not be used concurrently. */
function inTurn(id: number, work: () => Promise<unknown>): void {
  free = free.then(work).catch(async (error: unknown) => {
    const explained = await explainError(error, log);
    diagnostics.warn(`a request failed (${explained.code})`, error);
    send({ type: 'failed', id, error: explained });
  });
}

async function load(id: number, options: LoadOptions): Promise<void> {
  const wanted = JSON.stringify(options);
  const kept = reader ?? loaded;
  if (kept?.options !== wanted) {
    await kept?.engine.dispose();
    loaded = null;
    reader = null;
    log.length = 0;
    const onProgress = (fraction: number): void =>
      send({ type: 'progress', id, phase: 'loading', done: fraction, total: 1 });
    if (options.use !== undefined) {
      reader = { engine: await loadReader(options, onProgress, hear), options: wanted };
      return send({ type: 'loaded', id, model: reader.engine.info });
    }
    const engine = await loadModel(options, { onProgress, onLog: hear });
    // Messages about failed tries of this load must not explain a later failure.
    log.length = 0;
    loaded = { engine, memory: createTokenMemory(), options: wanted };
  }
  const now = reader ?? loaded;
  if (now !== null) send({ type: 'loaded', id, model: now.engine.info });
}

function hear(line: string): void {
  process.stderr.write(`${line}\n`);
  log.push(line.trim());
  log.splice(0, log.length - 20);
}

function embed(id: number, request: EmbedRequest): void {
  const abort = new AbortController();
  running.set(id, { abort });
  inTurn(id, async () => {
    const read = reader === null ? null : await reader.engine.read(request, abort.signal).catch(tooLong);
    running.delete(id);
    if (read instanceof TooLongError) {
      send({ type: 'failed', id, error: { code: 'context-full', message: read.message } });
    } else if (read === null) {
      const error: EngineError = { code: 'cancelled', message: 'It was cancelled.' };
      send({ type: 'failed', id, error: reader === null ? notLoaded : error });
    } else send({ type: 'embedded', id, rows: [...read.rows], tokens: read.tokens });
  });
}

function tooLong(error: unknown): TooLongError {
  if (error instanceof TooLongError) return error;
  throw error;
}

/** Runs in parallel with calls, because it takes hardly any processor time. */
async function download({
  id,
  uri,
  path,
  connection,
  why = {},
}: Extract<ToWorker, { readonly type: 'download' }>): Promise<void> {
  const abort = new AbortController();
  running.set(id, { abort });
  const fetchUri = createFetchUri({ fetch: createNetFetch(() => connection, process.env), env: process.env });
  const done = await withReasonOnly(why, () =>
    fetchUri(uri, path, {
      signal: abort.signal,
      onProgress: (bytes) => send({ type: 'progress', id, phase: 'downloading', done: bytes, total: null }),
    }),
  );
  running.delete(id);
  send({
    type: 'downloaded',
    id,
    error: done.ok ? null : { ...done.error, code: downloadErrorSchema.parse(done.error.code) },
  });
}

function count(id: number, request: EngineRequest): void {
  if (loaded === null) {
    send({ type: 'failed', id, error: notLoaded });
    return;
  }
  send({ type: 'counted', id, tokens: tokenizeChat(loaded.engine, loaded.memory, request).tokens.length });
}

function generate(id: number, request: EngineRequest): void {
  const abort = new AbortController();
  running.set(id, { abort });
  let call: RunningGeneration | null = null;
  let answered = false;
  const answer = (message: FromWorker): void => {
    if (answered) return;
    answered = true;
    running.delete(id);
    send(message);
  };
  // An abort is answered before the running native call returns. The next call waits for that.
  abort.signal.addEventListener('abort', () =>
    answer({ type: 'ended', id, generation: call?.cancelled() ?? nothingDone }),
  );
  inTurn(id, async () => {
    if (abort.signal.aborted) return;
    if (loaded === null) {
      answer({ type: 'failed', id, error: notLoaded });
      return;
    }
    call = startGeneration({ ...loaded, counters, log }, request, abort.signal, {
      delta: (text, tokens) => {
        if (!answered) send({ type: 'delta', id, text, tokens });
      },
      thought: (text, tokens) => {
        if (!answered) send({ type: 'delta', id, text, tokens, isThought: true });
      },
      progress: (done, total) => {
        if (!answered) send({ type: 'progress', id, phase: 'prefill', done, total });
      },
    });
    answer({ type: 'ended', id, generation: await call.done });
  });
}

const notLoaded: EngineError = { code: 'internal', message: 'The engine has no model loaded.' };

const nothingDone = {
  stopReason: 'cancelled' as const,
  promptTokens: 0,
  evaluatedTokens: 0,
  outputTokens: 0,
  prefillMs: null,
  decodeMs: null,
  error: null,
};
