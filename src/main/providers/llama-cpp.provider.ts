import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { llamaCppSchema } from '@shared/settings.ts';
import type { EngineReport } from '@shared/call-report.ts';
import { messageOf } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models.ts';
import type { ContextGrant, ContextWish } from '../engines/grant-context.ts';
import type { EngineEvent, LlamaEngine } from '../engines/llama-client.ts';
import type { EngineError, EngineOutput, EngineRequest, LoadOptions } from '../engines/llama-worker/protocol.ts';
import type {
  ModelRequest,
  Prefilled,
  Provider,
  ProviderDependencies,
  ProviderError,
  StreamEnded,
  StreamPart,
} from './define.ts';
import { defineProvider } from './define.ts';
import { endedWith } from './ended.ts';

/** The window that a model gets where nothing else is said and nothing is planned. */
const defaultContextTokens = 8192;
/** Conversations that keep their tokens at the same time. */
const sequences = 3;

interface Settings {
  readonly contextTokens?: number | undefined;
  readonly threads?: number | undefined;
  readonly gpu: 'auto' | 'off';
}

/** Models that run inside Dewpoint, from GGUF files: by our name, or `llama-cpp//path/to/file.gguf`. */
export default defineProvider({
  kind: 'llama-cpp',
  label: 'On this machine',
  settings: llamaCppSchema,
  secrets: [],
  create(dependencies, { id, settings }): Provider {
    const { llama, now } = dependencies;
    /** Models that ran out of memory while they were loaded to be counted with; the next call says so. */
    const lost = new Map<string, ProviderError>();
    return {
      id,
      listModels: () => listModels(dependencies, { id, settings }),
      async countTokens(request, signal) {
        const model = llama === undefined ? null : await findModel(dependencies, settings, request.model);
        const asked = toEngineRequest(request);
        if (llama === undefined || model === null || asked === null) return null;
        const counted = await llama.count(model.options, asked, signal);
        if (counted.ok) return counted.tokens;
        const smaller = await smallerLoad(dependencies, model, counted.error);
        if (smaller !== null) lost.set(request.model, smaller);
        return null;
      },
      async *stream(request, signal): AsyncIterable<StreamPart> {
        const startedAt = now();
        try {
          const model = await findModel(dependencies, settings, request.model);
          const asked = toEngineRequest(request);
          const lostBefore = lost.get(request.model);
          lost.delete(request.model);
          if (signal.aborted) yield endedWith(null, startedAt, now());
          else if (lostBefore !== undefined) yield endedWith(lostBefore, startedAt, now());
          else if (llama === undefined)
            yield endedWith(failed('missing-model', 'No local engine can run here.'), startedAt, now());
          else if (model === null) yield endedWith(missing(request.model), startedAt, now());
          else if (asked === null)
            yield endedWith(
              failed('bad-request', 'Tool calls were asked for, but no tool was given.'),
              startedAt,
              now(),
            );
          else yield* answer(dependencies, llama, { model, asked }, signal);
        } catch (error) {
          yield endedWith(failed('internal', error instanceof Error ? error.message : String(error)), startedAt, now());
        }
      },
      prefill: (request, signal) => prefill(dependencies, settings, { request, signal }),
      // The engine is the core's, and other instances use it, too.
      dispose: () => Promise.resolve(),
    };
  },
});

async function* answer(
  dependencies: ProviderDependencies,
  llama: LlamaEngine,
  { model, asked }: { readonly model: FoundModel; readonly asked: EngineRequest },
  signal: AbortSignal,
): AsyncIterable<StreamPart> {
  const isCall = asked.output.type === 'tool-call';
  let text = '';
  for await (const event of llama.generate(model.options, asked, signal)) {
    if (event.type === 'progress') yield event;
    if (event.type === 'delta') {
      text += event.text;
      if (!isCall) yield { type: 'text-delta', text: event.text };
    }
    if (event.type === 'ended') {
      const call = isCall && event.generation.stopReason === 'stop' ? parseCall(text) : null;
      if (call !== null) yield call;
      const engine = reportOf(event, model.grant);
      const { error } = event.generation;
      const smaller = error === null ? null : await smallerLoad(dependencies, model, error);
      yield {
        ...toEnded(event, call !== null),
        ...(smaller === null ? {} : { error: smaller }),
        ...(engine === null ? {} : { engine }),
      };
    }
  }
}

/** Of the same talk as the calls that come after: the tokens stay in its sequence. */
async function prefill(
  dependencies: ProviderDependencies,
  settings: Settings,
  { request, signal }: { readonly request: ModelRequest; readonly signal: AbortSignal },
): Promise<Prefilled> {
  const nothing = { promptTokens: null, evaluatedTokens: null };
  try {
    const model = await findModel(dependencies, settings, request.model);
    const asked = toEngineRequest(request);
    if (dependencies.llama === undefined || model === null || asked === null)
      return { ...nothing, error: 'The model is not there.' };
    for await (const event of dependencies.llama.generate(model.options, { ...asked, onlyPrompt: true }, signal)) {
      if (event.type !== 'ended') continue;
      const { promptTokens, evaluatedTokens, error } = event.generation;
      return { promptTokens, evaluatedTokens, error: error === null || signal.aborted ? null : error.message };
    }
    return { ...nothing, error: null };
  } catch (error) {
    return { ...nothing, error: messageOf(error) };
  }
}

type EndedEvent = Extract<EngineEvent, { type: 'ended' }>;

/** The grammar made it JSON; null only where it ended before its end. */
function parseCall(text: string): Extract<StreamPart, { type: 'tool-call' }> | null {
  try {
    const call: unknown = JSON.parse(text);
    if (
      typeof call !== 'object' ||
      call === null ||
      !('tool' in call) ||
      typeof call.tool !== 'string' ||
      !('input' in call)
    )
      return null;
    return {
      type: 'tool-call',
      call: { type: 'tool-call', id: randomUUID(), name: call.tool, input: call.input, raw: text },
    };
  } catch {
    return null;
  }
}

function toEnded({ generation, queuedMs, totalMs }: EndedEvent, hasCall: boolean): StreamEnded {
  const { promptTokens, evaluatedTokens, outputTokens, prefillMs, decodeMs, error } = generation;
  // A call that was cancelled or failed early has used what it evaluated, not the whole prompt.
  const kept = prefillMs === null || generation.stopReason === 'cancelled' ? 0 : promptTokens - evaluatedTokens;
  return {
    type: 'ended',
    stopReason: hasCall ? 'tool-calls' : generation.stopReason,
    usage: {
      freshInput: evaluatedTokens,
      cacheRead: Math.max(0, kept),
      cacheWrite: 0,
      output: outputTokens,
      reasoning: 0,
      estimated: false,
    },
    evaluatedTokens,
    timings: { queuedMs, prefillMs, decodeMs, totalMs },
    error: error === null ? null : toProviderError(error),
  };
}

/**
 * Where the engine ran out of memory with what the plan granted, the model gets one step less from now on, and the call
 * may be made again: whoever makes it says so. Null where there is no such step.
 */
async function smallerLoad(
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

function toProviderError(error: EngineError): ProviderError {
  const code = error.code === 'cancelled' ? 'internal' : error.code;
  return { code, message: error.message, retryable: error.code === 'engine-lost' };
}

/** Null where it cannot be asked: a forced call without a tool. */
function toEngineRequest(request: ModelRequest): EngineRequest | null {
  const output = toEngineOutput(request);
  if (output === null) return null;
  return {
    messages: [...request.messages],
    output,
    prefill: request.prefill,
    stop: [...request.stop],
    temperature: request.temperature,
    topP: request.topP,
    seed: request.seed,
    maxOutputTokens: request.maxOutputTokens,
    cacheKey: request.cacheKey,
  };
}

function toEngineOutput({ output, tools }: ModelRequest): EngineOutput | null {
  switch (output.type) {
    case 'text':
      return { type: 'text' };
    case 'json-schema':
      return { type: 'json-schema', schema: { ...output.schema } };
    case 'choice':
      return output.options.length === 0 ? null : { type: 'choice', options: [...output.options] };
    case 'tool-calls':
      if (tools.length === 0) return null;
      return {
        type: 'tool-call',
        tools: tools.map(({ name, inputSchema }) => ({ name, inputSchema: { ...inputSchema } })),
      };
    default:
      return output satisfies never;
  }
}

async function findModel(
  dependencies: ProviderDependencies,
  settings: Settings,
  name: string,
): Promise<FoundModel | null> {
  const file = await dependencies.modelFile(name);
  if (file === null) return null;
  const wish = wishOf(settings);
  const grant = await grantOf(dependencies, wish, file);
  return {
    path: file.path,
    wish,
    grant,
    options: {
      modelPath: file.path,
      contextTokens: grant.grantedTokens,
      sequences: grant.sequences,
      threads: settings.threads ?? null,
      gpu: settings.gpu,
      stateDir: join(dependencies.cacheDir, 'prefix'),
    },
  };
}

interface FoundModel {
  readonly path: string;
  readonly wish: ContextWish;
  readonly options: LoadOptions;
  readonly grant: ContextGrant;
}

/** The plan for this machine where there is a planner, else what is asked for up to the trained length. */
async function grantOf(
  { grantContext }: ProviderDependencies,
  wish: ContextWish,
  file: { readonly path: string; readonly contextTokens: number | null },
): Promise<ContextGrant> {
  if (grantContext !== undefined) return grantContext(file.path, wish);
  const wanted = wish.askedTokens ?? defaultContextTokens;
  return {
    askedTokens: wanted,
    grantedTokens: Math.min(wanted, file.contextTokens ?? wanted),
    sequences,
    predictedBytes: null,
    ownBytes: 0,
    expectsCard: false,
    why: null,
    isSmaller: false,
  };
}

function wishOf({ contextTokens, gpu }: Settings): ContextWish {
  return { askedTokens: contextTokens ?? null, sequences, gpu };
}

/** Asked, granted and really made; null where the call ended before its model was in memory. */
function reportOf({ loaded }: EndedEvent, grant: ContextGrant): EngineReport | null {
  if (loaded === null) return null;
  const isElsewhere = grant.expectsCard && loaded.backend === 'cpu';
  const reasons = [
    ...(grant.why === null ? [] : [grant.why]),
    ...(loaded.sequences < grant.sequences ? [`room for ${loaded.sequences} conversations only`] : []),
    ...(isElsewhere ? ['a card was found, but the engine uses the processor'] : []),
  ];
  return {
    backend: loaded.backend,
    askedTokens: grant.askedTokens,
    grantedTokens: grant.grantedTokens,
    contextTokens: loaded.contextTokens,
    sequences: loaded.sequences,
    predictedBytes: grant.predictedBytes,
    why: reasons.length === 0 ? null : reasons.join('; '),
  };
}

async function listModels(
  dependencies: ProviderDependencies,
  { id, settings }: { readonly id: string; readonly settings: Settings },
): Promise<readonly ModelInfo[]> {
  const { llama, localModels, modelFile } = dependencies;
  if (llama === undefined) return [];
  const infos = await Promise.all(
    (await localModels()).map(async (name): Promise<ModelInfo | null> => {
      const file = await modelFile(name);
      if (file === null) return null;
      const grant = await grantOf(dependencies, wishOf(settings), file);
      return {
        id: `${id}/${name}`,
        provider: id,
        name,
        label: file.label,
        where: 'local',
        contextTokens: grant.grantedTokens,
        parametersB: file.parametersB,
        // Calls are forced by a grammar from the tools' schemas; the template's own tool format is not used.
        capabilities: { tools: false, grammar: true, prefill: true, infill: false, countTokens: true },
        price: { input: 0, output: 0, source: 'local', date: '2026-11-21' },
        gears: [...(file.gears ?? ['recipe'])],
      };
    }),
  );
  return infos.filter((info) => info !== null);
}

function missing(name: string): ProviderError {
  return failed(
    'missing-model',
    `The model ${name} is not on this machine. Fetch it with \`dewpoint models pull llama-cpp/${name}\`.`,
  );
}

function failed(code: ProviderError['code'], message: string): ProviderError {
  return { code, message, retryable: false };
}
