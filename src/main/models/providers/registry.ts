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

/** Loads every `*.provider.ts` of this folder. */
export function discoverProviders(): ProviderRegistry {
  return createProviderRegistry(import.meta.glob('./*.provider.ts', { eager: true, import: 'default' }));
}
