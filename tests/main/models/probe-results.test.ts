import { describe, expect, it } from 'vitest';
import type { KeptCard } from '@shared/models/probe-card.ts';
import { settingsSchema } from '@shared/settings/settings.ts';
import { createProbeResults } from '../../../src/main/models/probe-model.ts';
import type { ProbeResults } from '../../../src/main/models/probe-model.ts';
import { loopModel } from '../../fakes/agent-kit.ts';
import type { StoredModel } from '../../../src/main/models/files/stored-model.ts';

const never = new AbortController().signal;

/** Files by name with their digests. A new digest means another file. */
function resultsFor(files: Map<string, string>): ProbeResults {
  const cards = new Map<string, KeptCard>();
  return createProbeResults({
    cards: {
      find: async (key) => cards.get(key) ?? null,
      keep: async (key, card) => void cards.set(key, card),
    },
    digests: { known: async (path) => files.get(path) ?? null, of: async ([path]) => files.get(path) ?? '' },
    store: { find: async (name) => stored(name, files.has(name)) },
    settings: () => settingsSchema.parse({ providers: { 'llama-server': { kind: 'llama-server' } } }),
  });
}

function stored(name: string, isInstalled: boolean): StoredModel {
  return {
    name,
    label: name,
    isInstalled,
    isStarter: false,
    path: isInstalled ? name : null,
    origin: 'folder',
    place: name,
    files: [name],
    hereBytes: 1,
    bytes: 1,
    contextTokens: null,
    parametersB: null,
    strategies: [],
    efforts: [],
    license: null,
    sha256: null,
  };
}

const card: KeptCard = {
  model: 'llama-server/large',
  contextTokens: 4096,
  calls: [],
  callStyle: null,
  toolBudget: null,
  edit: null,
  tasks: { recipe: { passed: 0, of: 2 }, loop: null },
  strategies: [],
  speeds: [],
  needle: null,
  drafts: { on: 'build 1', plain: [10], ways: [], best: 'llama-cpp/small', sha256: 'b' },
  promptForm: 'short',
  temperature: 0,
  notes: [],
  at: 0,
  seconds: 1,
  sessionId: 's',
};

describe('the probe results of a model in llama-server', () => {
  it('are kept by its file, apart from those for the built-in engine', async () => {
    const files = new Map([
      ['large', 'a'],
      ['small', 'b'],
    ]);
    const results = resultsFor(files);
    await results.keep(await results.key('llama-server/large', never), card);
    expect(await results.card('llama-server/large')).toEqual(card);
    expect(await results.card('llama-cpp/large')).toBeNull();
    files.set('large', 'another');
    expect(await results.card('llama-server/large')).toBeNull();
  });

  it('add the digest of a model file that is on this machine', async () => {
    const files = new Map([['large', 'a']]);
    const results = resultsFor(files);
    const info = { ...loopModel, id: 'llama-server/large', provider: 'llama-server' };
    expect((await results.driven(info)).digest).toBe('a');
    files.set('large', 'another');
    expect((await results.driven(info)).digest).toBe('another');
    expect(await results.driven({ ...info, isElsewhere: true })).not.toHaveProperty('digest');
    expect(await results.driven({ ...info, id: 'sky/model', provider: 'sky' })).not.toHaveProperty('digest');
  });

  it('report a draft model that is gone or another file', async () => {
    const files = new Map([
      ['large', 'a'],
      ['small', 'b'],
    ]);
    const results = resultsFor(files);
    expect(await results.drafts('llama-server/large')).toBeNull();
    await results.keep(await results.key('llama-server/large', never), card);
    const verdict = { on: 'build 1', best: 'llama-cpp/small' };
    expect(await results.drafts('llama-server/large')).toEqual({ ...verdict, hasSameFile: true });
    files.set('small', 'c');
    expect(await results.drafts('llama-server/large')).toEqual({ ...verdict, hasSameFile: false });
    files.delete('small');
    expect(await results.drafts('llama-server/large')).toEqual({ ...verdict, hasSameFile: false });
  });
});
