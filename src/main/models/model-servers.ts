import { AppError, messageOf } from '@shared/errors.ts';
import { splitModelId, type ModelInfo } from '@shared/models/model-info.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { FileToAdd } from './files/stored-model.ts';
import type { Provider } from './providers/define.ts';
import type { ModelRepair, PullProgress } from '@shared/contract/models-contract.ts';

/** The configured providers, by id. */
interface Providers {
  readonly ids: () => readonly string[];
  readonly get: (id: string) => Provider | null;
}

/** A model server that was set up, or that runs without being set up. */
export interface ServerStatus {
  readonly provider: string;
  readonly text: string;
  /** What is wrong with the server. Null: nothing. */
  readonly complaint: string | null;
  readonly isRunning: boolean;
}

/** Lists the model servers. Leaves out a server that neither runs nor is set up. */
export async function listServers(
  providers: Providers,
  settings: () => Settings,
  signal: AbortSignal,
): Promise<readonly ServerStatus[]> {
  const found = await Promise.all(
    providers.ids().map(async (provider): Promise<ServerStatus | null> => {
      const instance = providers.get(provider);
      if (instance?.server === undefined) return null;
      try {
        return { provider, ...(await instance.server.status(signal)), isRunning: true };
      } catch (error) {
        const { providers: own, local } = settings();
        const isUsed = provider in own || local.startsWith(`${provider}/`);
        return isUsed ? { provider, text: messageOf(error), complaint: null, isRunning: false } : null;
      }
    }),
  );
  return found.filter((one) => one !== null);
}

/** Throws `bad-input` for a model that belongs to no server, and `model-failed` if its server refuses. */
export async function repairServerModel(
  { get }: Providers,
  id: string,
  { apply, signal }: { readonly apply: boolean; readonly signal: AbortSignal },
): Promise<ModelRepair> {
  const name = splitModelId(id);
  const store = name === null ? undefined : get(name.provider)?.store;
  if (name === null || store === undefined)
    throw new AppError('bad-input', `${id} cannot be repaired.`, {
      hint: 'Only models of a server can be repaired: ollama/NAME.',
    });
  const repair = await orServerRefused(store.repair(name.name, apply, signal));
  return repair.made === null ? repair : { ...repair, made: `${name.provider}/${repair.made}` };
}

/**
 * Has the server make a model from one of its own and an adapter. Returns the new id, or null if no server has the
 * model.
 */
export async function addServerAdapter(
  { get }: Providers,
  id: string,
  { request, signal }: { readonly request: FileToAdd; readonly signal: AbortSignal },
): Promise<string | null> {
  const name = splitModelId(id);
  const store = name === null ? undefined : get(name.provider)?.store;
  if (name === null || store === undefined) return null;
  const made = await store.addAdapter(name.name, request, signal);
  return `${name.provider}/${made}`;
}

/** Returns false for a model that no server can fetch. */
export async function pullFromServer(
  { get }: Providers,
  id: string,
  { onProgress, signal }: { readonly onProgress: (progress: PullProgress) => void; readonly signal: AbortSignal },
): Promise<boolean> {
  const name = splitModelId(id);
  const store = name === null ? undefined : get(name.provider)?.store;
  if (name === null || store === undefined) return false;
  await orServerRefused(store.pull(name.name, onProgress, signal));
  return true;
}

/** Turns a failure of the server into `model-failed`, because it is not a bug of ours. */
async function orServerRefused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new AppError('model-failed', messageOf(error), { cause: error });
  }
}

type InfoOf = (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;

interface LearnedWindows {
  readonly info: InfoOf;
  /** A server said that the context of a model is this small. */
  readonly noteWindow: (modelId: string, tokens: number) => void;
}

/** Knows contexts that servers named in their refusals, for as long as the program runs. */
export function createLearnedWindows(infoOf: InfoOf): LearnedWindows {
  const learned = new Map<string, number>();
  return {
    info: async (id, signal) => {
      const info = await infoOf(id, signal);
      const said = learned.get(id) ?? Infinity;
      return info === null || info.contextTokens <= said ? info : { ...info, contextTokens: said };
    },
    noteWindow: (modelId, tokens) => {
      learned.set(modelId, Math.min(tokens, learned.get(modelId) ?? Infinity));
    },
  };
}
