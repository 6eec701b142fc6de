import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createNetFetch } from '../../../../../src/main/lib/net/net-fetch.ts';
import { createServiceFetch } from '../../../../../src/main/models/providers/api/service-fetch.ts';
import { connectionError } from '../../../../../src/main/models/providers/openai/openai-errors.ts';
import { freePort } from '../../../../fakes/free-port.ts';
import { selfSigned } from '../../../../fakes/self-signed.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(server: Server): Promise<string> {
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const saying = (text: string) => (socket: Socket) => {
  socket.on('error', () => undefined);
  socket.write(text, () => setTimeout(() => socket.destroy(), 20));
};

interface Said {
  readonly message: string;
  readonly retryable: boolean;
}

async function failed(url: string, { certificates = null }: { readonly certificates?: string | null } = {}) {
  const get = createServiceFetch(createNetFetch(() => ({ proxy: null, certificates }), {}));
  return get(url, { method: 'POST', body: '{}' }).then(
    (): Said => ({ message: 'It answered.', retryable: false }),
    (error: unknown): Said => connectionError(error instanceof Error ? error : new Error(String(error))),
  );
}

/** A server with this certificate, which is trusted. */
async function encrypted(names: readonly string[], until?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'next-step-'));
  closing.push(() => rm(folder, { recursive: true }));
  const { key, cert } = selfSigned(names, until);
  const certificates = join(folder, 'own.pem');
  await writeFile(certificates, cert);
  const at = await listen(createTlsServer({ key, cert }, (_message, response) => response.end('{}')));
  return { url: at.replace('127.0.0.1', 'https://localhost'), certificates };
}

// Catches: a bare ECONNREFUSED, and the advice to trust a certificate that is expired or for another name.
it('the hint after a failed connection says what to do when nothing listens', async () => {
  const { message, retryable } = await failed(`http://127.0.0.1:${await freePort()}`);
  expect(message).toMatch(/ECONNREFUSED 127\.0\.0\.1:\d+\. Is the server running\? Start it\./u);
  expect(retryable).toBe(true);
});

it('the hint after a failed connection names what usually listens at a local port', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1234'), { code: 'ECONNREFUSED' });
  const get = createServiceFetch(() => Promise.reject(new TypeError('fetch failed', { cause: refused })));
  const said = async (url: string): Promise<string> =>
    get(url).then(
      () => '',
      (error: unknown) => (error instanceof Error ? connectionError(error).message : ''),
    );
  expect(await said('http://localhost:1234/v1')).toContain('Is LM Studio running?');
  expect(await said('http://localhost:11434/v1')).toContain('"ollama serve"');
  expect(await said('http://192.168.1.9:1234/v1')).toContain('nothing listens at this port');
});

it('the hint after a failed connection says that a host name does not exist', async () => {
  const { message } = await failed('http://no-such-machine.invalid/v1');
  expect(message).toMatch(/No machine has this name|Check your network connection/u);
});

it('the hint after a failed connection says that it was closed', async () => {
  const at = await listen(createServer((socket) => socket.on('data', () => socket.destroy())));
  expect((await failed(`http://${at}`)).message).toContain('closed before an answer');
});

it('the hint after a failed connection says that the server speaks no HTTP', async () => {
  const at = await listen(createServer(saying('220 mail.example ESMTP\r\n')));
  expect((await failed(`http://${at}`)).message).toContain('does not speak HTTP');
});

it('the hint after a failed connection says that the server has no encryption', async () => {
  const at = await listen(createServer(saying('HTTP/1.1 400 Bad Request\r\n\r\n')));
  const said = await failed(`https://${at}`);
  expect(said).toMatchObject({ message: expect.stringContaining('begins with http://'), retryable: false });
});

it.each([
  ['trusted', ['localhost'], undefined, /It answered/u],
  ['for another name', ['elsewhere.invalid'], undefined, /for another name: .*Check the address/u],
  ['expired', ['localhost'], '240101000000Z', /has expired.*clock of this machine/u],
] as const)(
  'the hint after a failed connection says whether a certificate is %s',
  async (_what, names, until, words) => {
    const { url, certificates } = await encrypted(names, until);
    expect(await failed(url, { certificates })).toMatchObject({
      message: expect.stringMatching(words),
      retryable: false,
    });
  },
);

it('the hint after a failed connection says that the authority of a certificate is unknown', async () => {
  const { url } = await encrypted(['localhost']);
  expect((await failed(url)).message).toMatch(/not trusted: .*connection\.certificates/u);
});
