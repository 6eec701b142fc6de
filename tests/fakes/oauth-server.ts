import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** How an answer of the token endpoint fails. `cut`: before the request is read. `lost`: after everything was done. */
export type TokenFault = 'none' | '500' | '503' | '429' | 'cut' | 'lost' | 'garbage' | 'slow' | 'endless' | 'away';

/** A signed-in person: a chain of refresh tokens, each of which can be used once. */
interface Family {
  readonly client: string;
  scope: string;
  refresh: string;
  /** The previous refresh token, if the answer with the new one was lost. Otherwise null. */
  lost: string | null;
  isRevoked: boolean;
}

export interface OauthWorld {
  readonly mcpUrl: string;
  readonly issuer: string;
  /** The fault of the next answer of the token endpoint. Default: none. */
  tokenFault: () => TokenFault;
  /** Changes to the servers' metadata. */
  resourceMetadata: Readonly<Record<string, unknown>>;
  metadata: Readonly<Record<string, unknown>>;
  /** Changes to what the browser brings back from the sign-in. */
  answer: (back: URLSearchParams) => void;
  /** The challenge that comes with a 401. Null: the server gives none. */
  challenge: string | null;
  /** The scope that the tool `write` needs. */
  writeScope: string | null;
  /** The server rejects every token, even a new one. */
  refusesAll: boolean;
  expiresInS: number | null;
  registers: boolean;
  revocationStatus: number;
  /** Sign-in with device codes. Polls get the entries of `before`, then a token. */
  readonly devices: DeviceWorld;
  /** The requests in order, such as `POST /token`. */
  readonly asked: string[];
  /** Every registered client, with its registration request. */
  readonly clients: Map<string, Readonly<Record<string, unknown>>>;
  readonly families: Map<string, Family>;
  /** How often a used refresh token was sent again. A real service ends the sign-in at the first time. */
  readonly reuses: () => number;
  readonly refreshes: () => number;
  /** Revokes issued tokens, as a service may at any time. `access`: only the short-lived ones. */
  readonly revokeAll: (what: 'access' | 'all') => void;
  /** Whether a refresh token still works. */
  readonly holds: (refreshToken: string) => boolean;
  readonly isAccess: (token: string) => boolean;
  readonly close: () => Promise<void>;
}

interface DeviceWorld {
  isOffered: boolean;
  /** Answers to polls before the person agrees, in order. `away`: no answer at all. */
  before: string[];
  /** Changes to the answer that starts a device sign-in. */
  answer: Readonly<Record<string, unknown>>;
  /** The times of the polls for a token, in ms. */
  readonly askedAt: number[];
}

interface Grant {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly scope: string;
  readonly resource: string | null;
}

const random = (): string => randomBytes(18).toString('base64url');

/**
 * A tool server that needs a sign-in, and the authorization server for it. Both are strict. Tests can make them fail in
 * many ways.
 */
export async function createOauthWorld(): Promise<OauthWorld> {
  const grants = new Map<string, Grant>();
  const access = new Map<string, { readonly family: Family; readonly scope: string }>();
  const old = new Map<string, Family>();
  const codes = new Map<string, { readonly client: string; readonly scope: string }>();
  const counts = { reuses: 0, refreshes: 0 };
  const tools = createMcpHandler(() => toolServer());
  const resource = await listen((request, response) => serveResource(request, response));
  const service = await listen((request, response) => serveService(request, response));
  const [mcpUrl, issuer] = [`${resource.url}/mcp`, service.url];
  const world: OauthWorld = {
    mcpUrl,
    issuer,
    tokenFault: () => 'none',
    resourceMetadata: {},
    metadata: {},
    answer: () => undefined,
    challenge: `Bearer resource_metadata="${resource.url}/.well-known/oauth-protected-resource/mcp", scope="read"`,
    writeScope: null,
    refusesAll: false,
    expiresInS: 3600,
    registers: true,
    revocationStatus: 200,
    devices: { isOffered: true, before: [], answer: {}, askedAt: [] },
    asked: [],
    clients: new Map(),
    families: new Map(),
    reuses: () => counts.reuses,
    refreshes: () => counts.refreshes,
    revokeAll: (what) => {
      access.clear();
      if (what === 'all') for (const family of world.families.values()) family.isRevoked = true;
    },
    holds: (refreshToken) => {
      const family = world.families.get(refreshToken) ?? old.get(refreshToken);
      if (family === undefined || family.isRevoked) return false;
      return family.refresh === refreshToken || family.lost === refreshToken;
    },
    isAccess: (token) => access.has(token),
    close: async () => {
      await Promise.all([resource.close(), service.close()]);
    },
  };

  async function serveResource(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0];
    world.asked.push(`${request.method} resource ${path}`);
    if (path === '/.well-known/oauth-protected-resource/mcp')
      return json(response, { resource: mcpUrl, authorization_servers: [issuer], ...world.resourceMetadata });
    if (path !== '/mcp') return json(response, {}, 404);
    const body = await readAll(request);
    const token = (request.headers.authorization ?? '').replace(/^Bearer /u, '');
    const holder = access.get(token);
    const header = world.challenge;
    if (holder === undefined || world.refusesAll)
      return json(response, {}, 401, header === null ? {} : { 'www-authenticate': header });
    const wants = world.writeScope;
    if (wants !== null && body.includes('"write"') && !holder.scope.split(' ').includes(wants))
      return json(response, {}, 403, {
        'www-authenticate': `Bearer error="insufficient_scope", scope="${wants}"`,
      });
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === 'string') headers.set(name, value);
    const method = request.method ?? 'GET';
    const answer = await tools.fetch(new Request(mcpUrl, { method, headers, ...(method === 'POST' ? { body } : {}) }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    // A stream of notifications stays open as long as the client listens.
    if (answer.body === null) return void response.end();
    const reader = answer.body.getReader();
    response.on('close', () => void reader.cancel().catch(() => undefined));
    response.flushHeaders();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) response.write(piece.value);
    response.end();
  }

  async function serveService(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    world.asked.push(`${request.method} ${url.pathname}`);
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return json(response, { ...usualMetadata(), ...world.metadata });
      case '/register':
        return register(request, response);
      case '/authorize':
        return authorize(url, response);
      case '/token':
        return token(request, response);
      case '/device':
        return device(request, response);
      case '/revoke': {
        const form = new URLSearchParams(await readAll(request));
        const family = world.families.get(form.get('token') ?? '');
        if (family !== undefined && world.revocationStatus === 200) family.isRevoked = true;
        return json(response, {}, world.revocationStatus);
      }
      default:
        return json(response, {}, 404);
    }
  }

  function usualMetadata() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      ...(world.devices.isOffered ? { device_authorization_endpoint: `${issuer}/device` } : {}),
      ...(world.registers ? { registration_endpoint: `${issuer}/register` } : {}),
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  async function register(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = z.record(z.string(), z.unknown()).parse(JSON.parse(await readAll(request)));
    const id = `client-${random()}`;
    world.clients.set(id, sent);
    json(response, { ...sent, client_id: id }, 201);
  }

  function authorize(url: URL, response: ServerResponse): void {
    const asked = (name: string): string => url.searchParams.get(name) ?? '';
    const client = world.clients.get(asked('client_id'));
    const redirects = z.array(z.string()).parse(client?.redirect_uris ?? []);
    const isKnown = redirects.some((one) => withoutPort(one) === withoutPort(asked('redirect_uri')));
    if (!isKnown || asked('code_challenge_method') !== 'S256' || asked('response_type') !== 'code')
      return json(response, { error: 'invalid_request' }, 400);
    const code = random();
    grants.set(code, {
      client: asked('client_id'),
      redirect: asked('redirect_uri'),
      challenge: asked('code_challenge'),
      scope: asked('scope'),
      resource: url.searchParams.get('resource'),
    });
    const back = new URL(asked('redirect_uri'));
    back.search = new URLSearchParams({ code, state: asked('state'), iss: issuer }).toString();
    world.answer(back.searchParams);
    response.writeHead(302, { location: back.href }).end();
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = world.tokenFault();
    if (fault === 'cut') return void request.socket.destroy();
    const form = new URLSearchParams(await readAll(request));
    if (fault === 'slow') await new Promise((wait) => setTimeout(wait, 40));
    if (fault === '500' || fault === '503') return json(response, { error: 'server_error' }, Number(fault));
    if (fault === '429') return json(response, 'slow down', 429);
    if (fault === 'endless') return endless(response);
    if (fault === 'away') return void response.writeHead(307, { location: 'http://127.0.0.2:9/token' }).end();
    if (form.get('grant_type') === deviceGrant) return deviceToken(form, request, response);
    const answer = form.get('grant_type') === 'refresh_token' ? renew(form, fault) : redeem(form);
    if ('error' in answer) return json(response, answer, 400);
    if (fault === 'lost') return void request.socket.destroy();
    if (fault === 'garbage') return void response.writeHead(200).end('{"access_token": "cut of');
    json(response, answer);
  }

  async function device(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await readAll(request));
    const client = form.get('client_id') ?? '';
    if (!world.clients.has(client) || form.get('resource') !== mcpUrl)
      return json(response, { error: 'invalid_client' }, 401);
    const code = `device-${random()}`;
    codes.set(code, { client, scope: form.get('scope') ?? '' });
    json(response, {
      device_code: code,
      user_code: 'WDJB-MJHT',
      verification_uri: `${issuer}/activate`,
      expires_in: 600,
      interval: 1,
      ...world.devices.answer,
    });
  }

  function deviceToken(form: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    world.devices.askedAt.push(performance.now());
    const code = form.get('device_code') ?? '';
    const held = codes.get(code);
    if (held === undefined || held.client !== form.get('client_id'))
      return json(response, { error: 'invalid_grant' }, 400);
    const said = world.devices.before.shift();
    if (said === 'away') return void request.socket.destroy();
    if (said !== undefined)
      return json(response, said === 'garbage' ? 'none' : { error: said }, said === '500' ? 500 : 400);
    codes.delete(code);
    json(response, issue({ ...held, refresh: '', lost: null, isRevoked: false }));
  }

  function redeem(form: URLSearchParams) {
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const isIts =
      grant !== undefined &&
      grant.client === form.get('client_id') &&
      grant.redirect === form.get('redirect_uri') &&
      grant.resource === form.get('resource') &&
      grant.challenge === hashOf(form.get('code_verifier') ?? '');
    if (!isIts) return { error: 'invalid_grant' };
    return issue({ client: grant.client, scope: grant.scope, refresh: '', lost: null, isRevoked: false });
  }

  function renew(form: URLSearchParams, fault: TokenFault) {
    counts.refreshes += 1;
    const given = form.get('refresh_token') ?? '';
    const family = world.families.get(given) ?? old.get(given);
    if (family === undefined || family.isRevoked || family.client !== form.get('client_id'))
      return { error: 'invalid_grant', error_description: `what is ${given}` };
    if (given !== family.refresh && given !== family.lost) {
      counts.reuses += 1;
      family.isRevoked = true;
      return { error: 'invalid_grant' };
    }
    old.set(given, family);
    old.set(family.refresh, family);
    const answer = issue(family);
    // Only this server knows that its answer got lost. Using the old token once more is then no theft.
    family.lost = fault === 'lost' || fault === 'garbage' ? given : null;
    return answer;
  }

  function issue(family: Family) {
    world.families.delete(family.refresh);
    family.refresh = `refresh-${random()}`;
    world.families.set(family.refresh, family);
    const accessToken = `access-${random()}`;
    access.set(accessToken, { family, scope: family.scope });
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      refresh_token: family.refresh,
      scope: family.scope,
      ...(world.expiresInS === null ? {} : { expires_in: world.expiresInS }),
    };
  }

  return world;
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

function toolServer(): McpServer {
  const server = new McpServer({ name: 'tracker', version: '1.0.0' });
  for (const name of ['read', 'write'])
    server.registerTool(name, { description: `Can ${name}.` }, async () => ({
      content: [{ type: 'text', text: `${name}: done` }],
    }));
  return server;
}

function hashOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Any port is allowed in a redirect to this machine. */
function withoutPort(address: string): string {
  return address.replace(/^(http:\/\/127\.0\.0\.1)(?::\d+)?/u, '$1');
}

function json(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** A response that never ends. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const piece = Buffer.alloc(256 * 1024, 32);
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more).on('error', () => undefined);
  more();
}

interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

async function listen(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Listening> {
  const server: Server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
