import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '@modelcontextprotocol/client';
import { AppError } from '@shared/errors.ts';
import type { Oauth } from './oauth-errors.ts';

/** What a server sent with its refusal: where its metadata is, and which rights it wants. */
export interface Challenge {
  readonly metadataUrl: string | null;
  readonly scope: string | null;
}

/** The service that signs users in for a tool server, and its conditions. */
export interface FoundAuth {
  readonly authorizationServer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The server's own identifier, for which tokens are requested. Null: it names none. */
  readonly resource: string | null;
  /** The rights that it offers, used if it does not ask for certain ones. */
  readonly scopes: readonly string[];
}

export interface DiscoverOptions {
  readonly serverUrl: string;
  readonly challenge: Challenge | null;
  readonly reach: typeof fetch;
}

/**
 * Finds the service that signs in for a server. Rejects if one of them contradicts itself or the other, because a token
 * must only go to the approved server. Any failure rejects and is never a reason to look elsewhere.
 */
export async function discoverAuth(
  oauth: Oauth,
  { serverUrl, challenge, reach }: DiscoverOptions,
  isByBrowser: boolean,
): Promise<FoundAuth> {
  const named = await resourceMetadata(oauth, serverUrl, challenge, reach);
  if (named !== null) mustBeFor(oauth, serverUrl, named);
  const authorizationServer = named?.authorization_servers?.[0] ?? `${new URL(serverUrl).origin}/`;
  if (URL.parse(authorizationServer) === null) throw contradiction('it names no address of who signs in');
  const metadata = await oauth.discoverAuthorizationServerMetadata(authorizationServer, { fetchFn: reach });
  if (metadata === undefined) {
    throw new AppError('not-found', 'The server does not say how to sign in.', {
      hint: 'It may want a key in a header instead: see its instructions.',
    });
  }
  // Without a browser there is no redirect, so no code can be stolen on the way.
  if (isByBrowser) mustHavePkce(metadata);
  return {
    authorizationServer,
    metadata,
    resource: named?.resource ?? null,
    scopes: named?.scopes_supported ?? [],
  };
}

/** Null only if the server says that it has no metadata. */
async function resourceMetadata(
  oauth: Oauth,
  serverUrl: string,
  challenge: Challenge | null,
  reach: typeof fetch,
): Promise<OAuthProtectedResourceMetadata | null> {
  const statuses: number[] = [];
  const noting: typeof fetch = async (input, init) => {
    const response = await reach(input, init);
    statuses.push(response.status);
    return response;
  };
  const named = challenge?.metadataUrl ?? null;
  try {
    const options = named === null ? {} : { resourceMetadataUrl: named };
    return await oauth.discoverOAuthProtectedResourceMetadata(serverUrl, options, noting);
  } catch (error) {
    const hasNone = named === null && statuses.length > 0 && statuses.every((status) => status === 404);
    if (hasNone) return null;
    throw error;
  }
}

function mustBeFor(oauth: Oauth, serverUrl: string, { resource }: OAuthProtectedResourceMetadata): void {
  const isIt = oauth.checkResourceAllowed({
    requestedResource: oauth.resourceUrlFromServerUrl(serverUrl),
    configuredResource: resource,
  });
  if (!isIt) throw contradiction(`what it says of itself is for ${URL.parse(resource)?.origin ?? 'another'}`);
}

/** A service without PKCE would accept a stolen code. */
function mustHavePkce({ code_challenge_methods_supported: methods }: AuthorizationServerMetadata): void {
  if (methods?.includes('S256') === true) return;
  throw new AppError('refused', 'Who signs in for this server does not protect a sign-in by PKCE (S256).', {
    hint: 'Nothing was sent. Ask whoever runs the server.',
  });
}

function contradiction(why: string): AppError {
  return new AppError('refused', `The server cannot be signed in to: ${why}.`, {
    hint: 'Nothing was sent. Ask whoever runs the server.',
  });
}
