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
  /** Remembers a model file that was named by its path, so that its provider lists it, too. */
  readonly mention: (name: string) => void;
  readonly settings: () => Settings;
  /** The entry of a model of the built-in engine. Null if there is neither a file nor a known header. */
  readonly fileEntry: (name: string) => Promise<ModelEntry | null>;
  readonly completed: (model: ModelInfo) => Promise<ModelInfo>;
  /** Providers that exist without an entry in the settings. */
  readonly isBuiltIn: (providerId: string) => boolean;
}

export interface ModelEntryFinder {
  /**
   * Asks only the model's own provider. Null: the provider has no model of this name. Throws `network` if it cannot
   * be asked.
   */
  readonly find: (id: string, signal: AbortSignal) => Promise<ModelEntry | null>;
  /** All models of a provider. If the provider cannot be asked, the only entry gives the reason. Never rejects. */
  readonly ofProvider: (providerId: string, signal: AbortSignal) => Promise<readonly ModelEntry[]>;
}

export function createModelEntryFinder(options: ModelEntryFinderOptions): ModelEntryFinder {
  const { get, settings, completed, fileEntry } = options;
  return {
    async find(id, signal) {
      const name = splitModelId(id);
      if (name === null) return null;
      if (name.provider === 'llama-cpp') return fileEntry(name.name);
      const provider = get(name.provider);
      if (provider === null) return null;
      options.mention(name.name);
      const found = await provider.resolve(name.name, signal).catch((error: unknown) => {
        const why = messageOf(error);
        // Some say themselves who does not answer.
        const isNamed = why.toLowerCase().startsWith(name.provider);
        throw new AppError('network', isNamed ? why : `${name.provider} could not be asked: ${why}`, {
          hint: 'Run `dewpoint models list` to see your models.',
        });
      });
      return found === null ? null : entryOfInfo(await completed(found));
    },
    async ofProvider(id, signal) {
      const provider = get(id);
      if (provider === null) return [];
      try {
        const infos = await Promise.all((await provider.list(signal)).map(completed));
        return infos.map(entryOfInfo);
      } catch (error) {
        const own = settings().providers[id];
        // A server that is neither set up nor installed is not reported as missing.
        const canStart = (await provider.server?.canStart()) ?? false;
        if (own === undefined && options.isBuiltIn(id) && !canStart) return [];
        const where = canStart ? 'local' : whereOf(own);
        const base = { id: `${id}/*`, label: id, where, sizeBytes: null, license: null, info: null } as const;
        return [{ ...base, state: 'unreachable', note: messageOf(error), ...(canStart ? { canStart } : {}) }];
      }
    },
  };
}

/** Where a server's models run, by its settings, for a server that does not answer. */
function whereOf(settings: ProviderSettings | undefined): Where {
  if (settings?.kind === 'openai-compatible') return settings.where ?? chatPreset(settings.preset).where;
  return settings?.kind === 'ollama' || settings?.kind === 'llama-server' ? 'local' : 'cloud';
}
