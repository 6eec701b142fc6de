import { AppError } from '@shared/errors.ts';
import type { SignOutRevocation } from '@shared/tools/server-definition.ts';
import { clientForm } from './client-form.ts';
import type { KeptSignIns, SignIn } from './kept-sign-ins.ts';
import { UnreadableNote } from './kept-sign-ins.ts';
import { loadOauth, type Oauth } from './oauth-errors.ts';
import { currentSignIn, type UnkeptSignIns } from './refresh-sign-in.ts';
import { noteFailure } from '../../lib/log.ts';

export interface SignOutParts {
  readonly kept: KeptSignIns;
  readonly unkept: UnkeptSignIns;
  readonly reach: (serverUrl: string, signal: AbortSignal) => Promise<{ readonly reach: typeof fetch }>;
}

/** Tells the service, and deletes the kept sign-in whatever the service answers. Null: nobody was signed in. */
export async function signOut(
  { kept, unkept, reach }: SignOutParts,
  server: string,
  signal: AbortSignal,
): Promise<SignOutRevocation | null> {
  // An unreadable note is also removed, because the user asked for it. The stored tokens then say whose they are.
  const note = await kept.note(server).catch((error: unknown): 'unreadable' => {
    if (error instanceof UnreadableNote) return 'unreadable';
    throw error;
  });
  if (note === null) return null;
  const work = async (): Promise<SignOutRevocation> => {
    // Unreadable tokens cannot be revoked at the service, but are deleted here.
    const read = note === 'unreadable' ? kept.stored(server) : currentSignIn({ kept, unkept }, server, note.serverUrl);
    const signIn = await read.catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'bad-input') return null;
      throw error;
    });
    const outcome =
      signIn === null
        ? 'failed'
        : await revoke(await loadOauth(), signIn, (await reach(signIn.serverUrl, signal)).reach);
    await kept.remove(server);
    unkept.delete(server);
    return outcome;
  };
  // Under the lock, because a running renewal would store again what is deleted.
  return kept.locked(server, work, signal);
}

/** Tells the service that a sign-in is over (RFC 7009). Never rejects. */
async function revoke(
  oauth: Oauth,
  { metadata, client, refreshToken, accessToken }: SignIn,
  reach: typeof fetch,
): Promise<SignOutRevocation> {
  const { revocation_endpoint: address, token_endpoint_auth_methods_supported: methods } = metadata;
  if (address === undefined) return 'unsaid';
  const fields = {
    token: refreshToken ?? accessToken,
    token_type_hint: refreshToken === null ? 'access_token' : 'refresh_token',
  };
  try {
    const { ok } = await reach(address, clientForm(oauth, { client, methods, fields }));
    return ok ? 'done' : 'failed';
  } catch (error) {
    // The sign-out continues: what is kept here is deleted.
    noteFailure('A sign-out was not told to the server', error);
    return 'failed';
  }
}
