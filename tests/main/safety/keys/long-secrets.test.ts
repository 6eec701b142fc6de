import { describe, expect, it } from 'vitest';
import type { KeyStore, StoreState } from '../../../../src/main/safety/keys/key-store.ts';
import { createLongSecrets } from '../../../../src/main/safety/keys/long-secrets.ts';

/** A store like that of Windows: no secret of more than 2,560 bytes. It refuses all writes after `takes`. */
function smallStore(takes = Number.POSITIVE_INFINITY) {
  const table = new Map<string, string>();
  const locked: StoreState = { type: 'locked', message: 'Your system’s key store is locked.', hint: 'Unlock it.' };
  const state = { takes, isLocked: false };
  const store: KeyStore = {
    state: async () => (state.isLocked ? locked : { type: 'ready' }),
    get: async (name) => {
      if (state.isLocked) return locked;
      const value = table.get(name);
      return value === undefined ? { type: 'absent' } : { type: 'stored', value };
    },
    has: async () => new Set(),
    set: async (name, value) => {
      state.takes -= 1;
      if (state.isLocked || state.takes < 0) return locked;
      if (Buffer.byteLength(value) > 2_560) throw new Error('The stub received bad data.');
      table.set(name, value);
      return { type: 'ready' };
    },
    remove: async (name) => {
      table.delete(name);
      return { type: 'ready' };
    },
  };
  return { store, table, state };
}

const long = (mark: string): string => `${mark} ключ "quoted"\n`.repeat(600);

describe('a secret in the key store', () => {
  it('is kept whole when it is longer than an entry, and leaves nothing behind when removed', async () => {
    const { store, table } = smallStore();
    const secrets = createLongSecrets(store);
    expect(await secrets.read('one')).toBeNull();
    for (const value of ['short', long('a'), long('b'), '', 'short again']) {
      await secrets.write('one', value);
      expect(await secrets.read('one')).toBe(value);
    }
    expect(table.size).toBe(1);
    await secrets.write('one', long('c'));
    await secrets.remove('one');
    expect(table.size).toBe(0);
  });

  // Bug: a value that another program had stored under the name could be neither replaced nor removed, and the error
  // quoted it.
  it.each(['no JSON sw0rdfish', 'null', '{"parts":5}'])(
    'can be replaced and removed when its entry is damaged (%s)',
    async (text) => {
      const { store, table } = smallStore();
      const secrets = createLongSecrets(store);
      table.set('one', text);
      expect(await secrets.read('one')).toBe('');
      await secrets.write('one', 'new');
      expect(await secrets.read('one')).toBe('new');
      table.set('one', text);
      await secrets.remove('one');
      expect(table.size).toBe(0);
    },
  );

  it('keeps its whole old value when the store fails in the middle of a change', async () => {
    for (let takes = 0; takes < 10; takes += 1) {
      const { store, table, state } = smallStore();
      const secrets = createLongSecrets(store);
      await secrets.write('one', long('old'));
      const { size } = table;
      state.takes = takes;
      await expect(secrets.write('one', long('new'))).rejects.toMatchObject({ code: 'missing-key' });
      expect(await secrets.read('one')).toBe(long('old'));
      if (takes < 9) expect(table.size).toBe(size);
    }
  });

  it('is not reported as absent when the store is locked', async () => {
    const { store, state } = smallStore();
    const secrets = createLongSecrets(store);
    state.isLocked = true;
    for (const call of [secrets.check(), secrets.read('one'), secrets.write('one', 'x'), secrets.remove('one')])
      await expect(call).rejects.toMatchObject({ code: 'missing-key', hint: 'Unlock it.' });
  });
});
