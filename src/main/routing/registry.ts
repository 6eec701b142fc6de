import { collectDefinitions } from '../lib/discovered-definitions.ts';
import type { Rule } from './define.ts';

/** Rules in the order of their ids. A duplicate id, or a file without a rule, stops the start. */
export function createRuleRegistry(modules: Readonly<Record<string, unknown>>): readonly Rule[] {
  const rules = collectDefinitions<Rule>(modules, {
    what: 'rule',
    parts: { id: 'string', vote: 'function' },
    nameOf: ({ id }) => id,
  });
  return [...rules.values()];
}

/** Every `*.rule.ts` of the folder `rules`. */
export function discoverRules(): readonly Rule[] {
  return createRuleRegistry(import.meta.glob('./rules/*.rule.ts', { eager: true, import: 'default' }));
}
