import { createServer, type Server } from 'node:http';
import { createNetFetch } from '../../src/main/lib/net/net-fetch.ts';
import type { StreamPart } from '../../src/main/models/providers/define.ts';
import openaiCompatible from '../../src/main/models/providers/openai-compatible.provider.ts';
import type { ExpectedEnd, MadeServer } from './server-answers.ts';
import { collect, providerDependencies, request } from './provider-kit.ts';

/** Calls a made server with the real provider over a real socket. Returns what is not as expected; empty: all is. */
export async function callMadeServer(made: MadeServer): Promise<readonly string[]> {
  const server = createServer((message, response) => {
    message.resume();
    message.on('end', () => made.answer(response, message));
  });
  const proxy = createServer();
  const refusal = made.way === 'proxy-407' ? '407 Who are you' : '403 No';
  proxy.on('connect', (_message, socket) => socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`));
  try {
    const host = made.way === 'ipv6' ? '[::1]' : '127.0.0.1';
    const port = await listen(server, made.way === 'ipv6' ? '::1' : '127.0.0.1');
    const env = await envOf(made, proxy);
    const origin = originOf(made, `${host}:${port}`);
    if (made.way === 'nobody') await close(server);
    return differences(made.expected, await ask(made, origin, env));
  } finally {
    await Promise.all([close(server), close(proxy)]);
  }
}

function originOf({ way }: MadeServer, host: string): string {
  if (way?.startsWith('proxy') === true) return 'http://service.invalid';
  return way === 'password' ? `http://me:secret@${host}` : `http://${host}`;
}

async function envOf({ way }: MadeServer, proxy: Server): Promise<Record<string, string>> {
  if (way?.startsWith('proxy') !== true) return {};
  if (way === 'proxy-away') return { http_proxy: 'http://me:secret@127.0.0.1:9' };
  return { http_proxy: `http://me:secret@127.0.0.1:${await listen(proxy, '127.0.0.1')}` };
}

function ask(made: MadeServer, origin: string, env: Record<string, string>): Promise<readonly StreamPart[]> {
  const { path = '/v1', where = 'cloud', firstWordSeconds } = made;
  const parsed = openaiCompatible.settings.parse({ kind: 'openai-compatible', baseUrl: `${origin}${path}`, where });
  const settings = firstWordSeconds === undefined ? parsed : { ...parsed, firstWordSeconds };
  const fetch = createNetFetch(() => ({ proxy: null, certificates: null }), env, { silenceMs: 0 });
  const dependencies = providerDependencies({ fetch, secret: async () => (made.way === 'password' ? null : 'a-key') });
  const provider = openaiCompatible.create(dependencies, { id: 'made', settings });
  return collect(provider.stream(request('m'), new AbortController().signal));
}

function differences(expected: ExpectedEnd, parts: readonly StreamPart[]): readonly string[] {
  const end = parts.at(-1);
  if (end?.type !== 'ended') return ['the stream has no end'];
  const said = saidIn(parts);
  const { words, ...error } = expected.error ?? {};
  const facts: readonly (readonly [string, unknown, unknown])[] = [
    ['text', expected.text, said.text],
    ['thoughts', expected.thoughts, said.thoughts],
    ['calls', expected.calls, said.calls],
    ['end', expected.stopReason, end.stopReason],
    ['estimate', expected.isEstimated, end.usage.estimated],
    ['cut call', expected.cutCall, end.cutCall],
    ['error', expected.error === undefined ? 'none' : undefined, end.error === null ? 'none' : end.error],
    ...Object.entries(error).map(([name, value]) => [name, value, Reflect.get(end.error ?? {}, name)] as const),
  ];
  const wrong = facts.filter(
    ([, wanted, got]) => wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(got),
  );
  const missing = words === undefined || words.test(end.error?.message ?? '') ? [] : [`says: ${end.error?.message}`];
  const leaked = /secret|a-key/u.test(end.error?.message ?? '') ? ['a secret stands in the message'] : [];
  return [
    ...wrong.map(([name, wanted, got]) => `${name}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`),
    ...missing,
    ...leaked,
  ];
}

function saidIn(parts: readonly StreamPart[]): { text: string; thoughts: string; calls: readonly string[] } {
  const said = { text: '', thoughts: '' };
  const calls: string[] = [];
  for (const part of parts) {
    if (part.type === 'text-delta') said.text += part.text;
    if (part.type === 'reasoning-delta') said.thoughts += part.text;
    if (part.type === 'text-was-thought') [said.thoughts, said.text] = [said.thoughts + said.text, ''];
    if (part.type === 'tool-call') calls.push(`${part.call.name} ${JSON.stringify(part.call.input)}`);
  }
  return { ...said, calls };
}

async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
}
