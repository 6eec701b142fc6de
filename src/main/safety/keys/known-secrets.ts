import type { Settings } from '@shared/settings/settings.ts';
import { keyVariableOf, knownProviderNames, knownProviderSettings } from '@shared/settings/settings.ts';

/** Values that must never reach a log, each with the kind of secret. */
export function knownSecrets(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): readonly { readonly kind: string; readonly value: string }[] {
  const wellKnown = knownProviderNames.map(knownProviderSettings).filter((service) => service !== null);
  const names = [...wellKnown, ...Object.values(settings.providers)].map(keyVariableOf);
  return [...new Set(names)].flatMap((name) => {
    const value = name === null ? undefined : env[name];
    return name === null || value === undefined || value === '' ? [] : [{ kind: name, value }];
  });
}
