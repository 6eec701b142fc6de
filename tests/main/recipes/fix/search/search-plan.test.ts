import { describe, expect, it } from 'vitest';
import { planFor } from '../../../../../src/main/recipes/fix/search/search-plan.ts';
import type { RecipeContext } from '../../../../../src/main/recipes/define.ts';

function armsOf({
  mechanicalChanges = true,
  before = null,
}: {
  readonly mechanicalChanges?: boolean;
  readonly before?: RecipeContext['before'];
}): readonly string[] {
  const settings = {
    mechanicalChanges,
    agreement: true,
    locate: { coverage: true },
    seed: 1,
  };
  return planFor({ settings, before }).map(({ arm }) => arm);
}

describe('the plan of a search', () => {
  it('begins with small changes without a model, and returns to those left out for time', () => {
    const arms = armsOf({});
    expect(arms[0]).toBe('mechanical');
    expect(arms.at(-1)).toBe('mechanical');
  });

  it('asks for what is missing before it asks for rewrites', () => {
    const arms = armsOf({});
    expect(arms.indexOf('insert')).toBeLessThan(arms.indexOf('fix'));
    expect(arms.indexOf('fix')).toBeLessThan(arms.indexOf('body'));
  });

  it('has no small changes when they are switched off', () => {
    expect(armsOf({ mechanicalChanges: false })).not.toContain('mechanical');
    expect(armsOf({ mechanicalChanges: false, before: { isCut: true, tries: 3 } })).not.toContain('mechanical');
  });

  it('has no small changes for a second model, except those left out for time', () => {
    expect(armsOf({ before: { isCut: false, tries: 3 } })).not.toContain('mechanical');
    expect(armsOf({ before: { isCut: true, tries: 3 } }).at(-1)).toBe('mechanical');
  });
});
