import { splitModelId } from '@shared/models/model-info.ts';
import { knownProviderNames } from '@shared/settings/settings.ts';
import { nearestName } from '@shared/text/near-name.ts';
import type { Provider } from './providers/define.ts';

interface Providers {
  readonly ids: () => readonly string[];
  readonly get: (id: string) => Provider | null;
}

/** What to do about a model that was not found. `files`: names of the built-in engine, including those to download. */
export function notFoundHint(id: string, files: readonly string[], providers: Providers): string {
  return [wayTo(id, files, providers), 'Run `dewpoint models list` to see your models.'].join(' ').trim();
}

/** Empty: there is none. */
function wayTo(id: string, files: readonly string[], { ids, get }: Providers): string {
  const named = splitModelId(id);
  const getIt = `Get it with \`dewpoint models pull ${id}\`.`;
  if (id.startsWith('hf:')) return named === null ? 'A model of a hub is named hf:OWNER/REPO.' : getIt;
  if (named === null || named.provider === 'llama-cpp') {
    const near = nearestName(named?.name ?? id, files);
    if (near !== null) return `Did you mean llama-cpp/${near}?`;
    return named === null ? 'A model is named PROVIDER/MODEL.' : '';
  }
  const provider = get(named.provider);
  if (provider !== null) return provider.store === undefined ? '' : getIt;
  const near = nearestName(named.provider, [...ids(), ...knownProviderNames]);
  return near === null ? `No provider ${named.provider} is set up.` : `Did you mean ${near}/${named.name}?`;
}
