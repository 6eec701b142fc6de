import { collectDefinitions } from '../../lib/discovered-definitions.ts';
import type { ProviderDefinition } from './define.ts';

/**
 * Provider kinds by name. Two definitions of the same kind, or a file without a definition, stop the start of the
 * app.
 */
export type ProviderRegistry = ReadonlyMap<string, ProviderDefinition>;

export function createProviderRegistry(modules: Readonly<Record<string, unknown>>): ProviderRegistry {
  return collectDefinitions<ProviderDefinition>(modules, {
    what: 'provider',
    parts: { kind: 'string', settings: 'object', create: 'function' },
    nameOf: ({ kind }) => kind,
  });
}

/** Loads every `*.provider.ts` of this folder, beside those that were made with parts of this machine. */
export function discoverProviders(local: readonly ProviderDefinition[]): ProviderRegistry {
  const files = import.meta.glob('./*.provider.ts', { eager: true, import: 'default' });
  return createProviderRegistry({ ...files, ...Object.fromEntries(local.map((one) => [`provider ${one.kind}`, one])) });
}
