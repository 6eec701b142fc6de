import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { success } from '../../../src/shared/errors.ts';
import { openClientCore } from '../../fakes/core-client.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

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
  const listed = await core.client.models.list();
  return Object.fromEntries(listed.map(({ id, ability = null }) => [id, ability]));
}

/** Catches: an order of models in the window that ranks by something else than the router. */
describe('the list of models', () => {
  it('says how able each known model is, and from what it is known', async () => {
    const known = await abilities({ 'sky/large': { act: { tries: 1, solved: 1, at: 0 } } });
    expect(known['script/script']).toEqual({ chance: expect.closeTo(0.65), source: 'unknown' });
    expect(known['sky/large']).toEqual({ chance: expect.closeTo(0.926), source: 'price' });
    expect(known).toHaveProperty('silent/*', null);
  });

  it('ranks a model by what it solved in this home', async () => {
    const known = await abilities({
      'script/script': { act: { tries: 16, solved: 15.4, at: 0 } },
      'sky/large': { chat: { tries: 16, solved: 0, at: 0 } },
    });
    expect(known['script/script']).toEqual({ chance: expect.closeTo(0.9), source: 'record' });
    expect(known['sky/large']).toMatchObject({ source: 'price' });
  });
});
