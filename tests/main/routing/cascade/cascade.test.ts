import { describe, expect, it } from 'vitest';
import type { Stage } from '../../../../src/shared/models/model-info.ts';
import type { StageExit } from '../../../../src/main/routing/cascade/cascade.ts';
import { createCascade, goesOnHere } from '../../../../src/main/routing/cascade/cascade.ts';

const recipeHere: Stage = { strategy: 'recipe', model: 'here', where: 'local' };
const loopHere: Stage = { strategy: 'loop', model: 'here', where: 'local' };
const recipeThere: Stage = { strategy: 'recipe', model: 'sky', where: 'cloud' };
const loopThere: Stage = { strategy: 'loop', model: 'sky', where: 'cloud' };
const all = [recipeHere, loopHere, recipeThere, loopThere];
const there = () => 'there' as const;
const gaveUp: StageExit = { type: 'gave-up', cause: 'no-progress', isModelOut: false, isDoubted: false };
const capped = (goesOnWith: string | null): StageExit => ({ type: 'stopped', cause: 'cap', goesOnWith });

/** The stages that are entered when each one is left by the given exit. Null: there is none left. */
function walk(
  stages: readonly Stage[],
  exits: readonly StageExit[],
  reach: Parameters<typeof createCascade>[1] = there,
) {
  const cascade = createCascade(stages, reach);
  return [null, ...exits].map((exit) => cascade.next(exit).next?.stage ?? null);
}

describe('a cascade', () => {
  it('goes from stage to stage, and a loop is one stage that each of its models may drive', () => {
    const cascade = createCascade(all, there);
    expect(cascade.next(null).next).toEqual({ stage: recipeHere, cause: null, index: 0, alsoLoop: [] });
    expect(cascade.next(gaveUp).next).toEqual({
      stage: loopHere,
      cause: 'no-progress',
      index: 1,
      alsoLoop: [loopThere],
    });
    expect(cascade.left()).toEqual([recipeThere]);
    expect(cascade.next({ ...gaveUp, cause: 'checks' }).next).toMatchObject({ stage: recipeThere, cause: 'checks' });
    expect(cascade.next(gaveUp)).toEqual({ next: null, isCloudUnasked: false });
  });

  it('says what is entered and why, the models that take a loop over among it', () => {
    const cascade = createCascade([loopHere, loopThere], there);
    const entered = [cascade.next(null).next, cascade.handOver(loopThere, 'format'), cascade.handOver(loopHere, null)];
    expect(entered.map((one) => [one?.stage.model, one?.cause, one?.index])).toEqual([
      ['here', null, 0],
      ['sky', 'format', 1],
      ['here', null, 2],
    ]);
  });

  it('leaves out the other stages of a model whose service fails, and after a doubt all that run here', () => {
    const keyless = { ...gaveUp, cause: 'transport', isModelOut: true } as const;
    expect(walk([recipeThere, loopThere, loopHere], [keyless, gaveUp])).toEqual([recipeThere, loopHere, null]);
    const handed = createCascade([loopHere, recipeHere, recipeThere, loopThere], there);
    handed.next(null);
    handed.handOver(loopThere, 'format');
    // The model that the task was handed to is the one that fails.
    expect(handed.next(keyless).next?.stage).toEqual(recipeHere);
    expect(handed.next(gaveUp).next).toBeNull();
    expect(walk(all, [{ ...gaveUp, isDoubted: true }, gaveUp])).toEqual([recipeHere, recipeThere, loopThere]);
  });

  it('goes on here at a cap: with what is left of the local model, else with a loop of its own', () => {
    expect(walk([recipeThere, loopThere, recipeHere], [capped('here'), gaveUp])).toEqual([
      recipeThere,
      recipeHere,
      null,
    ]);
    expect(walk([recipeThere, loopThere], [capped('here'), gaveUp])).toEqual([recipeThere, loopHere, null]);
    expect(walk(all, [capped(null)])).toEqual([recipeHere, null]);
  });

  it('passes over what is missing in silence, and says where the cloud would have gone on', () => {
    const offline = createCascade(all, ({ where }) => (where === 'cloud' ? 'offline' : 'there'));
    offline.next(null);
    expect(offline.next(gaveUp)).toMatchObject({ next: { stage: loopHere }, isCloudUnasked: false });
    expect(offline.next(gaveUp)).toEqual({ next: null, isCloudUnasked: true });
    const missing = createCascade(all, ({ where }) => (where === 'cloud' ? 'there' : 'missing'));
    expect(missing.next(null)).toMatchObject({ next: { stage: recipeThere, index: 2 }, isCloudUnasked: false });
  });

  it.each([
    [{ reason: 'cap' }, 'local', true],
    [{ reason: 'cap' }, 'stop', false],
    [{ reason: 'cap', goesOnLocally: true }, 'ask', true],
    [{ reason: 'fenced', goesOnLocally: true }, 'stop', true],
    [{ reason: 'cap', goesOnLocally: false }, 'local', false],
    [{ reason: 'step-limit' }, 'local', false],
  ] as const)('work stopped by %j with %s goes on here: %s', (stop, atCap, goesOn) => {
    expect(goesOnHere(stop, atCap)).toBe(goesOn);
  });
});
