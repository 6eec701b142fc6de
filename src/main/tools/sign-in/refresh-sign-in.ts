import type { OAuthTokens } from '@modelcontextprotocol/client';
import { AppError } from '@shared/errors.ts';
import { neverAborts, sleep } from '../../lib/async/abort.ts';
import type { KeptSignIns, SignIn } from './kept-sign-ins.ts';
import type { Oauth } from './oauth-errors.ts';
import { isDead, reasonOf } from './oauth-errors.ts';

/** What the key store did not take: it is used from here, and offered to the store again, until another is in its place. */
export type UnkeptSignIns = Map<string, UnkeptSignIn>;

interface UnkeptSignIn {
  readonly signIn: SignIn;
  /** The token that the store had when this one was got, and has as long as nobody put another there. */
  readonly replaces: string;
}

/**
 * The sign-in that counts, to be asked for under the lock: ours that could not be kept, while the store still has what it
 * replaces. What another process has put there since goes first, and ours is over.
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
  /** To addresses that were looked at when the person signed in. Its own time limit ends it. */
  readonly reach: (serverUrl: string) => Promise<typeof fetch>;
  readonly learn: (value: string) => void;
  readonly now: () => number;
  readonly unkept: UnkeptSignIns;
  /** Between two tries to keep it; tests make them few. */
  readonly writeAgainMs?: readonly number[];
}

export interface RefreshWish {
  readonly server: string;
  readonly serverUrl: string;
  /** The token that is of no more use; one that another process has got meanwhile is taken. */
  readonly stale: string;
}

/**
 * A token in place of one that is of no more use. One process of this machine asks at a time, and what the key store has
 * by then goes first: a service that hands out each refresh token once takes a second use of one for theft, and ends the
 * sign-in. Once it is asked nothing ends the wait but its time limit, for the answer may be the only one there is.
 * Nothing is deleted: what is over is noted, and what may be over in a minute is not even that.
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
 * The store has just been read, so it is open. What it does not take all the same is offered again while the lock holds
 * others off, for what they would read is used up; after that it is used from memory, and offered with the next renewal.
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
    } catch {
      if (waitMs !== null) await sleep(waitMs, neverAborts);
    }
  }
}

const usualWaitsMs = [50, 250, 1_000, 3_000];

async function end(kept: KeptSignIns, server: string, reason: string): Promise<never> {
  await kept.changeNote(server, { ended: reason });
  throw new SignInNeeded(server, reason);
}

/** What a service handed out, checked: no header could carry another, and one that fails in a header would be quoted. */
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

/** A state of the server, and no fault: it goes on once the person has signed in. */
export class SignInNeeded extends AppError {
  constructor(server: string, ended: string | null = null) {
    const why = ended === null ? 'needs you to sign in' : `needs you to sign in again: ${ended}`;
    super('missing-key', `The tool server ${server} ${why}.`, {
      hint: `Run dewpoint tools sign-in ${server}, or open the Tools page.`,
    });
  }
}
