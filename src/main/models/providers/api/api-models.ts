import { z } from 'zod';
import { messageOf } from '@shared/errors.ts';
import type { Effort, ModelInfo } from '@shared/models/model-info.ts';
import type { ModelSettings } from '@shared/settings/settings.ts';
import { noteFailure } from '../../../lib/log.ts';
import { childAbort } from '../../../lib/async/child-abort.ts';
import type { ListedModel } from './bundled-models.ts';
import { bundledModels, bundledOn } from './bundled-models.ts';
import { connectionMessage } from '../openai/openai-errors.ts';
import type { ModelSource } from '../define.ts';
import type { Reachability } from './reachability.ts';

/** The models of one configured service. */
interface ApiModels {
  /**
   * The service's own list, plus models named in the settings. If the service cannot be asked, the dated list that
   * comes with Dewpoint. Throws if no model can be named.
   */
  readonly list: (signal: AbortSignal) => Promise<readonly ModelInfo[]>;
  /** Returns at once. For a name that is in no list, it returns the defaults of the service. */
  readonly find: (name: string) => ModelInfo;
  readonly resolve: ModelSource['resolve'];
}

export interface ApiModelsOptions {
  readonly id: string;
  /** The name of the list that comes with Dewpoint. Null: none. */
  readonly service: string | null;
  readonly where: 'local' | 'cloud';
  /** A free server that is not on this machine. */
  readonly isElsewhere?: boolean;
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly effort: Effort | undefined;
  readonly fetchList: (signal: AbortSignal) => Promise<readonly ListedModel[]>;
  readonly now: () => number;
  /** How long the list may take, in milliseconds. Absent: five seconds. */
  readonly listMs?: number;
  readonly reach?: Reachability;
  /** Models have names that the user chose, which no list contains. */
  readonly ownNames?: boolean;
  /** Defaults for a model that no list describes further. */
  readonly usual: (name: string) => DefaultModel;
}

export interface DefaultModel {
  readonly contextTokens: number;
  readonly tools: boolean;
  readonly images: boolean;
  readonly reasoning: boolean;
  readonly cache: boolean;
  /** See `ModelInfo`. Absent: no. */
  readonly schema?: boolean;
  /** The efforts to choose from if it thinks. Absent: none. */
  readonly efforts?: readonly Effort[];
}

/** More would only hold up whoever reads the list. The largest services have a few hundred. */
export const mostListed = 5_000;

const LIST_TIMEOUT_MS = 5_000;
/** Each turn asks at its start, while services change their lists only from day to day. */
const FRESH_MS = 10 * 60_000;

export function createApiModels(options: ApiModelsOptions): ApiModels {
  const bundled = options.service === null ? [] : (bundledModels[options.service] ?? []);
  let live: { readonly models: readonly ListedModel[]; readonly at: number } | null = null;
  let isRefused = false;
  /** The last time, the list did not come in time, and none is known from before. */
  let isSlow = false;
  const infos = (models: readonly ListedModel[], unlisted?: string): readonly ModelInfo[] => {
    const names = new Set([...Object.keys(options.models), ...models.map((model) => model.name)]);
    return [...names].map((name) =>
      infoOf(options, name, { listed: nearest(models, name), bundled: nearest(bundled, name), unlisted }),
    );
  };
  const find = (name: string): ModelInfo =>
    infoOf(options, name, { listed: nearest(live?.models ?? [], name), bundled: nearest(bundled, name) });
  const knows = (name: string): ModelInfo | null => {
    const isListed = nearest(live?.models ?? bundled, name) !== undefined;
    return isListed || isRefused || isSlow || options.ownNames === true ? find(name) : null;
  };
  const list: ApiModels['list'] = async (signal) => {
    // If the last call did not get through, asking again also finds out whether the network is back.
    const isFresh = live !== null && options.now() - live.at < FRESH_MS && options.reach?.now() !== 'away';
    if (live !== null && isFresh) return infos(live.models);
    const tooLong = () => new Error('The list of models took too long.');
    const child = childAbort(signal, { ms: options.listMs ?? LIST_TIMEOUT_MS, reason: tooLong });
    try {
      live = { models: (await options.fetchList(child.signal)).slice(0, mostListed), at: options.now() };
      isRefused = false;
      isSlow = false;
      return infos(live.models);
    } catch (error) {
      isRefused = error instanceof ListRefusedError;
      const isLate = child.signal.aborted && !signal.aborted;
      isSlow = isLate && live === null;
      if (isLate) options.reach?.noteSilence();
      if (!isRefused && live !== null) return infos(live.models);
      const reason = whyNoList(error);
      if (!isRefused && bundled.length > 0) return infos(bundled, reason);
      if (Object.keys(options.models).length > 0) return infos([]);
      if (isRefused) throw error;
      const rest = isSlow ? nameOne : onlyItKnows;
      throw new Error(options.service === null ? `${reason.replace(/\.?$/, '.')} ${rest}` : reason);
    } finally {
      child.release();
    }
  };
  return {
    find,
    list,
    resolve: async (name, signal) => {
      const listed = await list(signal).catch((error: unknown) => {
        const known = knows(name);
        if (known === null) throw error;
        // The call itself reports a refusal, or that nobody answers.
        noteFailure('An endpoint was not asked for its models', error);
        return [known];
      });
      return listed.find((model) => model.name === name) ?? knows(name);
    },
  };
}

/** Added for the user's own servers and for deployments, for which no list comes with Dewpoint. */
const onlyItKnows = 'Without its list, only models named in your settings can be used.';
const nameOne = 'Models that you name can still be used.';

function whyNoList(error: unknown): string {
  if (error instanceof ListRefusedError) return error.message;
  if (error instanceof z.ZodError) return 'It answered, but not with a list of models. Check its address.';
  // `fetch` and packages based on it only say that something failed. The cause says why.
  return error instanceof Error && error.cause instanceof Error ? connectionMessage(error) : messageOf(error);
}

/**
 * The service answered, but refused to list its models. The list that comes with Dewpoint is not used then, because
 * it would hide the reason.
 */
export class ListRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ListRefusedError';
  }
}

/** Finds a model by its name, also with a date (`gpt-5.4-2026-03-05`) or a suffix (`MODEL:fastest`). */
function nearest(models: readonly ListedModel[], name: string): ListedModel | undefined {
  const bare = name.replace(/:[^:/]*$/, '').replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  return models.find((model) => model.name === name) ?? models.find((model) => model.name === bare);
}

interface Known {
  readonly listed: ListedModel | undefined;
  readonly bundled: ListedModel | undefined;
  /** Why the service's own list is missing. The bundled list is used then. */
  readonly unlisted?: string | undefined;
}

function infoOf(options: ApiModelsOptions, name: string, { listed, bundled, unlisted }: Known): ModelInfo {
  const { where } = options;
  const usual = options.usual(name);
  const known = options.models[name];
  // A user who sets an effort for this model says that it can think.
  const isToThink = known?.effort === undefined ? undefined : true;
  const reasoning = known?.reasoning ?? isToThink ?? listed?.reasoning ?? bundled?.reasoning ?? usual.reasoning;
  const effort = known?.effort ?? options.effort;
  const contextTokens = known?.context ?? listed?.contextTokens ?? bundled?.contextTokens ?? usual.contextTokens;
  return {
    id: `${options.id}/${name}`,
    provider: options.id,
    name,
    label: listed?.label ?? bundled?.label ?? name,
    where,
    contextTokens,
    ...outputOf(where, contextTokens, known?.output),
    parametersB: known?.parametersB ?? null,
    capabilities: {
      tools: known?.tools ?? listed?.tools ?? bundled?.tools ?? usual.tools,
      grammar: false,
      prefill: false,
      infill: false,
      countTokens: false,
      images: known?.images ?? listed?.images ?? bundled?.images ?? usual.images,
      reasoning,
      cache: usual.cache,
      ...(usual.schema === true ? { schema: true } : {}),
    },
    price: known?.price ?? priceOf(options, listed),
    strategies: known?.strategies ?? ['loop', 'recipe'],
    ...(reasoning && effort !== undefined ? { effort } : {}),
    ...(reasoning && usual.efforts !== undefined ? { efforts: usual.efforts } : {}),
    ...(unlisted === undefined || known !== undefined ? {} : { listedOn: bundledOn, note: unlisted }),
    ...(options.isElsewhere === true ? { isElsewhere: true } : {}),
  };
}

/**
 * Services with such a context size allow answers of at least this length. A first file with its tests can exceed
 * 8,192 tokens.
 */
const roomyContextTokens = 64_000;
const roomyOutputTokens = 16_384;

function outputOf(
  where: ModelInfo['where'],
  contextTokens: number,
  set: number | undefined,
): Pick<ModelInfo, 'outputTokens'> {
  if (set !== undefined) return { outputTokens: set };
  return where === 'cloud' && contextTokens >= roomyContextTokens ? { outputTokens: roomyOutputTokens } : {};
}

function priceOf({ where, id, now }: ApiModelsOptions, listed: ListedModel | undefined): ModelInfo['price'] {
  if (where === 'local') return { input: 0, output: 0, source: 'local', date: bundledOn };
  if (listed?.price === undefined) return null;
  const date = new Date(now()).toISOString().slice(0, 10);
  return { ...listed.price, source: `the list of ${id}`, date };
}
