import { availableParallelism } from 'node:os';
import type { Llama, LlamaContext, LlamaContextOptions, LlamaModel, LlamaModelOptions } from 'node-llama-cpp';
import type { EngineCounts } from '@shared/events/call-report.ts';
import { batchTokens } from '../../../memory/batch-tokens.ts';
import { stampOf } from '../../../memory/gguf/gguf-header-reader.ts';
import { chatMlStyleOf, isChatMl } from '../prompt/render-chat.ts';
import type { ChatMlStyle } from '../prompt/render-chat.ts';
import { createTemplateRenderer } from '../prompt/template-renderer.ts';
import type { TemplateRenderer } from '../prompt/template-renderer.ts';
import { createStateStore } from '../prompt/system-state-store.ts';
import type { StateStore } from '../prompt/system-state-store.ts';
import { createThreadGovernor } from '../thread-count.ts';
import type { ThreadGovernor } from '../thread-count.ts';
import { createDryRunWatch } from './dry-run-watch.ts';
import type { DryRunWatch } from './dry-run-watch.ts';
import { openLibrary } from './open-library.ts';
import { openConversationSlots } from '../sequences/conversation-slots.ts';
import type { ConversationSlot } from '../sequences/conversation-slots.ts';
import { createLlamaCounters } from '../llama-counters.ts';
import type { LlamaCounters } from '../llama-counters.ts';
import type { LoadOptions, LoadedModel } from '../worker-protocol.ts';
import { createBufferCount } from './buffer-count.ts';
import type { BufferCount } from './buffer-count.ts';

type Library = typeof import('node-llama-cpp');

/** A loaded model with places for conversations. */
export interface Engine {
  readonly library: Library;
  readonly llama: Llama;
  readonly model: LlamaModel;
  readonly slots: readonly ConversationSlot[];
  readonly contextTokens: number;
  /** The most prompt tokens that are computed before the abort signal is checked. */
  readonly chunkTokens: number;
  /** `own`: the template in its file. `model`: what the engine's library finds for the file. */
  readonly template:
    | { readonly type: 'chatml'; readonly style: ChatMlStyle }
    | { readonly type: 'own'; readonly renderer: TemplateRenderer }
    | { readonly type: 'model' };
  readonly states: StateStore | null;
  readonly threads: ThreadGovernor;
  readonly info: LoadedModel;
  /**
   * The engine's own counts since the last call. Null if it does not print them. Call it only between calls of the
   * model.
   */
  takeCounts(): Promise<EngineCounts | null>;
  dispose(): Promise<void>;
}

/** Throws the engine's errors, which the caller must explain. After an error, nothing of the model is in memory. */
export async function loadModel(
  options: LoadOptions,
  { onProgress, onLog }: { readonly onProgress: (fraction: number) => void; readonly onLog: (line: string) => void },
): Promise<Engine> {
  const startedAt = performance.now();
  // The package is ESM only, and this file is built as CommonJS.
  const library = await import('node-llama-cpp');
  const said = {
    buffers: createBufferCount({ hasAdapter: options.adapterPath !== undefined }),
    counters: createLlamaCounters(),
    dryRuns: createDryRunWatch(),
  };
  const llama = await heardLibrary(library, options.gpu, (line, isError) => {
    for (const { hear } of Object.values(said)) hear(line);
    if (isError) onLog(line);
  });
  const { model, threads } = await openWeights({ library, llama }, options, onProgress);
  try {
    return await openModel({ library, llama, model, threads, said, startedAt }, options);
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

/** Loads the weights, and says how many threads compute. Throws the engine's errors. */
export async function openWeights(
  { library: { InsufficientMemoryError }, llama }: { readonly library: Library; readonly llama: Llama },
  options: LoadOptions,
  onProgress: (fraction: number) => void,
): Promise<{ readonly model: LlamaModel; readonly threads: number }> {
  const threads = options.threads ?? Math.max(1, Math.min(llama.cpuMathCores, availableParallelism()));
  // The default is at least 4, which is 70 times slower on two cores.
  llama.maxThreads = threads;
  return { threads, model: await loadWeights({ llama, InsufficientMemoryError }, options, onProgress) };
}

interface Opened {
  readonly library: Library;
  readonly llama: Llama;
  readonly model: LlamaModel;
  readonly threads: number;
  readonly said: { readonly buffers: BufferCount; readonly counters: LlamaCounters; readonly dryRuns: DryRunWatch };
  readonly startedAt: number;
}

/** Creates the context and the places for conversations. */
async function openModel(opened: Opened, options: LoadOptions): Promise<Engine> {
  const { library, llama, model, threads, said } = opened;
  said.dryRuns.check();
  const onCard = llama.gpu !== false && model.gpuLayers > 0;
  const chunkTokens = onCard ? batchTokens.card : batchTokens.processor;
  const contextTokens = Math.min(options.contextTokens, model.trainContextSize);
  const cells = cellsOf(library, options);
  const context = await createContext(
    model,
    { contextSize: contextTokens, batchSize: chunkTokens, ...cells },
    options.sequences,
    () => said.buffers.anotherContext(),
  );
  said.dryRuns.check();
  const slots = openConversationSlots(context);
  const observedBytes = await said.buffers.total();
  llama.logLevel = library.LlamaLogLevel.error;
  const template = templateOf(model);
  const identity = await identityOf(
    [options.modelPath, options.adapterPath ?? null],
    [llama.llamaCppRelease.release, onCard, context.contextSize, slots.length, options.cacheType],
  );
  return {
    library,
    llama,
    model,
    slots,
    contextTokens: context.contextSize,
    chunkTokens,
    template,
    threads: createThreadGovernor(threads, (count) => {
      // On a card, the processor only waits, so its load does not matter.
      if (!onCard) llama.maxThreads = count;
    }),
    states: options.stateDir === null ? null : createStateStore(options.stateDir, identity),
    info: {
      contextTokens: context.contextSize,
      sequences: slots.length,
      threads,
      backend: onCard ? String(llama.gpu) : 'cpu',
      template: template.type,
      ...(template.type === 'own' && template.renderer.thoughts?.isKept === true ? { keepsThoughts: true } : {}),
      observedBytes,
      loadMs: performance.now() - opened.startedAt,
    },
    takeCounts: () => said.counters.take({ llama, levels: library.LlamaLogLevel, context }),
    async dispose() {
      await context.dispose();
      await model.dispose();
    },
  };
}

function templateOf(model: LlamaModel): Engine['template'] {
  const text = model.fileInfo.metadata.tokenizer.chat_template ?? null;
  if (text === null) return { type: 'model' };
  if (isChatMl(text)) return { type: 'chatml', style: chatMlStyleOf(text) };
  const { bosString, eosString } = model.tokens;
  const renderer = createTemplateRenderer(text, { bos: bosString ?? '', eos: eosString ?? '' });
  return renderer === null ? { type: 'model' } : { type: 'own', renderer };
}

/** Identifies what a kept state belongs to. */
async function identityOf(
  files: readonly (string | null)[],
  made: readonly (string | number | boolean)[],
): Promise<string> {
  const paths = files.filter((path) => path !== null);
  return [...paths, ...(await Promise.all(paths.map(stampOf))), ...made].join(' ');
}

/** The engine library, with a logger for this load. */
async function heardLibrary(
  { LlamaLogLevel }: Library,
  gpu: LoadOptions['gpu'],
  onLine: (line: string, isError: boolean) => void,
): Promise<Llama> {
  const llama = await openLibrary(gpu);
  llama.logger = (level, line) => onLine(line, level === LlamaLogLevel.error || level === LlamaLogLevel.fatal);
  llama.logLevel = LlamaLogLevel.info;
  return llama;
}

/**
 * The options that all contexts of a load share. Quantized cells need flash attention; without them, the engine
 * decides by its cards. An adapter belongs to a context, so a context without it would answer as the bare model.
 */
function cellsOf({ GgmlType }: Library, { cacheType, adapterPath }: LoadOptions): Partial<LlamaContextOptions> {
  const lora = adapterPath === undefined ? {} : { lora: adapterPath };
  if (cacheType === 'f16') return lora;
  const kept = cacheType === 'q8_0' ? GgmlType.Q8_0 : GgmlType.Q4_0;
  return { ...lora, experimentalKvCacheKeyType: kept, experimentalKvCacheValueType: kept, flashAttention: true };
}

type ContextSize = Omit<LlamaContextOptions, 'sequences' | 'performanceTracking' | 'batching'>;

/** Creates the context with as many sequences as requested, or as memory has room for, but at least one. */
async function createContext(
  model: LlamaModel,
  size: ContextSize,
  wanted: number,
  onTry: () => void,
): Promise<LlamaContext> {
  const options: LlamaContextOptions = {
    ...size,
    // For the engine's own counters. It costs two reads of the clock for each native call.
    performanceTracking: true,
    // Only one call runs at a time, so there is no other to wait for.
    batching: { dispatchSchedule: (dispatch) => dispatch() },
  };
  for (let sequences = wanted; sequences > 1; sequences -= 1) {
    try {
      onTry();
      return await model.createContext({ ...options, sequences });
    } catch (error) {
      if (
        !/memory|alloc|failed to create context/i.test(
          error instanceof Error ? `${error.name} ${error.message}` : String(error),
        )
      )
        throw error;
    }
  }
  onTry();
  return model.createContext({ ...options, sequences: 1 });
}

/** The part of the library that loading needs. `Model` is what it loads. */
interface Loader<Model> {
  readonly llama: { readonly gpu: unknown; loadModel(options: LlamaModelOptions): Promise<Model> };
  readonly InsufficientMemoryError: new (message: string) => Error;
}

/**
 * Loads the weights with the planned layers on the cards, or fails with the engine's reason. Left alone, the engine
 * would look at the cards again and could place layers differently from the plan, without telling the caller.
 */
export async function loadWeights<Model>(
  { llama, InsufficientMemoryError }: Loader<Model>,
  { modelPath, gpu, gpuLayers: planned }: Pick<LoadOptions, 'modelPath' | 'gpu' | 'gpuLayers'>,
  onLoadProgress: (fraction: number) => void,
): Promise<Model> {
  const options = { modelPath, onLoadProgress };
  // For an engine that has no build without its card.
  const gpuLayers = gpu === 'off' && llama.gpu !== false ? 0 : planned;
  if (gpuLayers === null) return llama.loadModel(options);
  try {
    return await llama.loadModel({ ...options, gpuLayers });
  } catch (error) {
    if (!(error instanceof InsufficientMemoryError)) throw error;
    throw new InsufficientMemoryError(`The card has no room for the ${gpuLayers} planned layers. ${error.message}.`);
  }
}
