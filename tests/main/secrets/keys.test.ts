import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyClient } from '../../../src/main/secrets/key-client.ts';
import type { KeyStore } from '../../../src/main/secrets/key-store.ts';
import { createKeyStore } from '../../../src/main/secrets/key-store.ts';
import type { Keys } from '../../../src/main/secrets/keys.ts';
import { createKeys } from '../../../src/main/secrets/keys.ts';

let folder = '';
const ends: (() => void)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-keys-'));
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(folder, { recursive: true, force: true });
});

function storeThat(mode = '', patienceMs = 30_000): KeyStore {
  const client = createKeyClient({
    nodePath: process.execPath,
    processPath: join(import.meta.dirname, '../../fakes/fake-key-process.mjs'),
    env: { ...process.env, FAKE_KEY_MODE: mode, FAKE_KEY_FILE: join(folder, 'keys.json') },
  });
  ends.push(client.dispose);
  return createKeyStore({ client, service: 'test', patienceMs, setPatienceMs: patienceMs });
}

describe('the key store of the system', () => {
  it('keeps a key, gives it back, and says that a removed one is absent', async () => {
    const store = storeThat();
    expect(await store.set('openai', 'k1')).toEqual({ type: 'ready' });
    expect(await store.get('openai')).toEqual({ type: 'stored', value: 'k1' });
    await store.remove('openai');
    expect(await store.get('openai')).toEqual({ type: 'absent' });
  });

  it.each([
    ['locked', 'locked'],
    ['hang', 'locked'],
    ['no-bus', 'unavailable'],
    ['crash', 'unavailable'],
    ['not-loaded', 'unavailable'],
  ])('that does what "%s" says is %s in every call, never absent', async (mode, type) => {
    const store = storeThat(mode, mode === 'hang' ? 100 : 30_000);
    const answers = [await store.state(), await store.get('a'), await store.set('a', 'v'), await store.remove('a')];
    expect(answers.map((answer) => answer.type)).toEqual([type, type, type, type]);
  });

  it('that is locked in the middle is locked from then on, and works again when it is opened', async () => {
    await storeThat().set('openai', 'k1');
    expect((await storeThat('locked').get('openai')).type).toBe('locked');
    expect(await storeThat().get('openai')).toEqual({ type: 'stored', value: 'k1' });
  });
});

describe('the key of a provider', () => {
  const learned: string[] = [];
  const keysWith = (store: KeyStore, env: Record<string, string> = {}): Keys =>
    createKeys({ store, env, learn: ({ value }) => learned.push(value), dispose: () => undefined });
  const owner = { provider: 'openai', variable: 'OPENAI_API_KEY' };

  it('comes from the environment first, then from this run, then from the store, and every value is made known', async () => {
    const store = storeThat();
    await store.set('openai', 'from the store');
    const keys = keysWith(store);
    expect(await keys.find(owner)).toMatchObject({ value: 'from the store', source: 'store' });
    keys.setForThisRun('openai', 'from this run');
    expect(await keys.find(owner)).toMatchObject({ value: 'from this run', source: 'this-run' });
    const withVariable = keysWith(store, { OPENAI_API_KEY: 'from the environment' });
    expect(await withVariable.find(owner)).toMatchObject({ value: 'from the environment', source: 'environment' });
    expect(learned).toEqual(expect.arrayContaining(['from the store', 'from this run', 'from the environment']));
  });

  it('is found in the environment although the store does not answer', async () => {
    const keys = keysWith(storeThat('hang', 50), { OPENAI_API_KEY: 'k' });
    expect(await keys.find(owner)).toMatchObject({ source: 'environment' });
    expect((await keys.list([owner])).sources).toEqual([{ owner, source: 'environment' }]);
  });
});
