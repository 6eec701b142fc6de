import type { ClientCore } from '../../fakes/core-client.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../src/shared/errors.ts';
import type { ProbeProgress } from '../../../src/shared/models/probe-card.ts';
import { itemsOf, openClientCore } from '../../fakes/core-client.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

let home: string;
let core: ClientCore;

const open = (): Promise<ClientCore> =>
  openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-probe-'));
  core = await open();
  await core.client.settings.set({
    key: 'providers.script',
    value: {
      kind: 'scripted',
      replies: [{ text: '    return a + b or range(1, n + 1)', delayMs: 0 }],
      repeat: true,
    },
  });
});

afterEach(async () => {
  await core.dispose();
  await rm(home, { recursive: true, force: true });
});

const probe = (id: string): Promise<readonly ProbeProgress[]> => itemsOf(core.client.models.probe({ id }));

describe('a probe', () => {
  it('is kept and shown with its model, and decides how the model is driven', async () => {
    expect((await core.client.models.show({ id: 'script/script', fit: false })).info?.strategies).toEqual(['loop']);
    const seen = await probe('script/script');
    expect(seen.at(-1)?.card).toMatchObject({
      model: 'script/script',
      callStyle: null,
      tasks: { recipe: { passed: 2, of: 2 }, loop: null },
      strategies: ['recipe'],
    });
    const { card, info } = await core.client.models.show({ id: 'script/script', fit: false });
    expect(card).toEqual(seen.at(-1)?.card);
    expect(info).toMatchObject({ strategies: ['recipe'], driving: { promptForm: 'full' } });
    await core.dispose();
    core = await open();
    expect((await core.client.models.show({ id: 'script/script', fit: false })).card).toEqual(card);
  });

  it('is a session that can be read and replayed', async () => {
    const card = (await probe('script/script')).at(-1)?.card;
    const sessions = await core.client.sessions.list();
    expect(sessions).toMatchObject([{ sessionId: card?.sessionId, title: expect.stringContaining('Probe of') }]);
    expect(await core.client.sessions.replay({ sessionId: card?.sessionId ?? '' })).toMatchObject({
      matched: true,
      firstDifference: null,
    });
  });

  it('gives way to the settings of a person, entry by entry', async () => {
    await probe('script/script');
    const systemText = 'Speak plainly.';
    await core.client.settings.set({
      key: 'models',
      value: {
        'script/script': { strategies: ['loop'], calls: 'text', topP: 0.5, systemText },
      },
    });
    expect((await core.client.models.show({ id: 'script/script', fit: false })).info).toMatchObject({
      strategies: ['loop'],
      driving: { promptForm: 'full', calls: 'text', topP: 0.5, systemText },
    });
    await expect(
      core.client.settings.set({ key: 'models', value: { 'script/script': { calls: 'telepathy' } } }),
    ).rejects.toMatchObject({ data: { code: 'bad-input' } });
  });

  it('keeps nothing when it is cancelled or its model is missing', async () => {
    const stop = new AbortController();
    const probing = await core.client.models.probe({ id: 'script/script' }, { signal: stop.signal });
    for await (const _progress of probing) stop.abort();
    expect((await core.client.models.show({ id: 'script/script', fit: false })).card).toBeUndefined();
    await expect(probe('llama-cpp/none')).rejects.toMatchObject({ data: { code: 'missing-model' } });
    await expect(probe('nobody/x')).rejects.toMatchObject({ data: { code: 'missing-model' } });
  });
});
