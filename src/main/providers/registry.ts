import type { ProviderDefinition } from './define.ts';

/** Kinds of providers by name. A second one of the same kind, or a file without a definition, stops the start. */
export type ProviderRegistry = ReadonlyMap<string, ProviderDefinition>;

export function createProviderRegistry(modules: Readonly<Record<string, unknown>>): ProviderRegistry {
  const registry = new Map<string, ProviderDefinition>();
  for (const [file, module] of Object.entries(modules)) {
    if (!isDefinition(module)) throw new Error(`${file} does not export a provider definition`);
    if (registry.has(module.kind))
      throw new Error(`two providers are of the kind ${module.kind}; one of them is ${file}`);
    registry.set(module.kind, module);
  }
  return registry;
}

/** Every `*.provider.ts` of this folder. */
export function discoverProviders(): ProviderRegistry {
  return createProviderRegistry(import.meta.glob('./*.provider.ts', { eager: true, import: 'default' }));
}

function isDefinition(value: unknown): value is ProviderDefinition {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    typeof value.kind === 'string' &&
    'settings' in value &&
    'create' in value &&
    typeof value.create === 'function'
  );
}
