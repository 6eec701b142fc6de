import type { EngineReport } from '@shared/events/call-report.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { OllamaSettings } from '@shared/settings/settings.ts';
import type { LocalEngines } from '../../engine/local-engines.ts';
import { createServiceFetch } from '../api/service-fetch.ts';
import { streamAnswer } from '../call/stream-answer.ts';
import type {
  ModelRequest,
  Provider,
  ProviderDependencies,
  ProviderError,
  StreamEnded,
  StreamPart,
} from '../define.ts';
import { firstWordMs } from '../call/stall-watch.ts';
import { endedWith } from '../call/call-ended.ts';
import { infoOfModel } from '../call/info-of-file.ts';
import { streamInTurn } from '../call/stream-in-turn.ts';
import { isThisMachine } from '../../../lib/net/this-machine.ts';
import { createOllamaApi, ollamaAddress, shownAddress } from './ollama-api.ts';
import { OllamaError } from './ollama-errors.ts';
import type { Finding } from './check-ollama-load.ts';
import type { OllamaCounts } from './ollama-stream.ts';
import { ollamaWire } from './ollama-stream.ts';
import type { KnownModel } from './ollama-known-models.ts';
import { createKnownModels } from './ollama-known-models.ts';
import type { OllamaServer } from './ollama-model-info.ts';
import { knownBetter, listOllamaModels, ollamaModelInfo } from './ollama-model-info.ts';
import { createOllamaStore } from './ollama-store.ts';
import type { ModelLoader, Neighbors, ReadyModel } from './ollama-model-loader.ts';
import { createModelLoader } from './ollama-model-loader.ts';
import type { OneAtATime } from '../../../lib/async/one-at-a-time.ts';
import { createOneAtATime } from '../../../lib/async/one-at-a-time.ts';
import type { PromptCount } from './ollama-prompt-count.ts';
import { createPromptCount } from './ollama-prompt-count.ts';
import type { OwnOllamaServer } from '../../engine/own-ollama-server.ts';
import type { ServerMemoryPlanner } from '../../memory/server-memory-planner.ts';
import { defaultServerPlanner } from '../../memory/server-memory-planner.ts';
import { createServerStarter } from './start-ollama-server.ts';
import type { SpeedWatch } from '../call/speed-watch.ts';
import { createSpeedWatch } from '../call/speed-watch.ts';
import { samplingOf, toOllamaWire } from './ollama-messages.ts';
import { orNoted } from '../../../lib/log.ts';

/** Time limits for the server, in milliseconds. */
export interface OllamaLimits {
  /** For a question about models. */
  readonly askMs: number;
  /** For loading a model. */
  readonly loadMs: number;
  /** For a pause within an answer, including the time to read the prompt. */
  readonly stallMs: number;
}

interface Parts extends OllamaServer {
  readonly loader: ModelLoader;
  readonly now: () => number;
  readonly limits: OllamaLimits;
  readonly turn: OneAtATime;
  readonly speeds: SpeedWatch;
  readonly counts: Map<string, PromptCount>;
}

/** What only this kind of provider needs. */
export interface OllamaParts {
  /** The folder of what is known of a server's models. */
  readonly cacheDir: string;
  /** Makes the engines of this machine take turns. Absent: this server is the only one. */
  readonly localEngines?: LocalEngines;
  /** Plans memory for models that a server of this machine loads. Absent: the requested size is used. */
  readonly serverMemoryPlanner?: ServerMemoryPlanner;
  /** Starts an Ollama that is installed here and does not run. Absent: it is not started. */
  readonly ownOllamaServer?: OwnOllamaServer;
  /** The environment variable `OLLAMA_HOST`. */
  readonly ollamaHost?: string | undefined;
}

/** Models of an Ollama server, over its own API. */
export function createOllamaProvider(
  dependencies: OllamaParts & Pick<ProviderDependencies, 'now' | 'fetch'>,
  { id, settings }: { readonly id: string; readonly settings: OllamaSettings },
  limits: OllamaLimits,
): Provider {
  const { now, cacheDir } = dependencies;
  const address = ollamaAddress(settings.baseUrl, dependencies.ollamaHost);
  const isHere = isThisMachine(new URL(address).hostname);
  const { ownOllamaServer } = dependencies;
  const get = createServiceFetch(dependencies.fetch);
  const starter = createServerStarter({ address, isHere, settings, ownServer: ownOllamaServer, fetch: get });
  const api = createOllamaApi({ address, fetch: get, ...limits, revive: starter.revive });
  const planner = dependencies.serverMemoryPlanner ?? defaultServerPlanner;
  const known = createKnownModels({ api, cacheDir, read: planner.read });
  // A server on another machine does not compete for this machine's memory.
  const localEngines = isHere ? dependencies.localEngines : undefined;
  const loader = createModelLoader({
    api,
    known,
    planner,
    isHere,
    askedTokens: settings.contextTokens ?? null,
    keepAliveMinutes: settings.keepAliveMinutes,
    now,
    neighbors: localEngines === undefined ? null : neighborsOf(localEngines, id),
  });
  const leaveLocalEngines = localEngines?.register(id, loader.occupant);
  const parts: Parts = {
    id,
    settings,
    api,
    loader,
    isHere,
    now,
    limits,
    turn: localEngines?.turn ?? createOneAtATime(),
    speeds: createSpeedWatch(),
    counts: new Map(),
  };
  const list: Provider['list'] = (signal) => listOllamaModels(parts, signal);
  return {
    id,
    list,
    resolve: (name, signal) => infoOfModel(name, signal, { planned: findInfo(parts, name, signal), list }),
    countTokens: async () => null,
    stream: (request, signal) => streamInTurn(parts.turn, { signal, now }, () => stream(parts, request, signal)),
    server: {
      status: async (signal) => {
        const { text, complaint } = await loader.version(signal);
        return { text: `Ollama ${text} at ${shownAddress(address)}`, complaint };
      },
      canStart: starter.canStart,
      plan: async (name, signal) => {
        const listed = await loader.find(name, signal);
        return listed === null ? null : { facts: (await known.of(listed, signal)).header.facts };
      },
    },
    store: createOllamaStore({ api, known, find: loader.find, stallMs: limits.stallMs }),
    dispose: async () => {
      leaveLocalEngines?.();
      // If this fails, the server frees the memory by itself a little later.
      if (settings.keepAliveMinutes === 0)
        await loader.release(AbortSignal.timeout(2_000)).catch(orNoted('ollama: a model stays loaded', undefined));
    },
  };
}

async function findInfo(parts: Parts, name: string, signal: AbortSignal): Promise<ModelInfo | null> {
  const listed = await parts.loader.find(name, signal);
  if (listed === null) return null;
  const { known: model, contextTokens } = await parts.loader.window(listed, signal);
  return ollamaModelInfo(parts, { name, model, contextTokens });
}

function neighborsOf(localEngines: LocalEngines, id: string): Neighbors {
  return {
    held: (signal) => localEngines.heldByOthers(id, signal),
    unload: (signal) => localEngines.unloadOthers(id, signal),
  };
}

async function* stream(parts: Parts, request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart> {
  const { now, loader } = parts;
  const startedAt = now();
  try {
    yield { type: 'progress', phase: 'loading', done: 0, total: null };
    const ready = await loader.prepare(request.model, signal, () => undefined);
    yield { type: 'progress', phase: 'prefill', done: 0, total: null };
    yield* answered(parts, { request, ready, startedAt }, signal);
  } catch (error) {
    yield endedWith(signal.aborted ? null : failureOf(error), startedAt, now());
  }
}

interface Call {
  readonly request: ModelRequest;
  readonly ready: ReadyModel;
  readonly startedAt: number;
}

async function* answered(parts: Parts, call: Call, signal: AbortSignal): AsyncIterable<StreamPart> {
  const { request, ready } = call;
  const by = `ollama/${request.model}`;
  const wire = ollamaWire({
    api: parts.api,
    by,
    body: () => bodyOf(parts, call, by),
    judge: (asked, counts) => judge(parts, { request: asked, ready, counts }),
  });
  const { stallMs } = parts.limits;
  const context = {
    signal,
    now: parts.now,
    stallMs,
    firstWordMs: firstWordMs(parts.settings),
    service: { id: parts.id, where: 'local' as const },
  };
  for await (const part of streamAnswer(wire, request, context)) {
    if (part.type !== 'ended') yield part;
    else yield withReport(parts, call, part, wire.counts());
  }
}

/**
 * The options that affect loading are the same in every call of a session, so that the server does not reload the
 * model.
 */
function bodyOf({ settings }: Parts, { request, ready }: Call, by: string): Readonly<Record<string, unknown>> {
  const { capabilities } = ready.known;
  // As its description says, or an image that was accepted would be dropped here.
  const sees = knownBetter(settings, request.model)?.images ?? capabilities.includes('vision');
  return {
    model: ready.name,
    stream: true,
    // The server must refuse a prompt that is too long, and not silently drop its beginning.
    truncate: false,
    shift: false,
    keep_alive: `${settings.keepAliveMinutes}m`,
    ...(ready.version.givesLogprobs ? { logprobs: true } : {}),
    ...toOllamaWire(request, {
      by,
      images: sees,
      thinks: capabilities.includes('thinking'),
      hasLevels: hasLevels(ready.known),
    }),
    options: { ...samplingOf(request), num_ctx: ready.numCtx },
  };
}

/** One model family has levels of thinking. All others only have it on or off. */
function hasLevels({ header }: KnownModel): boolean {
  const architecture = header.facts.keys['general.architecture'];
  return typeof architecture === 'string' && /^gpt-?oss/i.test(architecture);
}

interface Judged {
  readonly request: ModelRequest;
  readonly ready: ReadyModel;
  readonly counts: OllamaCounts;
}

/** Rejects an answer if the server silently dropped a part of the prompt, before or during the answer. */
function judge({ counts: known }: Parts, { request, ready, counts }: Judged): ProviderError | null {
  const { promptTokens, outputTokens } = counts;
  if (promptTokens === null || promptTokens === 0) return null;
  const { contextTokens } = ready.checked;
  const count = known.get(ready.known.digest) ?? createPromptCount();
  known.set(ready.known.digest, count);
  const dropped = count.check(request, promptTokens);
  const wayOut = 'The answer was not used. Update Ollama, or ask for less.';
  if (dropped !== null) return { code: 'context-full', message: `Truncated: ${dropped} ${wayOut}`, retryable: false };
  const whole = promptTokens + (outputTokens ?? 0);
  // The last token is counted, but takes no place in the context.
  if (whole <= contextTokens + 1) return null;
  const message = `Prompt and answer have ${whole} tokens, and the context holds ${contextTokens}. The server dropped the oldest ones and did not say so. ${wayOut}`;
  return { code: 'context-full', message, retryable: false };
}

function withReport(parts: Parts, { ready, startedAt }: Call, ended: StreamEnded, counts: OllamaCounts): StreamEnded {
  const slow = ended.error === null ? parts.speeds.note(ready.known.digest, counts) : null;
  const findings: readonly Finding[] =
    slow === null ? ready.findings : [...ready.findings, { code: 'slow', text: slow }];
  const isCached = !ready.isFresh || counts.promptTokens === null;
  return {
    ...ended,
    // If the beginning may come from the prompt cache, the server reports only the total.
    evaluatedTokens: isCached ? null : counts.promptTokens,
    // Includes the time of the load.
    timings: { ...ended.timings, totalMs: Math.max(0, parts.now() - startedAt) },
    engine: reportOf(ready, findings),
    ...(counts.logprobs.length === 0 ? {} : { logprobs: counts.logprobs }),
  };
}

function reportOf({ grant, checked, unloaded }: ReadyModel, findings: readonly Finding[]): EngineReport {
  const reasons = [...(grant.why === null ? [] : [grant.why]), ...findings.map(({ text }) => text)];
  return {
    backend: checked.backend,
    askedTokens: grant.askedTokens,
    grantedTokens: grant.grantedTokens,
    contextTokens: checked.contextTokens,
    sequences: 1,
    predictedBytes: grant.predictedBytes,
    observedBytes: checked.observedBytes,
    findings: findings.map(({ code }) => code),
    ...(unloaded.length === 0 ? {} : { unloaded: [...unloaded] }),
    why: reasons.length === 0 ? null : reasons.join('; '),
  };
}

function failureOf(error: unknown): ProviderError {
  if (error instanceof OllamaError) return error.error;
  return { code: 'internal', message: error instanceof Error ? error.message : String(error), retryable: false };
}
