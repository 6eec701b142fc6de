import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../src/shared/errors.ts';
import type { ProbeProgress } from '../../../src/shared/models/probe-card.ts';
import type { CoreApi } from '../../../src/main/server/core-api.ts';
import { compose } from '../../../src/main/compose.ts';
import { createMemorySandbox } from '../../../src/main/sandbox/memory/memory-sandbox.ts';

const never = new AbortController().signal;
let home: string;
let core: CoreApi;

const open = (): Promise<CoreApi> =>
  compose({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-probe-'));
  core = await open();
  await core.setSetting('providers.script', {
    kind: 'scripted',
    replies: [{ text: '    return a + b or range(1, n + 1)', delayMs: 0 }],
    repeat: true,
  });
});

afterEach(async () => {
  await core.dispose();
  await rm(home, { recursive: true, force: true });
});

async function probe(id: string): Promise<readonly ProbeProgress[]> {
  const seen: ProbeProgress[] = [];
  await core.probeModel(id, (progress) => void seen.push(progress), never);
  return seen;
}

describe('a probe', () => {
  it('is kept for the model, shown with it, and decides how it is driven from then on', async () => {
    expect((await core.showModel('script/script', false, never)).info?.strategies).toEqual(['loop']);
    const seen = await probe('script/script');
    expect(seen.at(-1)?.card).toMatchObject({
      model: 'script/script',
      callStyle: null,
      tasks: { recipe: { passed: 2, of: 2 }, loop: null },
      strategies: ['recipe'],
    });
    const { card, info } = await core.showModel('script/script', false, never);
    expect(card).toEqual(seen.at(-1)?.card);
    expect(info).toMatchObject({ strategies: ['recipe'], driving: { promptForm: 'full' } });
    await core.dispose();
    core = await open();
    expect((await core.showModel('script/script', false, never)).card).toEqual(card);
  });

  it('is a session like any other, which can be read and replayed', async () => {
    const card = (await probe('script/script')).at(-1)?.card;
    const sessions = await core.listSessions();
    expect(sessions).toMatchObject([{ sessionId: card?.sessionId, title: expect.stringContaining('Probe of') }]);
    expect(await core.replay(card?.sessionId ?? '', never)).toMatchObject({ matched: true, firstDifference: null });
  });

  it('gives way to what a person says of the model, entry by entry', async () => {
    await probe('script/script');
    const systemText = 'Speak plainly.';
    await core.setSetting('models', {
      'script/script': { strategies: ['loop'], calls: 'text', topP: 0.5, systemText },
    });
    expect((await core.showModel('script/script', false, never)).info).toMatchObject({
      strategies: ['loop'],
      driving: { promptForm: 'full', calls: 'text', topP: 0.5, systemText },
    });
    await expect(core.setSetting('models', { 'script/script': { calls: 'telepathy' } })).rejects.toMatchObject({
      code: 'bad-input',
    });
  });

  it('keeps nothing when it is cancelled or the model is not there', async () => {
    const stop = new AbortController();
    const probing = core.probeModel('script/script', () => stop.abort(), stop.signal);
    await expect(probing).rejects.toThrow();
    expect((await core.showModel('script/script', false, never)).card).toBeUndefined();
    await expect(probe('llama-cpp/none')).rejects.toMatchObject({ code: 'missing-model' });
    await expect(probe('nobody/x')).rejects.toMatchObject({ code: 'missing-model' });
  });
});
