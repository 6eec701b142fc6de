import { createHash, randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import type { KnownProvider } from '../../src/shared/models/known-providers.ts';
import { knownProviders } from '../../src/shared/models/known-providers.ts';
import type { KeySignIns, KeySignInsOptions } from '../../src/main/safety/keys/key-sign-ins.ts';
import { createKeySignIns } from '../../src/main/safety/keys/key-sign-ins.ts';
import { createOutboundConnections } from '../../src/main/sandbox/network/outbound-connections.ts';
import { createWebClient } from '../../src/main/sandbox/network/web-client.ts';
import { createAuthFetch } from '../../src/main/tools/sign-in/auth-fetch.ts';
import { openRedirectListener } from '../../src/main/tools/sign-in/redirect-listener.ts';

/** `cut`: the service hangs up. `away`: it redirects to another place. */
type ExchangeFault = 'none' | 'expired' | 'cut' | 'garbage' | 'keyless' | 'endless' | 'away' | '500';

/** A service that makes keys as OpenRouter documents it: `GET /auth`, and `POST /api/v1/auth/keys` with PKCE. */
export interface KeyService {
  readonly services: Readonly<Record<string, KnownProvider>>;
  fault: ExchangeFault;
  /** What the person answers there. `denied`: no. */
  consent: 'yes' | 'denied';
  readonly keys: string[];
  /** The bodies of key exchanges, as they were received. */
  readonly exchanges: string[];
  readonly close: () => Promise<void>;
}

export async function createKeyService(): Promise<KeyService> {
  const challenges = new Map<string, string>();
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const back = url.searchParams.get('callback_url');
    if (request.method === 'GET' && url.pathname === '/auth' && back !== null) {
      const code = `code-${randomBytes(8).toString('hex')}`;
      const isS256 = url.searchParams.get('code_challenge_method') === 'S256';
      challenges.set(code, isS256 ? (url.searchParams.get('code_challenge') ?? '') : '');
      const location = new URL(back);
      if (world.consent === 'yes') location.searchParams.set('code', code);
      else location.searchParams.set('error', 'access_denied');
      response.writeHead(302, { location: location.href }).end();
      return;
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void readAll(request).then((body) => {
      world.exchanges.push(body);
      if (world.fault === 'cut') return void request.socket.destroy();
      if (world.fault === 'away') return void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end();
      if (world.fault === '500') return void response.writeHead(500).end('{"key":"no"}');
      if (world.fault === 'garbage') return void response.writeHead(200).end('<p>sk-page</p>');
      if (world.fault === 'endless') return void response.writeHead(200).end(`{"key":"${'k'.repeat(200_000)}"}`);
      const sent: Record<string, string> = JSON.parse(body);
      const wanted = challenges.get(sent.code ?? '');
      const given = createHash('sha256')
        .update(sent.code_verifier ?? '')
        .digest('base64url');
      // A code can be used only once.
      challenges.delete(sent.code ?? '');
      if (world.fault === 'expired' || wanted !== given || sent.code_challenge_method !== 'S256')
        return void response.writeHead(403).end(JSON.stringify({ error: { code: 403, message: `bad ${sent.code}` } }));
      const key = world.fault === 'keyless' ? '' : `sk-or-v1-${randomBytes(8).toString('hex')}`;
      if (key !== '') world.keys.push(key);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ key, user_id: 'u' }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const bound = server.address();
  const base = `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
  const signIn = { page: `${base}/auth`, exchange: `${base}/api/v1/auth/keys`, keys: `${base}/settings/keys` };
  const world: KeyService = {
    services: { ...knownProviders, openrouter: { ...knownProviders.openrouter, signIn } },
    fault: 'none',
    consent: 'yes',
    keys: [],
    exchanges: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return world;
}

/** Sign-ins over real connections to a service on this machine. */
export function realKeySignIns(
  service: Pick<KeyService, 'services'>,
  more: Partial<KeySignInsOptions> = {},
): KeySignIns {
  const outward = createOutboundConnections(() => ({ proxy: null, certificates: null }), {});
  const exchange = createWebClient(outward, { mostBytes: 64 * 1024, timeoutMs: 5_000 });
  return createKeySignIns({
    services: service.services,
    reach: (signal) => createAuthFetch({ exchange, place: { isInner: true, isHere: true } }, signal),
    openRedirect: openRedirectListener,
    learn: () => undefined,
    ...more,
  });
}
