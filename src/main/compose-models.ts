import { homedir } from 'node:os';
import { join } from 'node:path';
import offeredCatalog from '../../resources/catalog.json';
import catalog from '../../resources/models.json';
import { givesMemoryBack } from '@shared/models/machine-strain.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { createEngineLibraries, findNpm } from './models/engine/engine-libraries.ts';
import { createHubModels } from './models/files/hub-models.ts';
import { probeTask } from './recipes/probe.recipe.ts';
import type { HomeKeys } from './safety/keys/home-keys.ts';
import { createHomeKeys } from './safety/keys/home-keys.ts';
import { createKeySignIns } from './safety/keys/key-sign-ins.ts';
import { knownProviders } from '@shared/models/known-providers.ts';
import { splitModelId } from '@shared/models/model-info.ts';
import type { AvailableModels, AvailableModelsOptions } from './models/available-models.ts';
import { createAvailableModels } from './models/available-models.ts';
import type { HostPrograms, Program } from './lib/programs/host-programs.ts';
import { createMemoryPlanner, type MemoryPlanner, type MemoryPlannerOptions } from './models/memory/memory-planner.ts';
import type { ProbeResults } from './models/probe-model.ts';
import { createProbeResults } from './models/probe-model.ts';
import { chosenVectors } from './models/served-vectors.ts';
import { openTextVectors, type TextVectors } from './models/text-vectors.ts';
import { createModelFileCheck } from './models/memory/gguf/check-model-file.ts';
import type { LocalEngines } from './models/engine/local-engines.ts';
import { createLocalEngines } from './models/engine/local-engines.ts';
import { createEngineVariants, enginesDir } from './models/engine/engine-variants.ts';
import type { EngineVariants, EngineVariantsOptions } from './models/engine/engine-variants.ts';
import { packageRegistry } from './models/engine/package-registry.ts';
import { readCardFacts } from './models/machine/card-facts.ts';
import type { ContextGrants } from './models/memory/grant-context.ts';
import { createGrantContext, createLlamaOccupant } from './models/memory/grant-context.ts';
import type { Hardware } from './models/machine/hardware.ts';
import { createEaseTurn, type EaseTurn } from './models/machine/ease-strain.ts';
import { createStrainWatch, type StrainWatch } from './models/machine/strain-watch.ts';
import { createMachineProbe, readHardware } from './models/machine/hardware.ts';
import { createHeaderReader } from './models/memory/gguf/gguf-header-reader.ts';
import type { CallableFilesOptions, ModelFiles } from './models/files/callable-files.ts';
import { createCallableFiles } from './models/files/callable-files.ts';
import { createFileDigests, type FileDigests } from './models/files/file-digests.ts';
import { createHubClient } from './models/files/download/hub-client.ts';
import { createLlamaEngine, type LlamaEngine } from './models/engine/llama-engine.ts';
import { createLoadSteps, type LoadSteps } from './models/memory/load-steps.ts';
import type { OwnLlamaServer } from './models/engine/llama-server/own-llama-server.ts';
import { createOwnLlamaServer } from './models/engine/llama-server/own-llama-server.ts';
import type { OwnOllamaServer } from './models/engine/own-ollama-server.ts';
import { createOwnOllamaServer } from './models/engine/own-ollama-server.ts';
import { parseCatalog } from './models/files/model-catalog.ts';
import { createModelStore, openFileLists, type ModelStore } from './models/files/model-store.ts';
import { catalogKey, createCatalogUpdates, type CatalogUpdates } from './models/suggest/catalog-updates.ts';
import { advisedEffort, createModelAdvisor, knownDrafters } from './models/suggest/file-advice.ts';
import { parseOffered } from './models/suggest/offered-models.ts';
import type { SuggestOptions } from './models/suggest/suggest-for-machine.ts';
import type { ServerMemoryPlanner } from './models/memory/server-memory-planner.ts';
import { createServerMemoryPlanner } from './models/memory/server-memory-planner.ts';
import { createProbeCardStore } from './models/files/probe-card-store.ts';
import { clockNow } from './lib/async/clock.ts';
import { createNetFetch } from './lib/net/net-fetch.ts';
import { createPriceUpdates, type PriceUpdates } from './money/price-updates.ts';
import type { Provider } from './models/providers/define.ts';
import type { LocalProviderParts } from './models/providers/local-providers.ts';
import { localProviders } from './models/providers/local-providers.ts';
import type { LlamaServerParts } from './models/providers/llama-server/create-llama-server-provider.ts';
import type { OllamaParts } from './models/providers/ollama/create-ollama-provider.ts';
import { discoverProviders } from './models/providers/registry.ts';
import type { Redactor } from './sessions/log/redactor.ts';
import { createOutboundConnections } from './sandbox/network/outbound-connections.ts';
import { createWebClient } from './sandbox/network/web-client.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { createAuthFetch } from './tools/sign-in/auth-fetch.ts';
import { openRedirectListener } from './tools/sign-in/redirect-listener.ts';

export interface ModelParts {
  readonly llama: LlamaEngine;
  readonly plan: MemoryPlanner;
  readonly keys: HomeKeys;
  readonly models: AvailableModels;
  readonly probed: ProbeResults;
  readonly strain: StrainWatch;
  readonly ease: EaseTurn;
  readonly catalog: SuggestOptions['catalog'];
  readonly updates: CatalogUpdates;
  readonly prices: PriceUpdates;
  readonly texts: TextVectors;
}

interface EngineParts
  extends Pick<ModelParts, 'llama' | 'plan' | 'texts'>, Pick<AvailableModelsOptions, 'engineFiles'> {
  readonly modelStore: ModelStore;
  /** Shared by all, so that each header is read once. */
  readonly readHeader: ReturnType<typeof createHeaderReader>;
  readonly machine: MachineParts;
}

/** What the engines and servers of this machine share. */
interface MachineParts {
  readonly context: ContextGrants;
  readonly loadSteps: LoadSteps;
  readonly localEngines: LocalEngines;
  readonly serverMemoryPlanner: ServerMemoryPlanner;
  readonly ownOllamaServer: OwnOllamaServer;
  readonly ownLlamaServer: OwnLlamaServer;
  readonly freeHostBytes: (signal: AbortSignal) => Promise<number>;
}

const headers = parseCatalog(catalog);
const offered = parseOffered(offeredCatalog);

/** The engine's process, the files it may load, and the memory plan for this machine. */
function createEngineParts(
  config: ModelPartsConfig,
  options: Omit<ModelPartsOptions, 'redactor'> &
    Pick<MemoryPlannerOptions, 'serverHeader'> & { readonly digests: FileDigests },
): EngineParts {
  const { env, files, programs, settings, serverHeader, digests } = options;
  const readHeader = createHeaderReader();
  const engine = engineOf(config, options, readHeader);
  const llama = createLlamaEngine({
    ...engine,
    idleMs: () => idleMsOf(settings.current()),
    connection: () => settings.current().connection,
  });
  const modelStore = createModelStore({
    cacheDir: config.cache,
    catalog: headers,
    programs,
    readHeader,
    ...openFileLists(config.home),
    digests,
    downloadUri: llama.download.bind(llama),
  });
  const variants = variantsOf(config.cache, options, llama.download.bind(llama));
  const hardware = (signal: AbortSignal): Promise<Hardware> =>
    readHardware(settings.current().cards, signal, {
      ...createMachineProbe(programs),
      seenByEngine: async (wait) => ((await variants.hasAny()) ? llama.cards(wait) : undefined),
    });
  const plan = createMemoryPlanner({
    store: modelStore,
    catalog: headers,
    readHeader,
    measure: (context, signal) => llama.measure(context, signal),
    readHardware: hardware,
    serverHeader,
  });
  const freeHostBytes = async (signal: AbortSignal) => (await hardware(signal)).host.freeBytes;
  const localEngines = createLocalEngines();
  const loadSteps = createLoadSteps(join(config.home, 'smaller-loads.json'));
  const context = createGrantContext({
    readHeader,
    readHardware: async (signal) => variants.usable(await hardware(signal), signal),
    enginePid: () => llama.pid(),
    loadedPath: () => llama.loadedPath(),
    loadedAdapter: () => llama.loadedAdapter(),
    others: (signal) => localEngines.heldByOthers('llama-cpp', signal),
    steps: loadSteps,
    now: clockNow,
  });
  const serverMemoryPlanner = createServerMemoryPlanner({ readHardware: hardware, readHeader });
  localEngines.register('llama-cpp', createLlamaOccupant(llama, context));
  const { platform } = process;
  const servers = { nodePath: files.node, guardPath: files.serverGuard, programs, env, platform };
  const ownServer = createOwnLlamaServer(servers);
  const startAnew = (): Promise<void> => llama.startAnew();
  const engineFiles = createEngineLibraries({ variants, readHardware: hardware, ownServer, startAnew });
  return {
    llama,
    modelStore,
    readHeader,
    plan,
    engineFiles,
    texts: openTextVectors(engine, { store: modelStore, digests, freeHostBytes, ...chosenVectors(options) }),
    machine: {
      context,
      loadSteps,
      localEngines,
      serverMemoryPlanner,
      ownOllamaServer: createOwnOllamaServer(servers),
      ownLlamaServer: ownServer,
      freeHostBytes,
    },
  };
}

/** What each process of the built-in engine needs. */
const engineOf = (
  { cache }: ModelPartsConfig,
  { files, programs }: Pick<ModelPartsOptions, 'files' | 'programs'>,
  readHeader: EngineParts['readHeader'],
) => ({
  nodePath: files.node,
  workerPath: files.worker,
  programs,
  enginesDir: enginesDir(cache),
  now: clockNow,
  checkModelFile: createModelFileCheck(readHeader),
});

/** What the providers of this machine need beyond what every provider gets. */
function localPartsOf(
  { llama, readHeader, machine }: Pick<EngineParts, 'llama' | 'readHeader' | 'machine'>,
  shared: ModelFiles & Pick<OllamaParts, 'cacheDir' | 'ollamaHost'> & Pick<LlamaServerParts, 'strain' | 'draftVerdict'>,
): LocalProviderParts {
  const { context, loadSteps, localEngines, serverMemoryPlanner, freeHostBytes } = machine;
  const { cacheDir, ollamaHost, modelFile, localModels, strain, draftVerdict } = shared;
  const common = { modelFile, localModels, localEngines, ...(strain === undefined ? {} : { strain }) };
  return {
    llamaCpp: {
      ...common,
      cacheDir,
      llama,
      grantContext: context.grant,
      fitsBeside: context.fitsBeside,
      stepDown: context.stepDown,
    },
    llamaServer: {
      ...common,
      readHeader,
      freeHostBytes,
      loadSteps,
      ownLlamaServer: machine.ownLlamaServer,
      ...(draftVerdict === undefined ? {} : { draftVerdict }),
    },
    ollama: { cacheDir, ollamaHost, localEngines, serverMemoryPlanner, ownOllamaServer: machine.ownOllamaServer },
  };
}

function variantsOf(
  cache: string,
  { env, files, programs }: Pick<ModelPartsOptions, 'env' | 'files' | 'programs'>,
  download: EngineVariantsOptions['download'],
): EngineVariants {
  const { platform, arch } = process;
  const npm = (): Promise<Program | null> => findNpm(files.node, programs, env);
  return createEngineVariants({
    dir: enginesDir(cache),
    programs,
    platform,
    arch,
    download,
    registry: (signal) => packageRegistry({ env, homeFolder: homedir(), programs, npm }, signal),
    readFacts: (devices, signal) => readCardFacts(createMachineProbe(programs), { devices, arch, env }, signal),
  });
}

const unloadAfterMinutes = 15;

function idleMsOf({ providers }: Settings): number | null {
  const own = providers['llama-cpp'];
  const minutes = own?.kind === 'llama-cpp' ? own.unloadAfterMinutes : undefined;
  return minutes === null ? null : (minutes ?? unloadAfterMinutes) * 60_000;
}

export interface ModelPartsConfig {
  readonly home: string;
  readonly cache: string;
  readonly onNotice: (text: string) => void;
  /** Default: the key in the code. */
  readonly catalogKey?: string | undefined;
  readonly wrapProvider?: ((provider: Provider) => Provider) | undefined;
}

interface ModelPartsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The built worker, key process and server guard, and the program that runs them. */
  readonly programs: HostPrograms;
  readonly files: {
    readonly worker: string;
    readonly keyProcess: string;
    readonly serverGuard: string;
    readonly node: string;
  };
  readonly settings: SettingsStore;
  readonly redactor: Redactor;
}

function homeKeysOf(
  config: ModelPartsConfig,
  { env, files, programs, settings, redactor }: ModelPartsOptions,
  askModels: Parameters<typeof createHomeKeys>[0]['askModels'],
): HomeKeys {
  const outward = createOutboundConnections(() => settings.current().connection, env);
  const exchange = createWebClient(outward, { mostBytes: 64 * 1024 });
  return createHomeKeys({
    home: config.home,
    env,
    nodePath: files.node,
    processPath: files.keyProcess,
    programs,
    settings: () => settings.current(),
    keepService: (provider, service) => settings.save(['providers', provider], service),
    learn: (secret) => redactor.learn(secret),
    onNotice: config.onNotice,
    askModels,
    signIns: createKeySignIns({
      services: knownProviders,
      reach: (signal) => createAuthFetch({ exchange, place: { isInner: false, isHere: false } }, signal),
      openRedirect: openRedirectListener,
      learn: (value) => redactor.learn({ kind: 'sign-in', value }),
    }),
  });
}

const pricesOf = ({ home }: ModelPartsConfig, { settings, env }: ModelPartsOptions): PriceUpdates =>
  createPriceUpdates({
    path: join(home, 'prices.json'),
    fetch: createNetFetch(() => settings.current().connection, env, { silenceMs: 30_000 }),
    now: clockNow,
  });

/** A part of `compose`: the built-in engine, its memory plan, the keys of services, and all models. */
export function createModelParts(config: ModelPartsConfig, options: ModelPartsOptions): ModelParts {
  const { env, programs, settings } = options;
  const cards = createProbeCardStore(join(config.home, 'probe-cards.json'));
  const digests = createFileDigests(cards);
  const engines = createEngineParts(config, {
    ...options,
    digests,
    serverHeader: async (id, signal) => {
      const named = splitModelId(id);
      const server = named === null ? undefined : models.provider(named.provider)?.server;
      return named === null ? null : ((await server?.plan(named.name, signal)) ?? null);
    },
  });
  const { llama, modelStore, plan, texts, machine } = engines;
  const keys = homeKeysOf(config, options, (...asked) => models.ask(...asked));
  const probed = createProbeResults({ cards, digests, store: modelStore, settings: () => settings.current() });
  const strain = createStrainWatch({
    probe: createMachineProbe(programs),
    settings: () => settings.current().power,
    now: clockNow,
  });
  const stopResting = restWhenStrained(strain, llama, machine.ownLlamaServer);
  const reach = createNetFetch(() => settings.current().connection, env);
  const updates = createCatalogUpdates({
    builtIn: offered,
    path: join(config.home, 'model-catalog.json'),
    key: config.catalogKey ?? catalogKey,
    fetch: reach,
  });
  const prices = pricesOf(config, options);
  const askedTokensOf = (name: string) => settings.current().models[`llama-cpp/${name}`]?.contextTokens;
  const files = createCallableFiles({ store: modelStore, askedTokensOf, ...knownOfFiles(updates) });
  const local = localPartsOf(engines, {
    ...files,
    cacheDir: config.cache,
    ollamaHost: env.OLLAMA_HOST,
    strain: strain.now,
    draftVerdict: probed.drafts,
  });
  const models: AvailableModels = createAvailableModels({
    engineFiles: engines.engineFiles,
    hubModels: createHubModels({ hub: createHubClient({ fetch: reach, env }), store: modelStore, plan }),
    headerOf: (name) => headers.known.find((model) => model.name === name) ?? null,
    fit: plan.fit,
    advise: createModelAdvisor(engines.readHeader, updates.current),
    probed,
    registry: discoverProviders(localProviders(local)),
    settings: () => settings.current(),
    store: modelStore,
    release: (path) => llama.release(path),
    mention: files.mention,
    secret: (provider, own) => keys.secret(provider, own),
    price: prices.price,
    // Providers watch their calls by themselves: a slow server may read a prompt for an hour.
    fetch: createNetFetch(() => settings.current().connection, env, { silenceMs: 0 }),
    now: clockNow,
  });
  const dispose = async (): Promise<void> => {
    stopResting();
    await models.dispose();
    await Promise.all([machine.ownOllamaServer.dispose(), machine.ownLlamaServer.dispose()]);
  };
  return {
    llama,
    plan,
    keys,
    models: { ...models, provider: wrapped(models.provider, config.wrapProvider), dispose },
    probed,
    strain,
    ease: easeOf(strain, { models, probed, usual: () => settings.current().local }),
    catalog: { offered: updates.current, known: headers.known },
    updates,
    prices,
    texts,
  };
}

/** What the catalog says about a model file. */
function knownOfFiles({ current }: CatalogUpdates): Pick<CallableFilesOptions, 'effortOf' | 'draftersOf'> {
  return {
    effortOf: async (path) => advisedEffort(await current(), path),
    draftersOf: async (path) => knownDrafters(await current(), path),
  };
}

function easeOf(
  strain: StrainWatch,
  { models, probed, usual }: Pick<ModelParts, 'models' | 'probed'> & { readonly usual: () => string },
): EaseTurn {
  // Models for which the catalog itself names strategies were probed by its authors.
  const isKnown = (id: string): boolean =>
    headers.models.some(({ name, strategies }) => id === `llama-cpp/${name}` && strategies.length > 0);
  return createEaseTurn({
    strain,
    probeTask,
    usual,
    models: async (signal) => (await models.list(signal)).flatMap(({ info }) => info ?? []),
    hasPassed: async (id) => isKnown(id) || ((await probed.card(id))?.strategies ?? []).length > 0,
  });
}

const lookEveryMs = 30_000;

/** Unloads an idle model under strain, so that its memory is free. */
function restWhenStrained(strain: StrainWatch, llama: LlamaEngine, server: OwnLlamaServer): () => void {
  const look = async (): Promise<void> => {
    const path = llama.loadedPath();
    if ((path === null && server.running() === null) || !givesMemoryBack(await strain.now())) return;
    if (path !== null) await llama.release(path);
    await server.release();
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

function wrapped(
  get: AvailableModels['provider'],
  wrap: ModelPartsConfig['wrapProvider'],
): AvailableModels['provider'] {
  if (wrap === undefined) return get;
  return (id) => {
    const provider = get(id);
    return provider === null ? null : wrap(provider);
  };
}
