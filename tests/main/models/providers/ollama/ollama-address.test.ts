import { createServer, type RequestListener } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { createNetFetch } from '../../../../../src/main/lib/net/net-fetch.ts';
import { messageOf } from '../../../../../src/shared/errors.ts';
import { freePort } from '../../../../fakes/free-port.ts';
import { allProviders, providerDependencies } from '../../../../fakes/provider-kit.ts';

const none = new AbortController().signal;
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closing.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

async function statusAt(baseUrl: string): Promise<string> {
  const fetch = createNetFetch(() => ({ proxy: null, certificates: null }), {}, { silenceMs: 0 });
  const definition = allProviders().get('ollama');
  const settings = definition?.settings.parse({ kind: 'ollama', baseUrl });
  const provider = definition?.create(providerDependencies({ fetch }), { id: 'ollama', settings });
  const status = await provider?.server?.status(none).catch((error: unknown) => ({ text: messageOf(error) }));
  return status?.text ?? '';
}

/** Catches: a second way to read an address, in which a pasted end, parameters or a password are lost or shown. */
it('the address of Ollama is read like that of every provider', async () => {
  const seen: unknown[] = [];
  const host = await serve((message, response) => {
    seen.push([message.url, message.headers.authorization]);
    response.setHeader('content-type', 'application/json').end('{"version":"0.17.4"}');
  });
  expect(await statusAt(`http://me:secret@${host}//ollama//v1/?team=1`)).toBe(`Ollama 0.17.4 at http://${host}/ollama`);
  expect(seen).toEqual([['/ollama/api/version?team=1', `Basic ${btoa('me:secret')}`]]);
});

/** Catches: a prompt that goes to another server, and advice to start a server that runs. */
it.each([
  { what: 'another server', status: 308, location: 'https://elsewhere.invalid/', words: /Nothing was sent there/u },
  {
    what: 'a page',
    status: 200,
    type: 'text/html',
    body: '<html><title>Login</title>',
    words: /a web page \("Login"\)/u,
  },
  { what: 'a page of a proxy', status: 502, type: 'text/html', body: '<html>', words: /server behind it/u },
  { what: 'nothing at this path', status: 404, body: '404 page not found', words: /Check the base URL/u },
])(
  'the error for the address of Ollama says what stands there: $what',
  async ({ status, location, type = 'text/plain', body = '', words }) => {
    const headers = { 'content-type': type, ...(location === undefined ? {} : { location }) };
    const host = await serve((_message, response) => void response.writeHead(status, headers).end(body));
    const said = await statusAt(`http://${host}`);
    expect(said).toMatch(words);
    expect(said).not.toMatch(/not running|ollama (serve|pull)/u);
  },
);

it('the error for the address of Ollama says how to start it only if nothing listens', async () => {
  const port = await freePort();
  expect(await statusAt(`http://127.0.0.1:${port}`)).toContain(
    `not running at http://127.0.0.1:${port}. Start it with`,
  );
  const away = await statusAt('http://no-such-machine.invalid:11434');
  expect(away).toMatch(/no-such-machine\.invalid.*Check|name could not be looked up/u);
  expect(away).not.toContain('ollama serve');
});
