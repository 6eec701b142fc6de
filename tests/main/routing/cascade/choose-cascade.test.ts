import { describe, expect, it } from 'vitest';
import { chooseCascade, withoutRecipes } from '../../../../src/main/routing/cascade/choose-cascade.ts';
import { loopModel } from '../../../fakes/agent-kit.ts';

const local = { ...loopModel, id: 'here/small', strategies: ['recipe' as const] };
const cloud = {
  ...loopModel,
  id: 'sky/large',
  where: 'cloud' as const,
  strategies: ['loop' as const, 'recipe' as const],
};
const small = { strategy: 'recipe', model: 'here/small', where: 'local' };

describe('chooseCascade', () => {
  it('puts what is here before what costs money, in the strategies that each model passed', () => {
    expect(chooseCascade({ strategy: 'auto', policy: 'hybrid', local, cloud })).toEqual([
      small,
      { strategy: 'loop', model: 'sky/large', where: 'cloud' },
      { strategy: 'recipe', model: 'sky/large', where: 'cloud' },
    ]);
  });

  it('never names a model that the policy does not allow', () => {
    expect(chooseCascade({ strategy: 'auto', policy: 'local', local, cloud })).toEqual([small]);
    expect(
      chooseCascade({ strategy: 'auto', policy: 'cloud', local, cloud }).every((stage) => stage.where === 'cloud'),
    ).toBe(true);
    expect(chooseCascade({ strategy: 'auto', policy: 'local', local: null, cloud })).toEqual([]);
  });

  it('uses the strategy that was asked for and no other', () => {
    expect(chooseCascade({ strategy: 'loop', policy: 'local', local, cloud })).toEqual([
      { ...small, strategy: 'loop' },
    ]);
  });
});

describe('withoutRecipes', () => {
  it('falls back to the loop where nothing else is left and no strategy was asked for', () => {
    const cascade = chooseCascade({ strategy: 'auto', policy: 'local', local, cloud: null });
    expect(withoutRecipes(cascade, 'auto')).toEqual([{ ...small, strategy: 'loop' }]);
    expect(withoutRecipes(cascade, 'recipe')).toEqual([]);
    expect(withoutRecipes([], 'auto')).toEqual([]);
  });
});
