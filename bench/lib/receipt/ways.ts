import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';
import { createHostingCalls } from '../../../src/main/git/hosting-calls.ts';
import { createNetFetch } from '../../../src/main/lib/net/net-fetch.ts';
import { createNetSocket } from '../../../src/main/lib/net/net-socket.ts';
import { withReason } from '../../../src/main/lib/net/send-reason.ts';
import { createFetchUri } from '../../../src/main/models/files/download/fetch-uri.ts';
import { openaiClient } from '../../../src/main/models/providers/openai/openai-client.ts';
import { createAllowListProxy } from '../../../src/main/sandbox/network/allow-list-proxy.ts';
import { usualLimits } from '../../../src/main/sandbox/network/network-decision.ts';
import { createWebClient } from '../../../src/main/sandbox/network/web-client.ts';
import { connectMcp } from '../../../src/main/tools/mcp/mcp-connection.ts';
import { webHost, type Hosts } from './hosts.ts';

/** What a way needs of its session. */
export interface Trip {
  readonly sessionId: string;
  readonly hosts: Hosts;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly reach: typeof fetch;
}

type Way = (trip: Trip) => Promise<void>;

const signal = new AbortController().signal;
const sizeOf = ({ random }: Trip, most: number): number => 1 + Math.floor(random() * most);
const text = (trip: Trip, most: number): string => 'y'.repeat(sizeOf(trip, most));
const at = ({ sessionId, hosts, random }: Trip, path: string): string =>
  random() < 0.5
    ? `https://${sessionId}.marked.localhost:${hosts.secure.port}/s/${sessionId}/${path}`
    : `http://localhost:${hosts.plain.port}/s/${sessionId}/${path}`;

/** The `fetch` of a core, which trusts the hosts. All sessions share it. */
export function createReach(certificates: string): typeof fetch {
  return createNetFetch(() => ({ proxy: null, certificates }), {});
}

/** Every way by which something leaves, and what goes wrong on it. */
export const ways = {
  'a model over the package of its service': async (trip) => {
    const client = await openaiClient({ baseUrl: at(trip, 'sized'), key: 'k', fetch: trip.reach });
    await client.post('/100', { body: { text: text(trip, 200_000) } }).catch(() => undefined);
  },
  'several requests on one connection': async (trip) => {
    const url = at(trip, `sized/${sizeOf(trip, 50_000)}`);
    for (let count = 0; count < 3; count += 1)
      await (await trip.reach(url, { method: 'POST', body: text(trip, 20_000) })).text();
  },
  'a refused request that is tried again': async (trip) => {
    const url = at(trip, `busy/${sizeOf(trip, 1e9)}`);
    for (let count = 0; count < 2; count += 1)
      await (await trip.reach(url, { method: 'POST', body: text(trip, 5_000) })).text();
  },
  'a redirect': async (trip) => {
    await (await trip.reach(at(trip, `moved/${sizeOf(trip, 1_000)}`))).text();
  },
  'an upload that is given up': async (trip) => {
    const stop = new AbortController();
    const url = `http://localhost:${trip.hosts.stuck.port}/s/${trip.sessionId}/sized/10`;
    const body = Buffer.alloc(8 * 1024 * 1024);
    const sent = trip.reach(url, { method: 'POST', body, signal: stop.signal }).catch(() => undefined);
    setTimeout(() => stop.abort(), 40 + trip.random() * 100);
    await sent;
  },
  'an answer that is given up': async (trip) => {
    const stop = new AbortController();
    const response = await trip.reach(at(trip, 'endless/1'), { signal: stop.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    stop.abort();
    await reader?.read().catch(() => undefined);
  },
  'a page or a form of a web tool': async (trip) => {
    const exchange = createWebClient(trip.hosts.outward);
    const url = new URL(`https://${webHost}/s/${trip.sessionId}/sized/${sizeOf(trip, 30_000)}`);
    const request = { method: 'POST', url, host: webHost, headers: {}, body: text(trip, 10_000), why: '' } as const;
    await exchange(request, { signal, onUse: () => undefined });
  },
  'a push to a host of repositories': async (trip) => {
    const origin = `https://${webHost}`;
    const calls = createHostingCalls(
      { origin, host: webHost },
      { exchange: createWebClient(trip.hosts.outward), signal, login: { authorization: 'Basic eDp5' } },
    );
    const url = new URL(`/s/${trip.sessionId}/sized/200`, origin);
    await calls.send({ method: 'POST', url, headers: {}, body: Buffer.alloc(sizeOf(trip, 300_000)) });
  },
  'a command in the sandbox': (trip) => commandThroughProxy(trip),
  'a tool server over HTTP': async (trip) => {
    const url = `http://localhost:${trip.hosts.plain.port}/s/${trip.sessionId}/mcp`;
    const definition = { kind: 'http', url, headers: [], staysHere: false } satisfies ServerDefinition;
    const connection = await connectMcp(
      {
        name: 'notes',
        definition,
        secrets: {},
        fetch: trip.reach,
        start: () => Promise.reject(new Error('Nothing is started.')),
        version: '1',
        onChanged: () => undefined,
      },
      signal,
    );
    await connection.call('note', {}, { signal, onProgress: () => undefined });
    await connection.close();
  },
  'a tool server over a WebSocket': async (trip) => {
    const open = createNetSocket(() => ({ proxy: null, certificates: null }), {});
    const url = new URL(`ws://localhost:${trip.hosts.plain.port}/s/${trip.sessionId}/ws`);
    const socket = await open(url, { headers: {}, protocols: [], mostBytes: 1_000_000 });
    await new Promise((done) => socket.once('open', done));
    socket.send(text(trip, 20_000));
    await new Promise((done) => socket.once('message', done));
    socket.close();
    await new Promise((done) => socket.once('close', done));
  },
  'a model file whose download breaks off once': async (trip) => {
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-receipt-'));
    const url = at(trip, `broken/${2 * sizeOf(trip, 200_000)}`);
    await createFetchUri({ fetch: trip.reach, env: {} })(url, join(folder, 'file'), {
      signal,
      onProgress: () => undefined,
    });
    await rm(folder, { recursive: true, force: true });
  },
  'an update of a list': async (trip) => {
    await (await trip.reach(at(trip, `sized/${sizeOf(trip, 100_000)}`))).text();
  },
  'Ollama on another machine': async (trip) => {
    const url = `http://localhost:${trip.hosts.plain.port}/s/${trip.sessionId}/sized/2000`;
    await (
      await trip.reach(url, { method: 'POST', body: JSON.stringify({ model: 'm', prompt: text(trip, 50_000) }) })
    ).text();
  },
  'a host that does not answer': async (trip) => {
    await trip.reach('http://localhost:9/').catch(() => undefined);
  },
} as const satisfies Readonly<Record<string, Way>>;

/** In these, the other side may write what never arrives. */
export const brokenAnswers: readonly string[] = ['an answer that is given up'] satisfies readonly (keyof typeof ways)[];

/** A program in the sandbox speaks TLS to a host, through the proxy of the app. */
async function commandThroughProxy(trip: Trip): Promise<void> {
  const proxy = createAllowListProxy({
    hosts: new Set([webHost]),
    limits: usualLimits,
    outward: trip.hosts.outward,
    onDecision: () => undefined,
  });
  const [client, inside] = duplexPair();
  proxy.handle(inside);
  client.write(`CONNECT ${webHost}:443 HTTP/1.1\r\nHost: ${webHost}:443\r\n\r\n`);
  await new Promise((done) => client.once('data', done));
  const socket = connectTls({ socket: client, servername: webHost, ca: trip.hosts.secure.certificate });
  const body = text(trip, 30_000);
  socket.write(
    `POST /s/${trip.sessionId}/sized/500 HTTP/1.1\r\nhost: ${webHost}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  socket.resume();
  await new Promise((done) => socket.once('end', done).once('close', done).once('error', done));
  socket.destroy();
  client.destroy();
  proxy.close();
}

/** Runs one way on behalf of its session. */
export const goWay = (name: keyof typeof ways, trip: Trip): Promise<void> =>
  withReason({ sessionId: trip.sessionId }, () => ways[name](trip));
