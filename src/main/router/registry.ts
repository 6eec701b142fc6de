import type { Rule } from './define.ts';

/** Rules by id, in order of the ids. A second one of the same id, or a file without a rule, stops the start. */
export function createRuleRegistry(modules: Readonly<Record<string, unknown>>): readonly Rule[] {
  const rules = new Map<string, Rule>();
  for (const [file, module] of Object.entries(modules)) {
    if (!isRule(module)) throw new Error(`${file} does not export a rule`);
    if (rules.has(module.id)) throw new Error(`two rules have the id ${module.id}; one of them is ${file}`);
    rules.set(module.id, module);
  }
  return [...rules.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** Every `*.rule.ts` of the folder `rules`. */
export function discoverRules(): readonly Rule[] {
  return createRuleRegistry(import.meta.glob('./rules/*.rule.ts', { eager: true, import: 'default' }));
}

function isRule(module: unknown): module is Rule {
  return (
    typeof module === 'object' &&
    module !== null &&
    'id' in module &&
    typeof module.id === 'string' &&
    'vote' in module &&
    typeof module.vote === 'function'
  );
}
