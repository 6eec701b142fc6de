import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelEntry } from '../../../src/shared/contract/models-contract.ts';
import { success } from '../../../src/shared/errors.ts';
import { profiles } from '../../../src/shared/routing/routing-profiles.ts';
import { chooseModel } from '../../../src/main/routing/choose-model.ts';
import type { ModelOption } from '../../../src/main/routing/define.ts';
import { currentScore } from '../../../src/main/routing/learned-score.ts';
import { seeded } from '../../../bench/lib/seeded.ts';
import { openClientCore } from '../../fakes/core-client.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';
import { drawMadeTask, factsOfTask } from '../routing/made-world.ts';

/** A scripted model, one with a price of the user's own, and a server that does not answer. */
const settings = {
  providers: {
    script: { kind: 'scripted', replies: [{ text: 'Done.' }] },
    sky: {
      kind: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:9/v1',
      where: 'cloud',
      models: { large: { context: 32_768 } },
    },
    silent: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', where: 'cloud' },
  },
  prices: { 'sky/large': { input: 3, output: 15 } },
};

async function abilities(priors: object): Promise<Readonly<Record<string, unknown>>> {
  return Object.fromEntries((await listed(priors)).map(({ id, ability = null }) => [id, ability]));
}

async function listed(priors: object): Promise<readonly ModelEntry[]> {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-ability-'));
  await writeFile(join(home, 'settings.json'), JSON.stringify(settings));
  await writeFile(join(home, 'route-priors.json'), JSON.stringify({ version: 1, priors }));
  const core = await openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  onTestFinished(async () => {
    await core.dispose();
    await rm(home, { recursive: true, force: true });
  });
  return core.client.models.list();
}

function optionOf({ info }: ModelEntry): readonly ModelOption[] {
  return info === null ? [] : [{ info, promptTokens: 1_000, maxOutputTokens: 500, canDrive: true, strategy: 'loop' }];
}

/** Catches: an order of models in the window that ranks by something else than the router. */
describe('the list of models', () => {
  it('says how able each known model is, and from what it is known', async () => {
    const known = await abilities({ 'sky/large': { act: { tries: 0.4, solved: 0.4, at: Date.now() } } });
    expect(known['script/script']).toEqual({ chance: expect.closeTo(0.65), source: 'unknown' });
    expect(known['sky/large']).toEqual({ chance: expect.closeTo(0.926), source: 'price' });
    expect(known).toHaveProperty('silent/*', null);
  });

  it('ranks a model by what it solved in this home', async () => {
    const known = await abilities({
      'script/script': { act: { tries: 18, solved: 16.7, at: Date.now() } },
      'sky/large': { chat: { tries: 16, solved: 0, at: Date.now() } },
    });
    expect(known['script/script']).toEqual({ chance: expect.closeTo(0.9), source: 'record' });
    expect(known['sky/large']).toMatchObject({ source: 'price' });
  });

  // Bug: the list weighed a guess as four counted turns, and a route as two, so both named other percentages.
  it('names the same percentages as a route by the same counts', async () => {
    const priors = {
      'script/script': { act: { tries: 3, solved: 1, at: Date.now() } },
      'sky/large': { act: { tries: 1, solved: 1, at: Date.now() } },
    };
    const entries = await listed(priors);
    const numbers = { ...profiles.balanced, score: currentScore.digest, priors };
    const { options } = chooseModel(
      { ...factsOfTask([], drawMadeTask(seeded(1))), numbers, options: entries.flatMap(optionOf) },
      [],
    );
    expect(options).toHaveLength(2);
    for (const { model, ability } of options) {
      expect(ability).toMatchObject({ source: 'record' });
      const listed = entries.find(({ id }) => id === model)?.ability;
      // The list was made a moment later, and counts fade.
      expect(listed).toEqual({ ...ability, chance: expect.closeTo(ability?.chance ?? 0, 6) });
    }
  });
});
