import { randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { EndpointClient } from '@shared/contract/endpoint-contract.ts';
import { readJsonFile, writeJsonFile } from '../lib/files/json-file.ts';
import { sha256Of } from '../lib/sha256.ts';

const clientSchema = z.object({
  name: z.string(),
  /** The hash of its key. A key has 256 random bits, so the hash needs no salt and no delay. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  mayLeave: z.boolean(),
  createdAt: z.number(),
  lastUsedAt: z.number().nullable(),
  /** The log of its calls; null: it has made none. */
  logId: z.string().nullable(),
});
export type KnownClient = z.infer<typeof clientSchema>;

const fileSchema = z.object({ version: z.literal(1), clients: z.array(clientSchema) });

/** The programs that may call, stored in one file of the home. Concurrent changes run one after the other. */
export interface ClientKeys {
  readonly list: () => Promise<readonly EndpointClient[]>;
  /** Null: no client has this key. */
  readonly find: (key: string) => Promise<KnownClient | null>;
  /** Rejects with `conflict` if the name is taken. The key exists only in this answer. */
  readonly add: (client: { readonly name: string; readonly mayLeave: boolean }) => Promise<{
    readonly client: EndpointClient;
    readonly key: string;
  }>;
  /** Rejects with `not-found`. */
  readonly remove: (name: string) => Promise<void>;
  /** Records a use; `logId`: the log of its calls from now on. Does nothing if the client was removed meanwhile. */
  readonly note: (name: string, used: { readonly at: number; readonly logId: string }) => Promise<void>;
}

export function createClientKeys(path: string, now: () => number): ClientKeys {
  let busy: Promise<unknown> = Promise.resolve();
  let known: readonly KnownClient[] | null = null;
  const read = async (): Promise<readonly KnownClient[]> => {
    known ??= await readClients(path);
    return known;
  };
  const change = <T>(work: (clients: readonly KnownClient[]) => Change<T>): Promise<T> => {
    const changed = busy.then(async () => {
      const { clients, answer } = work(await read());
      await writeJsonFile(path, { version: 1, clients });
      known = clients;
      return answer;
    });
    busy = changed.catch(() => undefined);
    return changed;
  };
  return {
    list: async () => (await read()).map(shown),
    find: async (key) => {
      const given = Buffer.from(sha256Of(key), 'hex');
      // Compares all keys in constant time, so that the time does not reveal how much of a key was right.
      const [found = null] = (await read()).filter(({ sha256 }) => timingSafeEqual(given, Buffer.from(sha256, 'hex')));
      return found;
    },
    add: ({ name, mayLeave }) =>
      change((clients) => {
        if (clients.some((client) => client.name === name)) {
          throw new AppError('conflict', `There is a key for ${name} already.`, {
            hint: `Choose another name, or revoke it: dewpoint serve keys revoke ${name}`,
          });
        }
        const key = `dew-${randomBytes(32).toString('base64url')}`;
        const client = { name, sha256: sha256Of(key), mayLeave, createdAt: now(), lastUsedAt: null, logId: null };
        return { clients: [...clients, client], answer: { client: shown(client), key } };
      }),
    remove: (name) =>
      change((clients) => {
        const left = clients.filter((client) => client.name !== name);
        if (left.length === clients.length) {
          const hint = 'Run `dewpoint serve keys list` to see the keys.';
          throw new AppError('not-found', `There is no key for ${name}.`, { hint });
        }
        return { clients: left, answer: undefined };
      }),
    note: (name, { at, logId }) =>
      change((clients) => ({
        clients: clients.map((client) => (client.name === name ? { ...client, lastUsedAt: at, logId } : client)),
        answer: undefined,
      })),
  };
}

interface Change<T> {
  readonly clients: readonly KnownClient[];
  readonly answer: T;
}

/** A file that cannot be read lets nobody in, and is not overwritten. */
async function readClients(path: string): Promise<readonly KnownClient[]> {
  const file = await readJsonFile(path, (value) => fileSchema.parse(value));
  if (file.type === 'missing') return [];
  if (file.type === 'value') return file.value.clients;
  throw new AppError('bad-input', `The keys of the endpoint cannot be read: ${file.reason}.`, {
    hint: `Repair ${path}, or remove it and make new keys.`,
  });
}

function shown({ name, mayLeave, createdAt, lastUsedAt }: KnownClient): EndpointClient {
  return { name, mayLeave, createdAt, lastUsedAt };
}
