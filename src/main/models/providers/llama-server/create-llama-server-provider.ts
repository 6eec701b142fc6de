import { basename } from 'node:path';
import { AppError, messageOf, valueOf } from '@shared/errors.ts';
import type { EngineReport } from '@shared/events/call-report.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { Strain } from '@shared/models/machine-strain.ts';
import type { LlamaServerSettings } from '@shared/settings/settings.ts';
import type { NoMemory, OwnLlamaServer, RunningServer } from '../../engine/llama-server/own-llama-server.ts';
import type { EngineOccupant } from '../../engine/local-engines.ts';
import { sumHeldMemory } from '../../engine/local-engines.ts';
import { strainText } from '../../machine/strain-watch.ts';
import { projectorOf } from '../../files/projectors.ts';
import type { ModelFacts } from '../../memory/estimate/model-memory.ts';
import { readAdapted } from '../../memory/gguf/gguf-header-reader.ts';
import { createOneAtATime } from '../../../lib/async/one-at-a-time.ts';
import type { OneAtATime } from '../../../lib/async/one-at-a-time.ts';
import { endedWith, providerFailure } from '../call/call-ended.ts';
import { noAnswers } from '../call/info-of-file.ts';
import { createSpeedWatch } from '../call/speed-watch.ts';
import type { SpeedWatch } from '../call/speed-watch.ts';
import { firstWordMs, stallMs } from '../call/stall-watch.ts';
import { streamAnswer } from '../call/stream-answer.ts';
import { infoOfModel } from '../call/info-of-file.ts';
import { streamInTurn } from '../call/stream-in-turn.ts';
import type { ModelRequest, ModelServer, Provider, ProviderError, StreamPart } from '../define.ts';
import type { FoundServer, Leaving, LlamaServerDependencies, ServerModel, ServerModelOptions } from './server-model.ts';
import { findDrafting, findServer, planFile, serverModelInfo, withSightHint } from './server-model.ts';
import { smallerLoad } from './smaller-load.ts';
import type { DraftWish } from './draft-ways.ts';
import type { DraftCounts, ServerCall } from './server-wire.ts';
import { countInput, serverWire } from './server-wire.ts';
import { noteFailure } from '../../../lib/log.ts';

/** What only this kind of provider needs. */
export type LlamaServerParts = Omit<LlamaServerDependencies, 'now' | 'fetch'>;

interface Parts extends ServerModelOptions {
  readonly turn: OneAtATime;
  readonly speeds: SpeedWatch;
  /** The last plan of each model file. */
  readonly decisions: Map<string, ServerModel>;
  /** Models that ran out of memory while they were loaded to count tokens. The next call reports it. */
  readonly lost: Map<string, ProviderError>;
  readonly get: typeof fetch;
}

/** Model files of this machine in the user's own llama-server, which Dewpoint starts and stops. */
export function createLlamaServerProvider(
  dependencies: LlamaServerDependencies,
  { id, settings }: { readonly id: string; readonly settings: LlamaServerSettings },
): Provider {
  const { localEngines, ownLlamaServer, now } = dependencies;
  const parts: Parts = {
    id,
    settings,
    dependencies,
    turn: localEngines?.turn ?? createOneAtATime(),
    speeds: createSpeedWatch(),
    decisions: new Map(),
    lost: new Map(),
    get: dependencies.fetch,
  };
  const leaveLocalEngines =
    ownLlamaServer === undefined ? undefined : localEngines?.register(id, occupantOf(id, ownLlamaServer));
  const list: Provider['list'] = (signal) => listModels(parts, signal);
  return {
    id,
    list,
    resolve: (name, signal) => infoOfModel(name, signal, { planned: findInfo(parts, name, signal), list }),
    server: serverOf(parts),
    countTokens: (request, signal) => countTokens(parts, request, signal),
    stream: (request, signal) => streamInTurn(parts.turn, { signal, now }, () => stream(parts, request, signal)),
    dispose: async () => {
      leaveLocalEngines?.();
      await ownLlamaServer?.release();
    },
  };
}

function serverOf(parts: Parts): ModelServer {
  return {
    status: async (signal) => {
      const program = await (await findServer(parts, signal)).ask();
      const cards = program.cards.map(({ name }) => name).join(', ') || 'no card';
      return {
        text: `llama-server ${program.version} (${program.path}), started by Dewpoint, sees ${cards}`,
        complaint: null,
      };
    },
    // It is started for each call.
    canStart: async () => false,
    plan: async (name, signal) => {
      const facts = await readFacts(parts, name, signal);
      if (facts === null) return null;
      const cards = parts.settings.gpu === 'off' ? [] : (await (await findServer(parts, signal)).ask()).cards;
      return { facts, cards };
    },
  };
}

async function listModels(parts: Parts, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  const { localModels, modelFile, ownLlamaServer } = parts.dependencies;
  if (ownLlamaServer === undefined) return [];
  const program = await (await findServer(parts, signal)).ask();
  const infos = await Promise.all(
    (await localModels()).map(async (name): Promise<ModelInfo | null> => {
      const file = await modelFile(name);
      // Models for vectors or scores run in the built-in engine.
      if (file === null || file.use !== undefined) return null;
      const wish = { file, program, leaving: nothing, drafting: noDrafting };
      return serverModelInfo(parts.id, name, await planFile(parts, wish, signal));
    }),
  );
  return infos.filter((info) => info !== null);
}

/** The facts of the model file, for the planner. */
async function readFacts({ dependencies }: Parts, name: string, signal: AbortSignal): Promise<ModelFacts | null> {
  const file = await dependencies.modelFile(name);
  if (file === null || dependencies.readHeader === undefined || signal.aborted) return null;
  return valueOf(await readAdapted(dependencies.readHeader, file.path, file.adapter?.path)).facts;
}

const nothing: Leaving = { hostBytes: 0, cardBytes: 0 };
/** The list does not read headers of drafting files. The plan of a called model does. */
const noDrafting = { ways: [], on: '', way: null, why: null } as const;

async function findInfo(parts: Parts, name: string, signal: AbortSignal): Promise<ModelInfo | null> {
  const file = await parts.dependencies.modelFile(name);
  if (file === null) return null;
  const found = await findServer(parts, signal);
  const wish = await wishOf(parts, { model: name });
  return serverModelInfo(parts.id, name, await decided(parts, { ...found, name, file }, wish, signal));
}

type Found = FoundServer & { readonly file: ServerModel['file']; readonly name: string };
type Wish = Pick<DraftWish, 'asked' | 'verdict'>;

async function wishOf(
  { id, dependencies }: Parts,
  { model, drafts }: Pick<ModelRequest, 'model' | 'drafts'>,
): Promise<Wish> {
  return { asked: drafts, verdict: (await dependencies.draftVerdict?.(`${id}/${model}`)) ?? null };
}

/**
 * Returns the plan of a running load, or makes a new one. Free memory must be read before a load, not while the load
 * uses a part of it.
 */
async function decided(
  parts: Parts,
  { name, file, server, ask }: Found,
  { isGentle = false, ...wish }: Wish & { readonly isGentle?: boolean },
  signal: AbortSignal,
): Promise<ServerModel> {
  const running = server.running();
  const key = JSON.stringify([file.path, file.adapter?.path, projectorOf(file)?.path, wish]);
  const before = parts.decisions.get(key);
  const isThere = before !== undefined && before.load.args.join() === running?.load.args.join();
  // The thread count belongs to the load. The model is reloaded to reduce the strain on the machine, but not when the
  // strain ends.
  if (isThere && (before.isGentle || !isGentle)) return { ...before, file };
  // The current load ends, and so do other engines' models if this one does not fit beside them.
  const others = sumHeldMemory((await parts.dependencies.localEngines?.heldByOthers(parts.id, signal)) ?? []);
  const own = running === null ? nothing : heldBytes(running);
  const leaving = { hostBytes: others.hostBytes + own.hostBytes, cardBytes: others.cardBytes + own.cardBytes };
  const program = await ask();
  const drafting = await findDrafting(parts, { name, program }, wish);
  const model = await planFile(parts, { file, program, leaving, drafting, isGentle }, signal);
  parts.decisions.set(key, model);
  return model;
}

/** Unloads the models of other engines if this model does not fit beside them as planned. */
async function makeRoom(
  parts: Parts,
  found: Found,
  { plan, drafting }: ServerModel,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { localEngines } = parts.dependencies;
  const others = (await localEngines?.heldByOthers(parts.id, signal)) ?? [];
  if (localEngines === undefined || others.length === 0) return [];
  const running = found.server.running();
  const own = running === null ? nothing : heldBytes(running);
  // The system counts mapped weights as free memory. But two models that push each other out of memory become very
  // slow, so they count as used.
  const leaving = { ...own, hostBytes: own.hostBytes - sumHeldMemory(others).mappedBytes };
  const wish = { file: found.file, program: await found.ask(), leaving, drafting };
  const { plan: beside } = await planFile(parts, wish, signal);
  const isAsGood =
    beside.placement !== null &&
    beside.placement === plan.placement &&
    beside.grantedTokens >= plan.grantedTokens &&
    beside.hostExperts <= plan.hostExperts;
  return isAsGood ? [] : (await localEngines.unloadOthers(parts.id, signal)).map(({ model }) => model);
}

function heldBytes({ sizes }: Pick<RunningServer, 'sizes'>): Leaving {
  const cardBytes = [...(sizes?.cards.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0);
  return { hostBytes: sizes?.hostBytes ?? 0, cardBytes };
}

function occupantOf(id: string, server: OwnLlamaServer): EngineOccupant {
  return {
    held: async () => {
      const running = server.running();
      if (running === null) return [];
      const model = `${id}/${basename(running.load.modelPath, '.gguf')}`;
      return [{ model, ...heldBytes(running), mappedBytes: running.sizes?.mappedBytes ?? 0 }];
    },
    unload: () => server.release(),
  };
}

interface Ready {
  readonly model: ServerModel;
  readonly server: RunningServer;
  readonly unloaded: readonly string[];
  readonly found: Found;
}

type Prepared = ({ readonly ok: true } & Ready) | { readonly ok: false; readonly error: ProviderError | null };

interface PrepareWish {
  readonly request: ModelRequest;
  readonly strain: Strain;
}

/** Makes the server run with this model. Call it only in this machine's turn. */
async function prepare(parts: Parts, { request, strain }: PrepareWish, signal: AbortSignal): Promise<Prepared> {
  const name = request.model;
  const file = await parts.dependencies.modelFile(name);
  if (file === null)
    return { ok: false, error: providerFailure('missing-model', `The model ${name} is not on this machine.`) };
  const refusal = file.use === undefined ? await file.adapter?.refusal(signal) : noAnswers(name, file.use);
  if (refusal) return { ok: false, error: providerFailure('bad-model', refusal) };
  const found = { ...(await findServer(parts, signal)), name, file };
  const isGentle = strain.act !== 'usual' && strain.act !== 'unload';
  const model = await decided(parts, found, { ...(await wishOf(parts, request)), isGentle }, signal);
  const isThere = found.server.running()?.load.args.join() === model.load.args.join();
  const unloaded = isThere ? [] : await makeRoom(parts, found, model, signal);
  const used = await found.server.use(model.load, signal);
  if (used.ok) return { ok: true, model, server: used.server, unloaded, found };
  if (used.code === 'cancelled') return { ok: false, error: null };
  if (used.code !== 'out-of-memory')
    return { ok: false, error: providerFailure(used.code, withSightHint(used.message, file)) };
  return { ok: false, error: await withLess(parts, { found, model }, used, signal) };
}

/** The next load uses one step less, if there is one. */
async function withLess(
  parts: Parts,
  { found, model }: Pick<Ready, 'found' | 'model'>,
  gone: { readonly memory: NoMemory; readonly message: string },
  signal: AbortSignal,
): Promise<ProviderError> {
  const program = await found.ask();
  const others = sumHeldMemory((await parts.dependencies.localEngines?.heldByOthers(parts.id, signal)) ?? []);
  return smallerLoad(parts, { ...gone, model, program }, (step) =>
    planFile(parts, { file: model.file, program, leaving: others, drafting: model.drafting, step }, signal),
  );
}

function callOf(parts: Parts, { model, server }: Pick<Ready, 'model' | 'server'>, name: string): ServerCall {
  return {
    server,
    get: parts.get,
    by: `${parts.id}/${name}`,
    sees: model.plan.sight !== null,
    thinks: model.file.efforts !== undefined,
  };
}

/** Takes a turn, because counting may first have to load the model. */
async function countTokens(parts: Parts, request: ModelRequest, signal: AbortSignal): Promise<number | null> {
  const leave = await parts.turn.enter(signal);
  if (leave === null) return null;
  try {
    const strain = (await parts.dependencies.strain?.()) ?? noStrain;
    const ready = await prepare(parts, { request, strain }, signal);
    if (!ready.ok) {
      if (ready.error?.code === 'out-of-memory' && ready.error.retryable) parts.lost.set(request.model, ready.error);
      return null;
    }
    try {
      return await countInput(callOf(parts, ready, request.model), request, signal);
    } finally {
      ready.server.leave();
    }
  } catch (error) {
    // The call itself comes next and reports the error.
    noteFailure('llama-server: a count failed', error);
    return null;
  } finally {
    leave();
  }
}

async function* stream(parts: Parts, request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart> {
  const { now, strain: readStrain } = parts.dependencies;
  const startedAt = now();
  const end = (error: ProviderError | null): StreamPart => endedWith(error, startedAt, now());
  try {
    yield { type: 'progress', phase: 'loading', done: 0, total: null };
    const lost = parts.lost.get(request.model);
    parts.lost.delete(request.model);
    const strain = (await readStrain?.()) ?? noStrain;
    const ready: Prepared =
      lost === undefined ? await prepare(parts, { request, strain }, signal) : { ok: false, error: lost };
    if (!ready.ok || signal.aborted) {
      if (ready.ok) ready.server.leave();
      yield end(ready.ok ? null : ready.error);
      return;
    }
    try {
      yield { type: 'progress', phase: 'prefill', done: 0, total: null };
      yield* answered(parts, { request, ready, startedAt, strain }, signal);
    } finally {
      ready.server.leave();
    }
  } catch (error) {
    const hint = error instanceof AppError && error.hint !== undefined ? ` ${error.hint}` : '';
    yield end(signal.aborted ? null : providerFailure('missing-model', `${messageOf(error)}${hint}`));
  }
}

const noStrain: Strain = { act: 'usual', causes: [] };

interface Call {
  readonly request: ModelRequest;
  readonly ready: Ready;
  readonly startedAt: number;
  readonly strain: Strain;
}

async function* answered(parts: Parts, call: Call, signal: AbortSignal): AsyncIterable<StreamPart> {
  const { request, ready, startedAt, strain } = call;
  const { now } = parts.dependencies;
  const wire = serverWire(callOf(parts, ready, request.model));
  const service = { id: parts.id, where: 'local' as const };
  const limits = { stallMs: stallMs.local, firstWordMs: firstWordMs(parts.settings), service };
  for await (const part of streamAnswer(wire, request, { signal, now, ...limits })) {
    if (part.type !== 'ended') {
      yield part;
      continue;
    }
    const counted = wire.counts();
    const timed = { outputTokens: counted?.writtenTokens ?? null, outputMs: counted?.writtenMs ?? null };
    const { file, drafting } = ready.model;
    const way = drafting.way?.id ?? '';
    const slow = part.error === null ? parts.speeds.note(`${file.path} ${way}`, timed) : null;
    yield {
      ...part,
      // Includes the time of the load.
      timings: { ...part.timings, totalMs: Math.max(0, now() - startedAt), ...(counted === null ? {} : { counted }) },
      error: part.error === null ? null : ((await lostWith(parts, ready, signal)) ?? part.error),
      engine: { ...reportOf(ready, { slow, strain: strainText(strain) }), ...draftsOf(ready, wire.drafts()) },
    };
  }
}

/** The reason if the connection broke because the server ended. Null: the server still runs. */
async function lostWith(parts: Parts, ready: Ready, signal: AbortSignal): Promise<ProviderError | null> {
  const gone = ready.server.ended();
  if (gone === null) return null;
  const message = `llama-server ended.${gone.text}`;
  if (gone.noMemory === null) return { code: 'engine-lost', message, retryable: true };
  return withLess(parts, ready, { memory: gone.noMemory, message }, signal);
}

/** The server's draft counts of this call. */
function draftsOf(
  { model: { plan, drafting } }: Ready,
  { drafted, accepted }: DraftCounts,
): Pick<EngineReport, 'drafts'> {
  const { way } = drafting;
  return way === null ? {} : { drafts: { way: way.id, bytes: plan.draftBytes, drafted, accepted } };
}

function reportOf(
  { model: { plan, file, drafting }, server, found, unloaded }: Ready,
  { slow, strain }: { readonly slow: string | null; readonly strain: string | null },
): EngineReport {
  // The first picture makes one more buffer, after the load.
  const sizes = found.server.running()?.sizes ?? server.sizes;
  const { cardBytes } = heldBytes({ sizes });
  const isElsewhere = (plan.cardBytes ?? 0) > 0 && sizes !== null && cardBytes === 0;
  const made = sizes?.contextTokens ?? plan.grantedTokens;
  const refused = drafting.way !== null && sizes?.hasDrafts === false;
  const noDrafts = refused ? `the server does not take ${drafting.way.id} for drafts of this model` : drafting.why;
  const reasons = [
    ...(noDrafts === null ? [] : [noDrafts]),
    ...(plan.why === null ? [] : [plan.why]),
    ...(isElsewhere ? ['a card was found, but the server uses the processor'] : []),
    ...(made < plan.grantedTokens ? [`the server made ${made} tokens of context`] : []),
    ...(slow === null ? [] : [slow]),
    ...(strain === null ? [] : [strain]),
  ];
  const findings = [
    ...(noDrafts === null ? [] : ['no-drafts']),
    ...(isElsewhere ? ['other-backend'] : []),
    ...(made < plan.grantedTokens ? ['context-clamped'] : []),
    ...(slow === null ? [] : ['slow']),
    ...(strain === null ? [] : ['strained']),
  ];
  return {
    backend: cardBytes === 0 ? 'cpu' : plan.placement === 'devices' ? 'gpu' : 'gpu and cpu',
    askedTokens: plan.askedTokens,
    grantedTokens: plan.grantedTokens,
    contextTokens: made,
    sequences: 1,
    ...(file.adapter === undefined ? {} : { adapter: { name: file.adapter.name, sha256: file.adapter.sha256 } }),
    predictedBytes: plan.predictedBytes,
    observedBytes: sizes === null ? null : sizes.mappedBytes + sizes.hostBytes + cardBytes,
    ...(findings.length === 0 ? {} : { findings }),
    ...(unloaded.length === 0 ? {} : { unloaded: [...unloaded] }),
    why: reasons.length === 0 ? null : reasons.join('; '),
  };
}
