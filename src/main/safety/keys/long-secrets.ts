import { randomBytes } from 'node:crypto';
import { AppError } from '@shared/errors.ts';
import { z } from 'zod';
import type { KeyStore, StoreState } from './key-store.ts';
import { orNoted } from '../../lib/log.ts';

/**
 * Secrets of any length in the system's key store. They are read each time, because other processes change them too. A
 * writer must make sure that no other process writes the same secret meanwhile.
 */
export interface LongSecrets {
  /** Each call rejects with `missing-key` if the store does not open. */
  readonly check: () => Promise<void>;
  readonly read: (name: string) => Promise<string | null>;
  /** All or nothing: after a failure or a crash, the old value is still there. */
  readonly write: (name: string, value: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
}

/** Windows limits a secret to 2,560 bytes. */
const longestPart = 2_000;
const readTries = 4;

/**
 * What is stored under the name itself: the value, or the names of its parts. Encoded in letters that every store
 * keeps.
 */
const headSchema = z.union([z.object({ value: z.string() }), z.object({ parts: z.array(z.string()) })]);
type Head = z.infer<typeof headSchema>;

export function createLongSecrets(store: KeyStore): LongSecrets {
  const get = async (name: string): Promise<string | null> => {
    const got = await store.get(name);
    if (got.type === 'stored') return got.value;
    if (got.type === 'absent') return null;
    throw notOpen(got);
  };
  const put = async (name: string, value: string): Promise<void> => {
    const state = await store.set(name, value);
    if (state.type !== 'ready') throw notOpen(state);
  };
  const headOf = async (name: string): Promise<Head | null> => {
    const text = await get(name);
    return text === null ? null : parsedHead(text);
  };
  const drop = async (names: readonly string[]): Promise<void> => {
    // Parts that no name refers to any more do no harm.
    for (const name of names)
      await store.remove(name).catch(orNoted('A part of an old secret was not removed from the key store', undefined));
  };
  return {
    check: async () => {
      const state = await store.state();
      if (state.type !== 'ready') throw notOpen(state);
    },
    read: async (name) => {
      for (let left = readTries; ; left -= 1) {
        const head = await headOf(name);
        if (head === null) return null;
        if ('value' in head) return textOf(head.value);
        const parts: (string | null)[] = [];
        for (const part of head.parts) parts.push(await get(part));
        if (parts.every((part) => part !== null)) return textOf(parts.join(''));
        // Another process has just replaced the value.
        if (left <= 1) throw new AppError('bad-input', 'A secret in your key store is not whole.');
      }
    },
    write: async (name, value) => {
      const before = await headOf(name);
      const bytes = Buffer.from(value, 'utf8').toString('base64url');
      const pieces = bytes.match(new RegExp(`.{1,${longestPart}}`, 'gu')) ?? [];
      const mark = randomBytes(4).toString('hex');
      const names = pieces.length <= 1 ? [] : pieces.map((_, at) => `${name}.${mark}.${at}`);
      try {
        for (const [at, part] of names.entries()) await put(part, pieces[at] ?? '');
      } catch (error) {
        await drop(names);
        throw error;
      }
      // If this call fails, the store may have taken the value anyway; then it refers to the new parts, so they are
      // kept.
      await put(name, JSON.stringify(names.length === 0 ? { value: bytes } : { parts: names }));
      await drop(partsOf(before));
    },
    remove: async (name) => {
      const before = await headOf(name);
      if (before === null) return;
      const state = await store.remove(name);
      if (state.type !== 'ready') throw notOpen(state);
      await drop(partsOf(before));
    },
  };
}

const textOf = (bytes: string): string => Buffer.from(bytes, 'base64url').toString('utf8');

const partsOf = (head: Head | null): readonly string[] => (head !== null && 'parts' in head ? head.parts : []);

/**
 * Anything else under the name is treated as a secret without parts: it can be replaced and removed, and is never
 * quoted.
 */
function parsedHead(text: string): Head {
  try {
    return headSchema.parse(JSON.parse(text));
  } catch {
    return { parts: [] };
  }
}

function notOpen({ message, hint }: Exclude<StoreState, { type: 'ready' }>): AppError {
  return new AppError('missing-key', message, { hint });
}
