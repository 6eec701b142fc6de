import { describe, expect, it } from 'vitest';
import type { ModelOption, UsualModels } from '../../../../src/renderer/lib/models/model-options.ts';
import {
  isPicked,
  modelGroups,
  modelName,
  optionsOfPick,
  pickedModel,
  pickOf,
} from '../../../../src/renderer/lib/models/model-options.ts';
import { models } from '../../../fakes/page-scenes.ts';

const [here, small, large, office] = models.map(({ id }) => id);
const usual: UsualModels = { policy: 'local', local: here ?? '', cloud: large ?? null, order: [] };
const keysOf = (
  typed = '',
  favorites: readonly string[] = [],
  keys = [] as Parameters<typeof modelGroups>[0]['keys'],
) => modelGroups({ models, keys, favorites }, typed).map(({ name, options }) => [name, options.map(({ key }) => key)]);

/** Catches: a starred model that is shown twice, the router below the models, and cloud models among the local ones. */
it('the list of models starts with the router, then starred, local and cloud ones', () => {
  expect(keysOf('', [large ?? ''])).toEqual([
    ['auto', ['auto:hybrid', 'auto:economy', 'auto:balanced', 'auto:quality']],
    ['favorites', [large]],
    ['local', [here, small]],
    ['cloud', [office]],
  ]);
});

/** Catches: a search that finds a model only by its id, or by only one of its words. */
it('the list of models is searched by words of names and ids, and can be empty', () => {
  expect(keysOf('coder 0.5b')).toEqual([['local', [small]]]);
  expect(keysOf('large')).toEqual([['cloud', [large]]]);
  expect(keysOf('no such model')).toEqual([]);
});

/** Catches: a model of a service without a key that looks usable, and router profiles without a cloud model. */
it('the list of models shows which service has no key, with a way to set one', () => {
  const provider = large?.split('/')[0] ?? '';
  const groups = modelGroups({ models, keys: [{ provider, source: null, variable: 'KEY' }], favorites: [] }, '');
  const state = groups.flatMap(({ options }) => options).find(({ key }) => key === large);
  expect(state).toMatchObject({ state: 'no-key' });
  expect(groups[0]?.options.map(({ key }) => key)).toEqual(['auto:hybrid']);
  expect(groups.at(-1)?.options.at(-1)?.type).toBe('add-cloud');
});

/** Catches: two models with the same name that cannot be told apart. */
it('the list of models adds the provider when two names are equal', () => {
  const [first] = models;
  if (first === undefined) throw new Error('no model');
  const twin = { ...first, id: 'other/starter' };
  expect(modelName(first, models)).toBe(first.label);
  expect(modelName(twin, [first, twin])).toBe(`${first.label} (other)`);
});

describe('the choice of a model in the list', () => {
  const optionOf = (key: string | undefined): Exclude<ModelOption, { type: 'add-cloud' }> => {
    const found = modelGroups({ models, keys: [], favorites: [] }, '')
      .flatMap(({ options }) => options)
      .find((option) => option.key === key);
    if (found === undefined || found.type === 'add-cloud') throw new Error(`no line ${String(key)}`);
    return found;
  };

  /**
   * Catches: a message that goes to another model than the marked one, and a cloud model that is never called because
   * steps stay local.
   */
  it('sends the message where its line says', () => {
    expect(optionsOfPick(pickOf(optionOf('auto:hybrid'), usual))).toEqual({ policy: 'hybrid' });
    expect(optionsOfPick(pickOf(optionOf(large), usual))).toEqual({ policy: 'cloud', cloud: large });
    expect(optionsOfPick(pickOf(optionOf(small), usual))).toEqual({ policy: 'local', local: small });
    expect(isPicked(optionOf(small), pickedModel({ policy: 'local', local: small ?? '' }, usual))).toBe(true);
  });

  /** Catches: a later change of the settings that has no effect because the default was picked by hand. */
  it('follows the settings if it equals the default', () => {
    expect(pickOf(optionOf(here), usual)).toEqual({ policy: null });
    expect(pickOf(optionOf('auto:hybrid'), { ...usual, policy: 'hybrid' })).toEqual({ policy: null });
    expect(pickedModel({ policy: null }, { ...usual, policy: 'cloud' })).toMatchObject({ where: 'cloud', id: large });
  });
});
