import { messageOf } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { Strain } from '@shared/models/machine-strain.ts';
import { strainText } from '../../machine/strain-watch.ts';
import type { HeldModel } from '../../engine/local-engines.ts';
import type { LlamaEngine } from '../../engine/llama-engine.ts';
import { projectorOf } from '../../files/projectors.ts';
import type { EngineRequest } from '../../engine/worker/worker-protocol.ts';
import { createOneAtATime } from '../../../lib/async/one-at-a-time.ts';
import type { OneAtATime } from '../../../lib/async/one-at-a-time.ts';
import type { ModelRequest, PrefillResult, Provider, ProviderError, StreamPart } from '../define.ts';
import { endedWith, providerFailure } from '../call/call-ended.ts';
import { infoOfFile, noAnswers } from '../call/info-of-file.ts';
import { streamInTurn } from '../call/stream-in-turn.ts';
import { parseCall, reportOf, toEnded, toEngineRequest, smallerLoad } from './engine-call.ts';
import { findModel, grantOf, wishOf } from './llama-cpp-model.ts';
import type { FoundModel, LlamaCppDependencies, LlamaSettings } from './llama-cpp-model.ts';
import { readTexts } from './read-texts.ts';
import { createThoughtSplit } from '../call/split-thoughts.ts';
import type { AnswerPiece } from '../call/split-thoughts.ts';
import { createSpeedWatch } from '../call/speed-watch.ts';
import type { SpeedWatch } from '../call/speed-watch.ts';

/** What only this kind of provider needs. */
export type LlamaCppParts = Omit<LlamaCppDependencies, 'now'>;

interface Parts {
  readonly dependencies: LlamaCppDependencies;
  readonly settings: LlamaSettings;
  readonly turn: OneAtATime;
  readonly speeds: SpeedWatch;
  /** Models that ran out of memory while they were loaded to count tokens. The next call reports it. */
  readonly lost: Map<string, ProviderError>;
}

/** Models that run inside Dewpoint from GGUF files, named by our name or as `llama-cpp//path/to/file.gguf`. */
export function createLlamaCppProvider(dependencies: LlamaCppDependencies, instance: Instance): Provider {
  const { id, settings } = instance;
  const parts: Parts = {
    dependencies,
    settings,
    turn: dependencies.localEngines?.turn ?? createOneAtATime(),
    speeds: createSpeedWatch(),
    lost: new Map(),
  };
  return {
    id,
    list: () => list(dependencies, instance),
    resolve: (name) => infoOf(dependencies, instance, name),
    countTokens: (request, signal) => countTokens(parts, request, signal),
    stream: (request, signal) =>
      streamInTurn(parts.turn, { signal, now: dependencies.now }, () => stream(parts, request, signal)),
    prefill: (request, signal) => prefill(parts, request, signal),
    readTexts: (request, signal) =>
      readTexts({ ...parts, makeRoom: (model, stop) => makeRoom(dependencies, model, stop) }, request, signal),
    // The core owns the engine, and other instances use it, too.
    dispose: () => Promise.resolve(),
  };
}

async function countTokens(
  { dependencies, settings, turn, lost }: Parts,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<number | null> {
  const { llama } = dependencies;
  const model = llama === undefined ? null : await findModel(dependencies, settings, { model: request.model, signal });
  const asked = toEngineRequest(request);
  if (llama === undefined || model === null || model.refusal !== null || model.use !== null || asked === null)
    return null;
  // Counting needs no turn, because it takes almost no processor time. Loading the model does.
  const leave = isLoaded(llama, model) ? () => undefined : await turn.enter(signal);
  if (leave === null) return null;
  try {
    await makeRoom(dependencies, model, signal);
    const counted = await llama.count(model.options, asked, signal);
    if (counted.ok) return counted.tokens;
    const smaller = await smallerLoad(dependencies, model, counted.error);
    if (smaller !== null) lost.set(request.model, smaller);
    return null;
  } finally {
    leave();
  }
}

async function* stream(parts: Parts, request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart> {
  const { dependencies, settings, lost } = parts;
  const { llama, now } = dependencies;
  const startedAt = now();
  const end = (error: ProviderError | null): StreamPart => endedWith(error, startedAt, now());
  try {
    const model = await findModel(dependencies, settings, { model: request.model, signal });
    const asked = toEngineRequest(request);
    const lostBefore = lost.get(request.model);
    lost.delete(request.model);
    if (signal.aborted) yield end(null);
    else if (lostBefore !== undefined) yield end(lostBefore);
    else if (llama === undefined) yield end(providerFailure('missing-model', 'No local engine can run here.'));
    else if (model === null) yield end(missing(request.model));
    else if (model.refusal !== null) yield end(providerFailure('bad-model', model.refusal));
    else if (model.use !== null) yield end(providerFailure('bad-model', noAnswers(request.model, model.use)));
    else if (asked === null)
      yield end(providerFailure('bad-request', 'Tool calls were asked for, but no tool was given.'));
    else {
      const unloaded = await makeRoom(dependencies, model, signal);
      const strain = (await dependencies.strain?.()) ?? noStrain;
      const isGentle = strain.act !== 'usual' && strain.act !== 'unload';
      const gently = isGentle ? { ...asked, isSlow: true } : asked;
      yield* answer(parts, llama, { name: request.model, model, asked: gently, unloaded, strain }, signal);
    }
  } catch (error) {
    yield end(signal.aborted ? null : providerFailure('internal', messageOf(error)));
  }
}

interface Asked {
  readonly name: string;
  readonly model: FoundModel;
  readonly asked: EngineRequest;
  readonly unloaded: readonly HeldModel[];
  readonly strain: Strain;
}

const noStrain: Strain = { act: 'usual', causes: [] };

async function* answer(
  { dependencies, speeds }: Parts,
  llama: LlamaEngine,
  { name, model, asked, unloaded, strain }: Asked,
  signal: AbortSignal,
): AsyncIterable<StreamPart> {
  const isCall = asked.output.type === 'tool-call';
  // The text contains no thoughts if a grammar holds it to a form, or if it has a prefill.
  const split = asked.output.type === 'text' && (asked.prefill ?? '') === '' ? createThoughtSplit() : null;
  let text = '';
  let thoughts = '';
  let written = 0;
  let thought = 0;
  for await (const event of llama.generate(model.options, asked, signal)) {
    if (event.type === 'progress') yield event;
    if (event.type === 'delta' && event.isThought) {
      thoughts += event.text;
      yield { type: 'reasoning-delta', text: event.text };
    } else if (event.type === 'delta') {
      text += event.text;
      written += event.tokens;
      if (isCall) yield { type: 'progress', phase: 'decode', done: written, total: asked.maxOutputTokens };
      else if (split === null) yield { type: 'text-delta', text: event.text, pieces: event.tokens };
      else {
        const pieces = split.push(event.text);
        if (pieces.every(({ type }) => type === 'thought')) thought += event.tokens;
        yield* pieces.map((piece) => deltaOf(piece, event.tokens));
      }
    }
    if (event.type === 'ended') {
      yield* (split?.end() ?? []).map((piece) => deltaOf(piece, 1));
      if (thoughts !== '' && event.loaded?.keepsThoughts === true)
        yield { type: 'reasoning', part: { type: 'reasoning', text: thoughts, by: `llama-cpp/${name}` } };
      const { error, stopReason, outputTokens, decodeMs } = event.generation;
      const call = isCall && stopReason === 'stop' ? parseCall(text) : null;
      if (call !== null) yield call;
      // The decode time does not include the first token.
      const isWithoutCard = event.loaded?.backend === 'cpu';
      const timed = { outputTokens: outputTokens - 1, outputMs: decodeMs, isWithoutCard };
      const slow = error === null ? speeds.note(model.path, timed) : null;
      const engine = reportOf(event, model, { slow, unloaded, strain: strainText(strain) });
      const smaller = error === null ? null : await smallerLoad(dependencies, model, error);
      const ended = toEnded(event, call !== null);
      yield {
        ...ended,
        usage: {
          ...ended.usage,
          reasoning: Math.min(thought + (event.generation.thoughtTokens ?? 0), ended.usage.output),
        },
        ...(smaller === null ? {} : { error: smaller }),
        ...(engine === null ? {} : { engine }),
      };
    }
  }
}

function deltaOf(piece: AnswerPiece, pieces: number): StreamPart {
  if (piece.type === 'was-thought') return { type: 'text-was-thought' };
  return piece.type === 'thought'
    ? { type: 'reasoning-delta', text: piece.text }
    : { type: 'text-delta', text: piece.text, pieces };
}

/**
 * Unloads the models of other engines if this load does not fit beside them. Does nothing if it is loaded already.
 * Returns what was unloaded.
 */
async function makeRoom(
  { localEngines, fitsBeside, llama }: LlamaCppDependencies,
  model: FoundModel,
  signal: AbortSignal,
): Promise<readonly HeldModel[]> {
  if (localEngines === undefined || fitsBeside === undefined || isLoaded(llama, model)) return [];
  return (await fitsBeside(model.path, model.wish)) ? [] : localEngines.unloadOthers('llama-cpp', signal);
}

function isLoaded(llama: LlamaEngine | undefined, { path, adapter }: FoundModel): boolean {
  return llama?.loadedPath() === path && llama.loadedAdapter() === (adapter?.path ?? null);
}

/**
 * Reads the prompt under the same cache key as the calls that follow, so that they find its tokens in the same
 * sequence.
 */
async function prefill(
  { dependencies, settings, turn }: Parts,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<PrefillResult> {
  const nothing = { promptTokens: null, evaluatedTokens: null };
  const leave = await turn.enter(signal);
  if (leave === null) return { ...nothing, error: null };
  try {
    const model = await findModel(dependencies, settings, { model: request.model, signal });
    const asked = toEngineRequest(request);
    if (dependencies.llama === undefined || model === null || asked === null)
      return { ...nothing, error: 'The model was not found.' };
    const refusal = model.refusal ?? (model.use === null ? null : noAnswers(request.model, model.use));
    if (refusal !== null) return { ...nothing, error: refusal };
    await makeRoom(dependencies, model, signal);
    for await (const event of dependencies.llama.generate(model.options, { ...asked, onlyPrompt: true }, signal)) {
      if (event.type !== 'ended') continue;
      const { promptTokens, evaluatedTokens, error } = event.generation;
      return { promptTokens, evaluatedTokens, error: error === null || signal.aborted ? null : error.message };
    }
    return { ...nothing, error: null };
  } catch (error) {
    return { ...nothing, error: messageOf(error) };
  } finally {
    leave();
  }
}

interface Instance {
  readonly id: string;
  readonly settings: LlamaSettings;
}

async function list(dependencies: LlamaCppDependencies, instance: Instance): Promise<readonly ModelInfo[]> {
  const names = dependencies.llama === undefined ? [] : await dependencies.localModels();
  const infos = await Promise.all(names.map((name) => infoOf(dependencies, instance, name)));
  return infos.filter((info) => info !== null);
}

/** Null: there is no such file, or no engine for it. */
async function infoOf(
  dependencies: LlamaCppDependencies,
  { id, settings }: Instance,
  name: string,
): Promise<ModelInfo | null> {
  const file = dependencies.llama === undefined ? null : await dependencies.modelFile(name);
  if (file === null) return null;
  const grant = await grantOf(dependencies, wishOf(settings, file), file);
  const info = infoOfFile(id, name, file, {
    contextTokens: grant.grantedTokens,
    // Calls are forced by a grammar from the tools' schemas. The template's own tool format is not used.
    capabilities: {
      tools: false,
      grammar: file.use === undefined,
      prefill: file.use === undefined,
      infill: false,
      countTokens: file.use === undefined,
      ...(file.efforts === undefined ? {} : { reasoning: true }),
    },
    price: { input: 0, output: 0, source: 'local', date: '2026-11-21' },
    strategies: [...(file.strategies ?? ['recipe'])],
    ...(file.use === undefined ? {} : { use: file.use }),
  });
  return { ...info, ...(projectorOf(file) === null ? {} : { seesWith: 'llama-server' }) };
}

function missing(name: string): ProviderError {
  return providerFailure(
    'missing-model',
    `The model ${name} is not on this machine. Download it with \`dewpoint models pull llama-cpp/${name}\`.`,
  );
}
