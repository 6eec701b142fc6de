import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/shared/contract/models-contract.ts';
import { sortedOrder, withModel } from '../../../../src/renderer/lib/models/model-order.ts';
import { abilityIn } from '../../../../src/main/routing/ability.ts';
import { currentScore } from '../../../../src/main/routing/learned-score.ts';
import { modelOf } from '../../../../bench/lib/route-events.ts';

function entry(id: string, where: 'local' | 'cloud', size: number | null): ModelEntry {
  const price = size === null ? null : { input: size / 5, output: size };
  const info = { ...modelOf(where, 8_000, price, false), parametersB: where === 'local' ? size : null };
  return { id, label: id, where, state: 'ready', sizeBytes: null, license: null, info, note: null };
}

const [small, large, cheap, dear] = [
  entry('small', 'local', 7),
  entry('large', 'local', 30),
  entry('cheap', 'cloud', 0.4),
  entry('dear', 'cloud', 75),
];
const unknown = entry('unknown', 'cloud', null);
const models = [dear, unknown, small, cheap, large];

describe('the order of models', () => {
  it('gets an added model before the first stronger one, by size and then by price', () => {
    expect(withModel(['small', 'dear'], large, models)).toEqual(['small', 'large', 'dear']);
    expect(withModel(['small', 'dear'], cheap, models)).toEqual(['small', 'cheap', 'dear']);
    expect(withModel(['small', 'dear'], unknown, models)).toEqual(['small', 'dear', 'unknown']);
    expect(withModel(['large'], small, models)).toEqual(['small', 'large']);
  });

  it('keeps the place of a model that is not available now', () => {
    expect(withModel(['gone', 'dear'], small, models)).toEqual(['gone', 'small', 'dear']);
    expect(sortedOrder(['gone', 'dear', 'small'], models)).toEqual(['small', 'dear', 'gone']);
  });

  it('sorts local models by size before cloud models by price', () => {
    const order = ['unknown', 'dear', 'cheap', 'large', 'small'];
    expect(sortedOrder(order, models)).toEqual(['small', 'large', 'cheap', 'dear', 'unknown']);
  });

  /** Catches: a list that shows a larger model as the stronger one, while the router ranks it below by its record. */
  it('ranks models of one place by what they solved here before size and price', () => {
    const ranked = [small, large, cheap, dear].map(({ info, ...model }): ModelEntry => {
      const tally = { tries: 20, solved: model.id === 'large' || model.id === 'dear' ? 1 : 19, at: 0 };
      if (info === null) return { ...model, info };
      const numbers = { score: currentScore.digest, priors: { [info.id]: { act: tally } } };
      return { ...model, info, ability: abilityIn(info, numbers, 'act') };
    });
    expect(sortedOrder(['small', 'large', 'cheap', 'dear'], ranked)).toEqual(['large', 'small', 'dear', 'cheap']);
    expect(sortedOrder(['unknown', 'large', 'cheap'], [...ranked, unknown])).toEqual(['large', 'cheap', 'unknown']);
  });
});
