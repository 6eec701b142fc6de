import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { removedKeyRestoreMs } from '../../../../src/shared/safety/removed-key.ts';
import { createKeyClient } from '../../../../src/main/safety/keys/key-client.ts';
import type { KeyStore, StoreState } from '../../../../src/main/safety/keys/key-store.ts';
import { createKeyStore } from '../../../../src/main/safety/keys/key-store.ts';
import type { Keys } from '../../../../src/main/safety/keys/provider-keys.ts';
import { createKeys } from '../../../../src/main/safety/keys/provider-keys.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

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
  // No environment variable of the test would reach the key process.
  const processPath = join(folder, `key-process-${mode}.mjs`);
  const fake = pathToFileURL(join(import.meta.dirname, '../../../fakes/fake-key-process.mjs')).href;
  const variables = JSON.stringify({ FAKE_KEY_MODE: mode, FAKE_KEY_FILE: join(folder, 'keys.json') });
  writeFileSync(processPath, `Object.assign(process.env, ${variables});\nawait import('${fake}');\n`);
  const client = createKeyClient({ nodePath: process.execPath, processPath, programs: testPrograms() });
  ends.push(client.dispose);
  return createKeyStore({ client, service: 'test', patienceMs, setPatienceMs: patienceMs });
}

describe('the key store of the system', () => {
  it('keeps a key, returns it, and reports a removed key as absent', async () => {
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
  ])('that answers "%s" is %s in every call, never absent', async (mode, type) => {
    const store = storeThat(mode, mode === 'hang' ? 100 : 30_000);
    const answers = [await store.state(), await store.get('a'), await store.set('a', 'v'), await store.remove('a')];
    expect(answers.map((answer) => answer.type)).toEqual([type, type, type, type]);
  });

  it('that is locked in the middle stays locked until it is opened', async () => {
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

  it('comes from the environment first, then from this run, then from the store', async () => {
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

  it('is found in the environment even if the store does not answer', async () => {
    const keys = keysWith(storeThat('hang', 50), { OPENAI_API_KEY: 'k' });
    expect(await keys.find(owner)).toMatchObject({ source: 'environment' });
    expect((await keys.list([owner])).sources).toEqual([{ owner, source: 'environment' }]);
  });

  it('can be put back once after it was removed, and never over another key', async () => {
    const store = storeThat();
    await store.set('openai', 'from the store');
    const keys = keysWith(store);
    keys.setForThisRun('openai', 'from this run');
    expect(await keys.remove('openai')).toEqual({ type: 'ready' });
    expect([await keys.find(owner), await store.get('openai')]).toEqual([{ type: 'absent' }, { type: 'absent' }]);
    expect(await keys.restore('openai')).toEqual({ type: 'ready' });
    expect(await keys.find(owner)).toMatchObject({ value: 'from this run' });
    expect(await store.get('openai')).toEqual({ type: 'stored', value: 'from the store' });
    expect(await keys.restore('openai')).toBeNull();
    await keys.remove('openai');
    await keys.set('openai', 'another');
    expect(await keys.restore('openai')).toBeNull();
    expect(await keys.find(owner)).toMatchObject({ value: 'another' });
  });

  it('set for this run can be removed and put back without a store', async () => {
    const keys = keysWith(storeThat('no-bus'));
    keys.setForThisRun('openai', 'from this run');
    expect(await keys.remove('openai')).toEqual({ type: 'ready' });
    expect((await keys.find(owner)).type).toBe('unavailable');
    expect(await keys.restore('openai')).toEqual({ type: 'ready' });
    expect(await keys.find(owner)).toMatchObject({ value: 'from this run' });
  });

  it('can no longer be put back a minute after it was removed, or when the program ends', async () => {
    vi.useFakeTimers();
    try {
      const held = new Map([['openai', 'k']]);
      const ready: StoreState = { type: 'ready' };
      const keys = keysWith({
        state: async () => ready,
        get: async (name) => {
          const value = held.get(name);
          return value === undefined ? { type: 'absent' } : { type: 'stored', value };
        },
        has: async () => new Set(held.keys()),
        set: async (name, value) => (held.set(name, value), ready),
        remove: async (name) => (held.delete(name), ready),
      });
      await keys.remove('openai');
      vi.advanceTimersByTime(removedKeyRestoreMs - 1);
      expect(await keys.restore('openai')).toEqual(ready);
      await keys.remove('openai');
      vi.advanceTimersByTime(removedKeyRestoreMs);
      expect(await keys.restore('openai')).toBeNull();
      held.set('openai', 'k');
      await keys.remove('openai');
      keys.dispose();
      expect(await keys.restore('openai')).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });
});
