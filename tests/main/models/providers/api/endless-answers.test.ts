import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { neverAborts } from '../../../../../src/main/lib/async/abort.ts';
import { limitedAnswer, beginningOf } from '../../../../../src/main/lib/net/limited-answer.ts';
import { directFetch } from '../../../../../src/main/lib/net/net-fetch.ts';
import { listenHere } from '../../../../../src/main/hosts/loopback-requests.ts';
import { createEventFetch } from '../../../../../src/main/models/providers/api/plain-events.ts';
import { getJson } from '../../../../../src/main/models/providers/api/get-json.ts';
import { createServiceFetch } from '../../../../../src/main/models/providers/api/service-fetch.ts';
import { wholeLines } from '../../../../../src/main/models/providers/ollama/json-lines.ts';

const piece = Buffer.alloc(65_536, 'a');

/** A server in the network that sends without end, whatever it is asked. */
const server = createServer(({ url = '' }, response) => {
  const type = url === '/page' ? 'text/html' : 'application/json';
  response.writeHead(url === '/refusal' ? 500 : 200, { 'content-type': type });
  const send = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', send).on('error', () => undefined);
  send();
});
let address = '';

// Catches: a server whose refusal, page or list filled the memory of the core until it was killed.
describe('an answer that does not end', () => {
  beforeAll(async () => {
    address = `http://127.0.0.1:${await listenHere(server, 0)}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const reach = createEventFetch(createServiceFetch(directFetch));

  it('is read as far as a refusal or a page of a service goes', async () => {
    const refused = await reach(`${address}/refusal`, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(500);
    expect(await refused.text()).toHaveLength(100_000);
    await expect(reach(`${address}/page`, { method: 'POST', body: '{}' })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('not with a model') },
    });
  });

  it('is refused as a list of models', async () => {
    const asked = { url: `${address}/list`, headers: {}, fetch: reach, signal: neverAborts };
    await expect(getJson(asked)).rejects.toThrow('sent more than 67 MB, so its answer was not read');
  });

  it('ends with an error once it is unpacked to more than fits', async () => {
    const packed = await new Response(
      new Blob([Buffer.alloc(1_000_000)]).stream().pipeThrough(new CompressionStream('gzip')),
    ).arrayBuffer();
    const unpacked = new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip')));
    await expect(limitedAnswer(unpacked, 500_000).text()).rejects.toThrow('sent more than 1 MB');
    expect(await limitedAnswer(new Response('whole', { status: 404 }), 5).text()).toBe('whole');
    expect(await beginningOf(new Response('a long text'), 6)).toBe('a long');
  });

  it('is put together from lines that come in any pieces', async () => {
    const pieces = async function* () {
      for (const text of ['"', ...Array<string>(2_000).fill('a'), '"\n{}\n1']) yield Buffer.from(text);
    };
    const lines: string[] = [];
    for await (const line of wholeLines(pieces(), () => undefined)) lines.push(Buffer.from(line).toString());
    expect(lines).toEqual([`"${'a'.repeat(2_000)}"\n`, '{}\n', '1\n']);
  });
});
