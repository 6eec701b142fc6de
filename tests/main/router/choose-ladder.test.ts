import { describe, expect, it } from 'vitest';
import { chooseLadder, withoutRecipes } from '../../../src/main/router/choose-ladder.ts';
import { loopModel } from '../../fakes/agent-kit.ts';

const local = { ...loopModel, id: 'here/small', gears: ['recipe' as const] };
const cloud = { ...loopModel, id: 'sky/large', where: 'cloud' as const, gears: ['loop' as const, 'recipe' as const] };
const small = { gear: 'recipe', model: 'here/small', where: 'local' };

describe('chooseLadder', () => {
  it('puts what is here before what costs money, in the gears that each model passed', () => {
    expect(chooseLadder({ gear: 'auto', policy: 'hybrid', local, cloud })).toEqual([
      small,
      { gear: 'loop', model: 'sky/large', where: 'cloud' },
      { gear: 'recipe', model: 'sky/large', where: 'cloud' },
    ]);
  });

  it('never names a model that the policy does not allow', () => {
    expect(chooseLadder({ gear: 'auto', policy: 'local', local, cloud })).toEqual([small]);
    expect(chooseLadder({ gear: 'auto', policy: 'cloud', local, cloud }).every((rung) => rung.where === 'cloud')).toBe(
      true,
    );
    expect(chooseLadder({ gear: 'auto', policy: 'local', local: null, cloud })).toEqual([]);
  });

  it('uses the gear that was asked for and no other', () => {
    expect(chooseLadder({ gear: 'loop', policy: 'local', local, cloud })).toEqual([{ ...small, gear: 'loop' }]);
  });
});

describe('withoutRecipes', () => {
  it('falls back to the loop where nothing else is left and no gear was asked for', () => {
    const ladder = chooseLadder({ gear: 'auto', policy: 'local', local, cloud: null });
    expect(withoutRecipes(ladder, 'auto')).toEqual([{ ...small, gear: 'loop' }]);
    expect(withoutRecipes(ladder, 'recipe')).toEqual([]);
    expect(withoutRecipes([], 'auto')).toEqual([]);
  });
});
