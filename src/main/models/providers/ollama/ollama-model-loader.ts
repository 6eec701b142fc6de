import type { EngineOccupant, HeldModel } from '../../engine/local-engines.ts';
import type {
  ServerMemoryPlanner,
  ServerMemoryGrant,
  ServerMemoryRequest,
} from '../../memory/server-memory-planner.ts';
import type { ListedByOllama, OllamaApi, ResidentModel, ServerVersion } from './ollama-api.ts';
import { judgeVersion } from './ollama-api.ts';
import { OllamaError } from './ollama-errors.ts';
import type { CheckedLoad, Finding } from './check-ollama-load.ts';
import { checkLoad } from './check-ollama-load.ts';
import type { KnownModel, KnownModels } from './ollama-known-models.ts';
import { judgeTemplate } from './repair-template.ts';
import { orNoted } from '../../../lib/log.ts';

export interface ModelLoaderOptions {
  readonly api: OllamaApi;
  readonly known: KnownModels;
  readonly planner: ServerMemoryPlanner;
  /** The server runs on this machine. */
  readonly isHere: boolean;
  /** Null: use a size that suits this machine. */
  readonly askedTokens: number | null;
  readonly keepAliveMinutes: number;
  readonly now: () => number;
  /** The other engines of this machine. Null if there are none, or the server is on another machine. */
  readonly neighbors: Neighbors | null;
}

export interface Neighbors {
  readonly held: (signal: AbortSignal) => Promise<readonly HeldModel[]>;
  readonly unload: (signal: AbortSignal) => Promise<readonly HeldModel[]>;
}

/** The load options of a model. They stay the same while its digest does, so that the server does not reload it. */
interface Decision {
  readonly digest: string;
  readonly grant: ServerMemoryGrant;
  /** The context size that the server is asked for. */
  wantedTokens: number;
  /** Null until the first load. */
  checked: CheckedLoad | null;
  /** Why it was loaded with less than was granted. Null: it was not. */
  steppedDown: Finding | null;
}

/** A loaded model, and how its load differs from the plan. */
export interface ReadyModel {
  readonly name: string;
  readonly known: KnownModel;
  readonly version: ServerVersion;
  readonly grant: ServerMemoryGrant;
  /** Must be sent with every call, or the server reloads the model. */
  readonly numCtx: number;
  readonly checked: CheckedLoad;
  readonly findings: readonly Finding[];
  /** It was loaded for this call, so no part of the prompt was cached. */
  readonly isFresh: boolean;
  /** Models of other engines that were unloaded for this load. */
  readonly unloaded: readonly string[];
}

/** Loads models of one server, one at a time, and knows how they were loaded. Throws `OllamaError`. */
export interface ModelLoader {
  readonly version: (signal: AbortSignal) => Promise<ServerVersion>;
  /** Looks a model up in the server's own list. Null: not there. */
  readonly find: (name: string, signal: AbortSignal) => Promise<ListedByOllama | null>;
  /** The context size that calls may use. Before the first load, it comes from the plan. */
  readonly window: (listed: ListedByOllama, signal: AbortSignal) => Promise<KnownWindow>;
  readonly prepare: (name: string, signal: AbortSignal, onLoading: () => void) => Promise<ReadyModel>;
  /** Unloads the models that were loaded from here. */
  readonly release: (signal: AbortSignal) => Promise<void>;
  /** The models that were loaded from here and are still in memory. */
  readonly occupant: EngineOccupant;
}

export interface KnownWindow {
  readonly known: KnownModel;
  readonly contextTokens: number;
}

const leastStep = 4_096;

export function createModelLoader(options: ModelLoaderOptions): ModelLoader {
  const { api } = options;
  const decisions = new Map<string, Decision>();
  const loadedHere = new Map<string, number | null>();
  const release: ModelLoader['release'] = async (signal) => {
    for (const name of loadedHere.keys()) {
      await api.unload(name, signal);
      loadedHere.delete(name);
    }
  };
  let judged: { readonly version: ServerVersion; readonly at: number } | null = null;
  const version: ModelLoader['version'] = async (signal) => {
    if (judged !== null && options.now() - judged.at < 60_000) return judged.version;
    judged = { version: judgeVersion(await api.version(signal)), at: options.now() };
    return judged.version;
  };
  const find: ModelLoader['find'] = async (name, signal) => {
    const all = await api.list(signal);
    return all.find((one) => one.name === name) ?? all.find((one) => one.name === `${name}:latest`) ?? null;
  };
  const decide = (listed: ListedByOllama, known: KnownModel, signal: AbortSignal): Promise<Decision> =>
    decideFor(options, { listed, known, decisions, loadedHere }, signal);
  return {
    version,
    find,
    window: async (listed, signal) => {
      const known = await options.known.of(listed, signal);
      const decision = await decide(listed, known, signal);
      return { known, contextTokens: decision.checked?.contextTokens ?? decision.wantedTokens };
    },
    prepare: async (name, signal, onLoading) => {
      const server = await version(signal);
      for (let attempt = 1; ; attempt += 1) {
        const listed = await find(name, signal);
        if (listed === null) throw missing(name);
        const known = await options.known.of(listed, signal);
        const decision = await decide(listed, known, signal);
        const loaded = await ensureLoaded(options, { listed, known, decision, loadedHere, onLoading }, signal);
        if (loaded.otherDigest === null) return ready({ listed, known, server, decision, loaded });
        // The model may have been pulled again between the listing and the load.
        decisions.delete(listed.name);
        if (attempt === 2) throw otherFile(listed, loaded.otherDigest);
      }
    },
    release,
    occupant: {
      held: async (signal) => {
        // A server that does not answer holds nothing that could be freed.
        const all =
          loadedHere.size === 0
            ? []
            : await api.resident(signal).catch(orNoted('ollama: the loaded models were not listed', []));
        return all
          .filter(({ name }) => loadedHere.has(name))
          .map((one) => heldBy(one, loadedHere.get(one.name) ?? null));
      },
      unload: release,
    },
  };
}

/** Splits the memory of a model. The weights in host memory are a mapped file. */
function heldBy({ name, size, size_vram: onCard }: ResidentModel, fileBytes: number | null): HeldModel {
  const [all, cardBytes] = [size ?? 0, onCard ?? 0];
  const onHost = Math.max(0, all - cardBytes);
  const mappedBytes = all === 0 ? 0 : Math.min(onHost, ((fileBytes ?? 0) * onHost) / all);
  return { model: `ollama/${name}`, hostBytes: onHost - mappedBytes, mappedBytes, cardBytes };
}

interface Deciding {
  readonly listed: ListedByOllama;
  readonly known: KnownModel;
  readonly decisions: Map<string, Decision>;
  readonly loadedHere: ReadonlyMap<string, number | null>;
}

async function decideFor(
  options: ModelLoaderOptions,
  { listed, known, decisions, loadedHere }: Deciding,
  signal: AbortSignal,
): Promise<Decision> {
  const before = decisions.get(listed.name);
  if (before?.digest === known.digest) return before;
  const leaving = await leavingFor(options, { listed, loadedHere }, signal);
  const others = (await options.neighbors?.held(signal)) ?? [];
  const sum = (of: (one: HeldModel) => number): number => others.reduce((total, one) => total + of(one), 0);
  const grant = await options.planner.plan(
    wishFor(options, known, {
      hostBytes: leaving.hostBytes + sum((one) => one.hostBytes),
      cardBytes: leaving.cardBytes + sum((one) => one.cardBytes),
    }),
    signal,
  );
  const decision: Decision = {
    digest: known.digest,
    grant,
    wantedTokens: grant.grantedTokens,
    checked: null,
    steppedDown: null,
  };
  decisions.set(listed.name, decision);
  return decision;
}

/**
 * The models that this load will replace: the model itself, and others that were loaded from here, because only one
 * stays in memory.
 */
async function leavingFor(
  { api }: ModelLoaderOptions,
  { listed, loadedHere }: Pick<Deciding, 'listed' | 'loadedHere'>,
  signal: AbortSignal,
): Promise<ServerMemoryRequest['givenBack']> {
  const resident = await api.resident(signal);
  return givenBackBy(resident.filter((one) => one.name === listed.name || loadedHere.has(one.name)));
}

function wishFor(
  { askedTokens, isHere }: ModelLoaderOptions,
  { header, sizeBytes, filePath, remoteHost }: KnownModel,
  givenBack: ServerMemoryRequest['givenBack'],
): ServerMemoryRequest {
  return {
    header,
    sizeBytes,
    filePath: isHere ? filePath : null,
    askedTokens,
    isHere: isHere && remoteHost === null,
    givenBack,
  };
}

/** Unloads the models of other engines if this model does not fit beside them as planned. */
async function makeRoom(
  options: ModelLoaderOptions,
  { listed, known, decision, loadedHere }: Loading,
  signal: AbortSignal,
): Promise<readonly HeldModel[]> {
  const others = (await options.neighbors?.held(signal)) ?? [];
  if (options.neighbors === null || others.length === 0) return [];
  const leaving = await leavingFor(options, { listed, loadedHere }, signal);
  // The system counts mapped weights as free memory. But two models that push each other out of memory become very
  // slow, so they count as used.
  const mapped = others.reduce((total, { mappedBytes }) => total + mappedBytes, 0);
  const beside = await options.planner.plan(
    wishFor(options, known, { ...leaving, hostBytes: leaving.hostBytes - mapped }),
    signal,
  );
  const fits =
    beside.predictedBytes !== null &&
    beside.placement !== 'nowhere' &&
    beside.grantedTokens >= decision.wantedTokens &&
    beside.placement === decision.grant.placement;
  return fits ? [] : options.neighbors.unload(signal);
}

interface Loading {
  readonly listed: ListedByOllama;
  readonly known: KnownModel;
  readonly decision: Decision;
  readonly loadedHere: Map<string, number | null>;
  readonly onLoading: () => void;
}

interface Loaded {
  readonly isFresh: boolean;
  readonly unloaded: readonly HeldModel[];
  /** Set if the server loaded another digest than it lists under this name. */
  readonly otherDigest: string | null;
}

async function ensureLoaded(options: ModelLoaderOptions, loading: Loading, signal: AbortSignal): Promise<Loaded> {
  const { api } = options;
  const { listed, decision, loadedHere, onLoading } = loading;
  const all = await api.resident(signal);
  const there = all.find((one) => one.name === listed.name) ?? null;
  if (there !== null && isAsWanted(there, decision) && otherDigest(listed, there) === null) {
    decision.checked ??= checkLoad(decision.grant, there, decision.wantedTokens);
    return { isFresh: false, unloaded: [], otherDigest: null };
  }
  onLoading();
  for (const name of [...loadedHere.keys()].filter((one) => one !== listed.name)) {
    await api.unload(name, signal);
    loadedHere.delete(name);
  }
  const unloaded = await makeRoom(options, loading, signal);
  const load = async (): Promise<ResidentModel | null> => {
    await api.load(listed.name, loadBody(options, decision), signal);
    loadedHere.set(listed.name, listed.size ?? null);
    const resident = (await api.resident(signal)).find((one) => one.name === listed.name) ?? null;
    decision.checked = checkLoad(decision.grant, resident, decision.wantedTokens);
    return resident;
  };
  let resident = await load().catch((error: unknown) => {
    if (!stepDown(decision, isOutOfMemory(error) ? 'context-reduced' : null)) throw error;
    return load();
  });
  if (stepDown(decision, decision.checked?.hasSpilled === true ? 'spilled' : null)) resident = await load();
  return { isFresh: true, unloaded, otherDigest: resident === null ? null : otherDigest(listed, resident) };
}

/**
 * Halves the context once. It does not repeat, because each try is a load, and a smaller context does not free what
 * other programs use.
 */
function stepDown(decision: Decision, code: 'spilled' | 'context-reduced' | null): boolean {
  const half = Math.floor(decision.wantedTokens / 512) * 256;
  if (code === null || decision.steppedDown !== null || half < leastStep) return false;
  const why = code === 'spilled' ? 'a part of it was on the processor' : 'the server had no memory for more';
  decision.wantedTokens = half;
  decision.steppedDown = { code, text: `loaded again with ${half} tokens, because ${why}` };
  return true;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof OllamaError && error.error.code === 'out-of-memory';
}

/** If a model was loaded with other options than ours, our call would reload it, and our checks would not hold. */
function isAsWanted(there: ResidentModel, { checked, wantedTokens }: Decision): boolean {
  const made = there.context_length ?? 0;
  if (made === 0) return checked !== null;
  return made === wantedTokens || made === checked?.madeTokens;
}

function otherDigest(listed: ListedByOllama, resident: ResidentModel): string | null {
  const [wanted, found] = [listed.digest ?? '', resident.digest ?? ''].map((digest) => digest.replace(/^sha256:/, ''));
  return wanted === '' || found === '' || wanted === found ? null : (found ?? null);
}

/** The load options. They are the same in the whole session. */
function loadBody(
  { keepAliveMinutes }: ModelLoaderOptions,
  { wantedTokens }: Decision,
): Readonly<Record<string, unknown>> {
  return { options: { num_ctx: wantedTokens }, keep_alive: `${keepAliveMinutes}m` };
}

function givenBackBy(resident: readonly ResidentModel[]): { readonly hostBytes: number; readonly cardBytes: number } {
  const cardBytes = resident.reduce((sum, one) => sum + (one.size_vram ?? 0), 0);
  const all = resident.reduce((sum, one) => sum + (one.size ?? 0), 0);
  return { cardBytes, hostBytes: Math.max(0, all - cardBytes) };
}

function ready(found: {
  readonly listed: ListedByOllama;
  readonly known: KnownModel;
  readonly server: ServerVersion;
  readonly decision: Decision;
  readonly loaded: Loaded;
}): ReadyModel {
  const { listed, known, server, decision, loaded } = found;
  const checked = decision.checked ?? checkLoad(decision.grant, null, decision.wantedTokens);
  const template = judgeTemplate(known);
  const hollow = known.header.hollowKeys;
  const findings: Finding[] = [...checked.findings];
  if (template !== null) findings.push(template);
  if (hollow.length > 0)
    findings.push({
      code: 'header-incomplete',
      text: `the server leaves out the arrays of ${hollow.slice(0, 3).join(', ')}`,
    });
  if (server.complaint !== null) findings.push({ code: 'old-server', text: server.complaint });
  return {
    name: listed.name,
    known,
    version: server,
    grant: decision.grant,
    numCtx: decision.wantedTokens,
    checked,
    findings: decision.steppedDown === null ? findings : [...findings, decision.steppedDown],
    isFresh: loaded.isFresh,
    unloaded: loaded.unloaded.map(({ model }) => model),
  };
}

function missing(name: string): OllamaError {
  return new OllamaError({
    code: 'missing-model',
    message: `Ollama does not have the model ${name}. Download it with: ollama pull ${name}`,
    retryable: false,
  });
}

function otherFile({ name, digest }: ListedByOllama, found: string): OllamaError {
  const [listed, loaded] = [digest ?? '', found].map((one) => one.replace(/^sha256:/, '').slice(0, 12));
  return new OllamaError({
    code: 'bad-model',
    message: `Ollama lists ${name} with the digest ${listed} but loaded ${loaded}, a file that the memory plan was not made for.`,
    retryable: false,
  });
}
