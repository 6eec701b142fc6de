import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import { AppError } from '@shared/errors.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import type { ServerPlace } from './auth-fetch.ts';
import { mustBeUsable } from './auth-fetch.ts';
import type { Challenge, FoundAuth } from './discover-auth.ts';
import { discoverAuth } from './discover-auth.ts';
import type { SignIn } from './kept-sign-ins.ts';
import type { Oauth } from './oauth-errors.ts';
import { reasonOf } from './oauth-errors.ts';
import type { RedirectListener } from './redirect-listener.ts';
import { tokensOf } from './refresh-sign-in.ts';

/** A client that was registered by hand, or the address of a document that describes one. */
export interface OwnClient {
  readonly id: string;
  readonly secret: string | null;
}

/** A sign-in that waits for the user. */
export interface OpenSignIn {
  /** The address to open in a browser. */
  readonly url: string;
  /** The service that signs the user in. */
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** The code to type at the address. Null: the browser brings back what is needed. */
  readonly code: string | null;
}

export interface FlowOptions {
  readonly server: string;
  readonly serverUrl: string;
  readonly place: ServerPlace;
  readonly reach: typeof fetch;
  readonly challenge: Challenge | null;
  /** Rights that were granted before and must be kept. */
  readonly granted: string | null;
  readonly client: OwnClient | null;
  readonly learn: (value: string) => void;
  readonly now: () => number;
}

/** The facts that a sign-in starts from: the service, the rights, and the client. */
export interface Ready {
  readonly found: FoundAuth;
  readonly scope: string | null;
  readonly client: OAuthClientInformationMixed;
}

interface Granted {
  readonly ready: Ready;
  readonly tokens: { readonly refresh_token?: string | undefined; readonly scope?: string | undefined };
  readonly at: Pick<SignIn, 'accessToken' | 'expiresAt'>;
}

/** How the user agrees: the grants that the client requests, and the redirect address. */
interface GrantWay {
  /** Throws if the service does not offer this way. Runs before anything is sent to it. */
  readonly check?: (metadata: AuthorizationServerMetadata) => void;
  readonly grants: readonly string[];
  readonly redirectUrl: string;
}

/** Runs the whole sign-in, from an address to tokens. Rejects with an `AppError`. Stores nothing itself. */
export function runSignIn(
  oauth: Oauth,
  options: FlowOptions,
  listener: RedirectListener,
  onOpen: (open: OpenSignIn) => void,
): Promise<SignIn> {
  return finishSignIn(oauth, options, async (learn) => {
    learn(listener.state);
    const { redirectUrl } = listener;
    const ready = await readySignIn(oauth, { ...options, learn }, { grants: [codeGrant], redirectUrl });
    const { found, scope, client } = ready;
    const { authorizationUrl, codeVerifier } = await oauth.startAuthorization(found.authorizationServer, {
      ...partsOf(found),
      clientInformation: client,
      redirectUrl,
      state: listener.state,
      ...(scope === null ? {} : { scope }),
    });
    learn(codeVerifier);
    const { issuer } = found.metadata;
    onOpen({ url: authorizationUrl.href, issuer, scopes: scope === null ? [] : scope.split(' '), code: null });
    const code = codeIn(oauth, await listener.answer, found.metadata);
    learn(code.authorizationCode);
    const tokens = await oauth.exchangeAuthorization(found.authorizationServer, {
      ...partsOf(found),
      ...code,
      clientInformation: client,
      codeVerifier,
      redirectUri: redirectUrl,
      fetchFn: options.reach,
    });
    return { ready, tokens, at: tokensOf(tokens, options.now(), learn) };
  });
}

const codeGrant = 'authorization_code';

/** Finds and checks the service before anything is sent to it, and gets the client. */
export async function readySignIn(oauth: Oauth, options: FlowOptions, way: GrantWay): Promise<Ready> {
  const isByBrowser = way.grants.includes(codeGrant);
  const found = await discoverAuth(oauth, options, isByBrowser);
  mustBeUsableAll(found.metadata, options.place);
  way.check?.(found.metadata);
  const scope = scopeOf(oauth, options, found);
  return { found, scope, client: await clientFor(oauth, options, { found, scope, way }) };
}

/** The tokens from `work`, in the form in which they are kept. Errors contain no secret. */
export async function finishSignIn(
  oauth: Oauth,
  options: FlowOptions,
  work: (learn: (value: string) => void) => Promise<Granted>,
): Promise<SignIn> {
  const secrets: string[] = [options.client?.secret ?? ''];
  const learn = (value: string): void => {
    secrets.push(value);
    options.learn(value);
  };
  try {
    const { ready, tokens, at } = await work(learn);
    const { found, scope, client } = ready;
    return {
      serverUrl: options.serverUrl,
      resource: found.resource,
      authorizationServer: found.authorizationServer,
      metadata: keptMetadata(found.metadata),
      client: keptClient(client),
      ...at,
      refreshToken: tokens.refresh_token ?? null,
      scope: tokens.scope ?? scope,
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw new AppError('network', `Signing in to ${options.server} failed: ${reasonOf(oauth, error, secrets)}.`, {
      hint: 'Nothing was changed. Try again, or ask whoever runs the server.',
    });
  }
}

function partsOf({ metadata, resource }: FoundAuth) {
  return { metadata, ...(resource === null ? {} : { resource }) };
}

/** Checks all addresses before anything is sent, including those that are needed later or opened in a browser. */
function mustBeUsableAll(metadata: AuthorizationServerMetadata, place: ServerPlace): void {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  const others = ['revocation_endpoint', 'device_authorization_endpoint'].map((name) => addressIn(metadata, name));
  const named = [authorization_endpoint, token_endpoint, registration_endpoint, ...others];
  for (const address of named) {
    if (address === undefined) continue;
    const url = URL.parse(address);
    if (url === null) throw new AppError('refused', 'The server names something for signing in that is no address.');
    mustBeUsable(url, place);
  }
}

/** The rights that the server asks for and those granted before. If it asks for none, the rights that it offers. */
function scopeOf(oauth: Oauth, { challenge, granted }: FlowOptions, { scopes, metadata }: FoundAuth): string | null {
  const wanted = challenge?.scope ?? (scopes.length === 0 ? null : scopes.join(' '));
  const union = oauth.computeScopeUnion(granted ?? undefined, wanted ?? undefined);
  if (union === undefined) return null;
  // Without it, some services issue no renewable token.
  const isOffered = metadata.scopes_supported?.includes('offline_access') === true;
  return (isOffered ? oauth.computeScopeUnion(union, 'offline_access') : union) ?? null;
}

interface ClientWish {
  readonly found: FoundAuth;
  readonly scope: string | null;
  readonly way: GrantWay;
}

/** The user's own client if there is one. Else Dewpoint registers itself for this sign-in and redirect address. */
async function clientFor(
  oauth: Oauth,
  { client, server, reach, learn }: FlowOptions,
  { found: { metadata, authorizationServer }, scope, way }: ClientWish,
): Promise<OAuthClientInformationMixed> {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['none'];
  if (client !== null) {
    const isDocument = oauth.isHttpsUrl(client.id);
    if (isDocument && metadata.client_id_metadata_document_supported !== true)
      throw new AppError('refused', `${metadata.issuer} takes no address of a document as a client.`);
    return { client_id: client.id, ...(client.secret === null ? {} : { client_secret: client.secret }) };
  }
  if (metadata.registration_endpoint === undefined) {
    throw new AppError('refused', `${new URL(metadata.issuer).host} takes only clients that were registered with it.`, {
      hint: `Register one there with the address http://127.0.0.1/callback, then add the server again: dewpoint tools add ${server} ADDRESS --client-id ID`,
    });
  }
  const registered = await oauth.registerClient(authorizationServer, {
    metadata,
    fetchFn: reach,
    clientMetadata: {
      client_name: 'Dewpoint',
      redirect_uris: [way.redirectUrl],
      grant_types: [...way.grants, 'refresh_token'],
      response_types: way.grants.includes(codeGrant) ? ['code'] : [],
      application_type: 'native',
      token_endpoint_auth_method: methods.includes('none') ? 'none' : (methods[0] ?? 'none'),
    },
    ...(scope === null ? {} : { scope }),
  });
  if (registered.client_secret !== undefined) learn(registered.client_secret);
  return registered;
}

/** Checks who answered before reading the answer: in a mix-up attack both come from the attacker. */
function codeIn(
  oauth: Oauth,
  answer: URLSearchParams,
  metadata: AuthorizationServerMetadata,
): { readonly authorizationCode: string; readonly iss?: string } {
  const iss = answer.get('iss') ?? undefined;
  oauth.validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata.issuer,
    issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
  });
  const authorizationCode = answer.get('code');
  if (authorizationCode !== null && authorizationCode !== '')
    return { authorizationCode, ...(iss === undefined ? {} : { iss }) };
  const said = (answer.get('error') ?? '').replaceAll(/[^a-z_]/gu, '').slice(0, 60);
  const what = said === 'access_denied' ? 'It was declined in the browser' : `The service refused it (${said})`;
  throw new AppError('refused', `${what}. Nothing was changed.`);
}

function addressIn(metadata: AuthorizationServerMetadata, name: string): string | undefined {
  const address = fieldOf(metadata, name);
  return typeof address === 'string' ? address : undefined;
}

function keptMetadata(metadata: AuthorizationServerMetadata): SignIn['metadata'] {
  const { token_endpoint_auth_methods_supported: methods } = metadata;
  const revocation = addressIn(metadata, 'revocation_endpoint');
  return {
    issuer: metadata.issuer,
    authorization_endpoint: metadata.authorization_endpoint,
    token_endpoint: metadata.token_endpoint,
    response_types_supported: metadata.response_types_supported,
    ...(revocation === undefined ? {} : { revocation_endpoint: revocation }),
    ...(methods === undefined ? {} : { token_endpoint_auth_methods_supported: methods }),
  };
}

function keptClient(client: OAuthClientInformationMixed): SignIn['client'] {
  const { client_id, client_secret } = client;
  const method = 'token_endpoint_auth_method' in client ? client.token_endpoint_auth_method : undefined;
  return {
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
  };
}
