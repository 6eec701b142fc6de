import { createServer } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { providerSettingsSchema } from '../../src/shared/settings/settings.ts';
import { wireFormats } from '../fakes/wire/streams.ts';
import { describeService, type Spent } from '../live/live-service.ts';

/*
 * Runs what `npm run test:live` does with real services against servers of this machine, so that it works for users
 * with a key.
 */

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

for (const format of wireFormats) {
  const server = createServer((message, response) => {
    message.resume();
    if (!String(message.headers[format.keyHeader] ?? message.headers['x-api-key']).includes('a-key')) {
      response.writeHead(401, { 'content-type': 'application/json' }).end(format.errorBody('Wrong key.'));
      return;
    }
    const isList = message.method === 'GET';
    response.writeHead(200, { 'content-type': isList ? 'application/json' : 'text/event-stream' });
    response.end(isList ? format.list : format.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => server.close());
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const settings = providerSettingsSchema.parse({
    kind: format.kind,
    baseUrl: `http://127.0.0.1:${port}${format.basePath}`,
    models: { m: { tools: true, price: { input: 1, output: 2, source: 'test', date: '2026-11-22' } } },
  });
  const spent: Spent[] = [];
  describe('a service that is there', () => {
    describeService({ name: format.kind, settings, key: 'a-key' }, (one) => spent.push(one));
    it(`reports what both calls of ${format.kind} cost`, () => {
      const { freshInput, cacheRead, cacheWrite, output } = format.usage;
      const usd = (freshInput + cacheRead + cacheWrite + output * 2) / 1e6;
      expect(spent.map((one) => one.usd?.toFixed(9))).toEqual([usd.toFixed(9), usd.toFixed(9)]);
    });
  });
}
