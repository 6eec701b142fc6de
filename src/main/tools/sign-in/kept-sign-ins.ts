import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import { withFileLock } from '../../lib/files/file-lock.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import type { LongSecrets } from '../../safety/keys/long-secrets.ts';

/** The whole outcome of a sign-in, stored as one secret, so that a crash cannot separate its parts. */
const signInSchema = z.object({
  /** The tool server that it is for. Other addresses get nothing of it. */
  serverUrl: z.string(),
  resource: z.string().nullable(),
  authorizationServer: z.string(),
  metadata: z.object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string().optional(),
    response_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  }),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  /** Null: the service did not say. */
  expiresAt: z.number().nullable(),
  scope: z.string().nullable(),
});
export type SignIn = z.infer<typeof signInSchema>;

/** Facts about a sign-in that can be shown without opening the key store. None of them is secret. */
const noteSchema = z.object({
  serverUrl: z.string(),
  issuer: z.string(),
  scope: z.string().nullable(),
  at: z.number(),
  /** Why it is no longer usable. Null: as far as known, it is. */
  ended: z.string().nullable(),
  /** Rights that the server asked for beyond the granted ones. */
  wanted: z.string().nullable(),
});
export type SignInNote = z.infer<typeof noteSchema>;

export interface KeptSignIns {
  /** Null: there is none. Rejects with `UnreadableNote` if the file cannot be read. */
  readonly note: (server: string) => Promise<SignInNote | null>;
  readonly changeNote: (server: string, change: Partial<Pick<SignInNote, 'ended' | 'wanted'>>) => Promise<void>;
  /** The sign-in in the store. Null: none for this address. Does not open the store if nobody ever signed in. */
  readonly read: (server: string, serverUrl: string) => Promise<SignIn | null>;
  /** The sign-in in the store, for any address. */
  readonly stored: (server: string) => Promise<SignIn | null>;
  readonly write: (server: string, signIn: SignIn) => Promise<void>;
  /** Keeps an unreadable note beside the new one. */
  readonly begin: (server: string, signIn: SignIn, at: number) => Promise<void>;
  readonly remove: (server: string) => Promise<void>;
  /** Lets one process of this machine at a time change the sign-in of a server. Only the signal ends the wait. */
  readonly locked: <T>(server: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
}

/** The note of a sign-in cannot be read. It is deleted or replaced only when the user asks for that. */
export class UnreadableNote extends AppError {
  constructor(server: string, path: string) {
    super('bad-input', `What is kept of the sign-in to ${server} cannot be read: ${path}. It was left as it is.`, {
      hint: `Sign in again: dewpoint tools sign-in ${server}. The file is then kept beside the new one.`,
    });
  }
}

/** Shorter than for other locks, because a request is waiting. */
const pollMs = 30;

export function createKeptSignIns(folder: string, secrets: LongSecrets): KeptSignIns {
  const fileOf = (server: string): string => join(folder, server, 'sign-in.json');
  const secretKey = (server: string): string => `tools.${server}.sign-in`;
  const note = async (server: string): Promise<SignInNote | null> => {
    const file = await readJsonFile(fileOf(server), (value) => noteSchema.nullable().parse(value));
    if (file.type === 'damaged') throw new UnreadableNote(server, fileOf(server));
    return file.type === 'value' ? file.value : null;
  };
  const stored = async (server: string): Promise<SignIn | null> => {
    const text = await secrets.read(secretKey(server));
    return text === null ? null : parsed(server, text);
  };
  const replaceNote = async (server: string, value: SignInNote | null): Promise<void> => {
    const path = fileOf(server);
    const isReadable = await note(server).then(
      () => true,
      () => false,
    );
    if (!isReadable) await rename(path, `${path}.unreadable-${randomBytes(4).toString('hex')}`);
    await writeJsonFile(path, value);
  };
  const write = (server: string, signIn: SignIn): Promise<void> =>
    secrets.write(secretKey(server), JSON.stringify(signIn));
  return {
    note,
    stored,
    write,
    changeNote: async (server, change) => {
      const before = await note(server);
      if (before !== null) await writeJsonFile(fileOf(server), { ...before, ...change });
    },
    read: async (server, serverUrl) => {
      if ((await note(server)) === null) return null;
      const signIn = await stored(server);
      return signIn?.serverUrl === serverUrl ? signIn : null;
    },
    begin: async (server, signIn, at) => {
      const { serverUrl, metadata, scope } = signIn;
      await write(server, signIn);
      const begun: SignInNote = { serverUrl, issuer: metadata.issuer, scope, at, ended: null, wanted: null };
      await replaceNote(server, begun);
    },
    remove: async (server) => {
      await secrets.remove(secretKey(server));
      await replaceNote(server, null);
    },
    locked: (server, work, signal = neverAborts) =>
      withFileLock(join(folder, server, 'sign-in.lock'), { signal, onWait: () => undefined, pollMs }, work),
  };
}

function parsed(server: string, text: string): SignIn {
  try {
    return signInSchema.parse(JSON.parse(text));
  } catch {
    // The text is a secret, so the error does not quote it.
    throw new AppError('bad-input', `The sign-in of ${server} in your key store cannot be read. It was left there.`, {
      hint: `Sign in again: dewpoint tools sign-in ${server}`,
    });
  }
}
