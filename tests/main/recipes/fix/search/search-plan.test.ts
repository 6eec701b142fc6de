import { describe, expect, it } from 'vitest';
import { defaultPlan, planFor } from '../../../../../src/main/recipes/fix/search/search-plan.ts';
import type { RecipeContext } from '../../../../../src/main/recipes/define.ts';

type Asked = Parameters<typeof planFor>[0];

function asked(together: boolean, mechanicalChanges = true, before: RecipeContext['before'] = null): Asked {
  const capabilities = { tools: false, grammar: true, prefill: true, infill: false, countTokens: true, together };
  const settings = { mechanicalChanges };
  // The parts of a context that a plan uses.
  return { settings, before, model: { capabilities } } as unknown as Asked;
}

describe('the plan of a search', () => {
  it('asks for what is missing in a group at once where an engine writes side by side, and else greedily first', () => {
    expect(planFor(asked(false)).slice(1)).toEqual(defaultPlan);
    const [, first, ...rest] = planFor(asked(true));
    expect(first).toMatchObject({ arm: 'insert', together: 12 });
    expect(rest).toEqual(defaultPlan.slice(2));
  });

  it('starts with the small changes that need no model', () => {
    expect(planFor(asked(false))[0]).toMatchObject({ arm: 'mechanical', seconds: 40 });
  });

  it('does without small changes where they are switched off', () => {
    const arms = planFor(asked(true, false)).map(({ arm }) => arm);
    expect(arms).not.toContain('mechanical');
    expect(arms).not.toContain('polish');
  });

  it('is short for a second model, whatever its engine can', () => {
    const before = { isCut: false, tries: 3 };
    expect(planFor(asked(true, true, before)).every((step) => 'temperature' in step && step.temperature === 0)).toBe(
      true,
    );
  });
});
