import type { OAuthTokens } from '@modelcontextprotocol/client';
import { AppError } from '@shared/errors.ts';
import { neverAborts, sleep } from '../../lib/async/abort.ts';
import type { KeptSignIns, SignIn } from './kept-sign-ins.ts';
import type { Oauth } from './oauth-errors.ts';
import { isDead, reasonOf } from './oauth-errors.ts';
import { noteFailure } from '../../lib/log.ts';

/** Sign-ins that could not be stored. They are used from memory, and stored later unless they are replaced. */
export type UnkeptSignIns = Map<string, UnkeptSignIn>;

interface UnkeptSignIn {
  readonly signIn: SignIn;
  /** The token in the store when this one was issued. It is still there unless another process replaced it. */
  readonly replaces: string;
}

/**
 * The valid sign-in; call it under the lock. It is the one that could not be stored, as long as the store still holds
 * what it replaces. Anything newer from another process counts instead.
 */
export async function currentSignIn(
  { kept, unkept }: Pick<RefreshOptions, 'kept' | 'unkept'>,
  server: string,
  serverUrl: string,
): Promise<SignIn | null> {
  const stored = await kept.read(server, serverUrl);
  const held = unkept.get(server);
  if (held === undefined) return stored;
  if (stored?.accessToken === held.replaces) return held.signIn;
  unkept.delete(server);
  return stored;
}

export interface RefreshOptions {
  readonly kept: KeptSignIns;
  /** Only for addresses that were checked when the user signed in. It has its own time limit. */
  readonly reach: (serverUrl: string) => Promise<typeof fetch>;
  readonly learn: (value: string) => void;
  readonly now: () => number;
  readonly unkept: UnkeptSignIns;
  /** Waits between attempts to store it. Tests make them few. */
  readonly writeAgainMs?: readonly number[];
}

export interface RefreshWish {
  readonly server: string;
  readonly serverUrl: string;
  /** The token that is no longer valid. If another process has already got a new one, that is used. */
  readonly stale: string;
}

/**
 * Renews a token that is no longer valid. One process of this machine at a time asks, and uses a newer sign-in from the
 * key store first. A service that gives out each refresh token once takes a second use for theft, and ends the sign-in.
 * Once sent, only the time limit ends the request, because its answer may be the only one. Nothing is deleted: only a
 * definite end is noted, not a temporary failure.
 */
export async function refreshSignIn(oauth: Oauth, options: RefreshOptions, wish: RefreshWish): Promise<SignIn> {
  const { kept, unkept } = options;
  const { server, serverUrl, stale } = wish;
  return kept.locked(server, async () => {
    const signIn = await currentSignIn(options, server, serverUrl);
    const held = unkept.get(server);
    if (held !== undefined) await keep(options, server, held);
    if (signIn === null || signIn.serverUrl !== serverUrl) throw new SignInNeeded(server);
    if (signIn.accessToken !== stale) return signIn;
    const ended = (await kept.note(server))?.ended ?? null;
    if (ended !== null) throw new SignInNeeded(server, ended);
    const { refreshToken } = signIn;
    if (refreshToken === null) return end(kept, server, 'it has run out, and cannot be renewed');
    const next = await ask(oauth, options, { server, signIn: { ...signIn, refreshToken } });
    await keep(options, server, { signIn: next, replaces: unkept.get(server)?.replaces ?? stale });
    return next;
  });
}

async function ask(
  oauth: Oauth,
  { kept, reach, learn, now }: RefreshOptions,
  { server, signIn }: { readonly server: string; readonly signIn: SignIn & { readonly refreshToken: string } },
): Promise<SignIn> {
  const { refreshToken, metadata, client, resource, serverUrl } = signIn;
  try {
    const tokens = await oauth.refreshAuthorization(signIn.authorizationServer, {
      metadata,
      clientInformation: client,
      refreshToken,
      ...(resource === null ? {} : { resource }),
      fetchFn: await reach(serverUrl),
    });
    const scope = tokens.scope ?? signIn.scope;
    return { ...signIn, ...tokensOf(tokens, now(), learn), refreshToken: tokens.refresh_token ?? refreshToken, scope };
  } catch (error) {
    const reason = reasonOf(oauth, error, [refreshToken, signIn.accessToken, client.client_secret ?? '']);
    if (isDead(oauth, error)) return end(kept, server, `${new URL(metadata.issuer).host} ended it (${reason})`);
    throw new AppError('network', `The sign-in to ${server} could not be renewed: ${reason}. It was kept.`, {
      hint: 'Try again in a minute.',
    });
  }
}

/**
 * Stores a new sign-in. The store was just read, so it is open. If writing fails, it is tried again while the lock
 * keeps others away, because the stored token is used up. After that the sign-in is used from memory, and written with
 * the next renewal.
 */
async function keep(
  { kept, unkept, writeAgainMs = usualWaitsMs }: RefreshOptions,
  server: string,
  made: UnkeptSignIn,
): Promise<void> {
  unkept.set(server, made);
  for (const waitMs of [...writeAgainMs, null]) {
    try {
      await kept.write(server, made.signIn);
      unkept.delete(server);
      return;
    } catch (error) {
      noteFailure('A renewed sign-in was not saved', error);
      if (waitMs !== null) await sleep(waitMs, neverAborts);
    }
  }
}

const usualWaitsMs = [50, 250, 1_000, 3_000];

async function end(kept: KeptSignIns, server: string, reason: string): Promise<never> {
  await kept.changeNote(server, { ended: reason });
  throw new SignInNeeded(server, reason);
}

/** Checks a service's tokens: they must not inject another header, and an error would quote an invalid one. */
export function tokensOf(
  tokens: OAuthTokens,
  now: number,
  learn: (value: string) => void,
): Pick<SignIn, 'accessToken' | 'expiresAt'> {
  learn(tokens.access_token);
  if (tokens.refresh_token !== undefined) learn(tokens.refresh_token);
  if (tokens.token_type.toLowerCase() !== 'bearer' || !/^[\x21-\x7e]+$/u.test(tokens.access_token))
    throw new AppError('network', 'The service handed out a token that Dewpoint cannot use.');
  const { expires_in: seconds } = tokens;
  return { accessToken: tokens.access_token, expiresAt: seconds === undefined ? null : now + seconds * 1000 };
}

/** Not a fault of the server: it works again after the user has signed in. */
export class SignInNeeded extends AppError {
  constructor(server: string, ended: string | null = null) {
    const why = ended === null ? 'needs you to sign in' : `needs you to sign in again: ${ended}`;
    super('missing-key', `The tool server ${server} ${why}.`, {
      hint: `Run dewpoint tools sign-in ${server}, or open the Tools page.`,
    });
  }
}
