import { AppError, messageOf } from '@shared/errors.ts';
import type { ModelInfo, Where } from '@shared/models/model-info.ts';
import { splitModelId } from '@shared/models/model-info.ts';
import type { ProviderSettings, Settings } from '@shared/settings/settings.ts';
import { entryOfInfo } from './model-entries.ts';
import { chatPreset } from './providers/chat-completions/chat-presets.ts';
import type { Provider } from './providers/define.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

export interface ModelEntryFinderOptions {
  readonly get: (providerId: string) => Provider | null;
  /** A model file may be named by its path; its provider then lists it, too. */
  readonly mention: (name: string) => void;
  readonly settings: () => Settings;
  /** Of the engine in the app; null: no file, and no header of one. */
  readonly fileEntry: (name: string) => Promise<ModelEntry | null>;
  readonly completed: (model: ModelInfo) => Promise<ModelInfo>;
  /** Providers that are there without anybody having set them up. */
  readonly isBuiltIn: (providerId: string) => boolean;
}

export interface ModelEntryFinder {
  /** Only its own provider is asked. Null: that has none of this name. Throws `network` where it cannot be asked. */
  readonly find: (id: string, signal: AbortSignal) => Promise<ModelEntry | null>;
  /** All that a provider has; one that cannot be asked is an entry itself, with the reason. Never rejects. */
  readonly ofProvider: (providerId: string, signal: AbortSignal) => Promise<readonly ModelEntry[]>;
}

export function createModelEntryFinder(options: ModelEntryFinderOptions): ModelEntryFinder {
  const { get, settings, completed, fileEntry } = options;
  const listed = async (provider: Provider, signal: AbortSignal): Promise<readonly ModelEntry[]> => {
    const infos = await Promise.all((await provider.listModels(signal)).map(completed));
    return infos.map(entryOfInfo);
  };
  return {
    async find(id, signal) {
      const name = splitModelId(id);
      if (name === null) return null;
      if (name.provider === 'llama-cpp') return fileEntry(name.name);
      const provider = get(name.provider);
      if (provider === null) return null;
      options.mention(name.name);
      // The list of the provider is asked next, and reports what is wrong.
      const planned = (await provider.find?.(name.name, signal).catch(() => null)) ?? null;
      if (planned !== null) return entryOfInfo(await completed(planned));
      const asked = await listed(provider, signal).then(
        (entries) => ({ entries, why: null }),
        (error: unknown) => ({ entries: [], why: messageOf(error) }),
      );
      const entry = asked.entries.find((one) => one.id === id);
      if (entry !== undefined) return entry;
      // One that is called by a name that it does not list: a turn would find it, too.
      const known = provider.knows?.(name.name) ?? null;
      if (known !== null) return entryOfInfo(await completed(known));
      if (asked.why === null) return null;
      // Some say themselves who does not answer.
      const isNamed = asked.why.toLowerCase().startsWith(name.provider);
      throw new AppError('network', isNamed ? asked.why : `${name.provider} could not be asked: ${asked.why}`, {
        hint: 'Run `dewpoint models list` to see your models.',
      });
    },
    async ofProvider(id, signal) {
      const provider = get(id);
      if (provider === null) return [];
      try {
        return await listed(provider, signal);
      } catch (error) {
        const own = settings().providers[id];
        // Nobody who has neither set it up nor installed it misses a server that does not run.
        const canStart = (await provider.canStart?.()) ?? false;
        if (own === undefined && options.isBuiltIn(id) && !canStart) return [];
        const where = canStart ? 'local' : whereOf(own);
        const base = { id: `${id}/*`, label: id, where, sizeBytes: null, licence: null, info: null } as const;
        return [{ ...base, state: 'unreachable', note: messageOf(error), ...(canStart ? { canStart } : {}) }];
      }
    },
  };
}

/** Of a server that says nothing of itself: where its settings say that it is. */
function whereOf(settings: ProviderSettings | undefined): Where {
  if (settings?.kind === 'openai-compatible') return settings.where ?? chatPreset(settings.preset).where;
  return settings?.kind === 'ollama' || settings?.kind === 'llama-server' ? 'local' : 'cloud';
}
