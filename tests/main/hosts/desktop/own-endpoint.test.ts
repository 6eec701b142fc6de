import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEndpointSwitch } from '../../../../src/main/hosts/desktop/own-endpoint.ts';
import type { EndpointKit } from '../../../fakes/endpoint-kit.ts';
import { openEndpointKit } from '../../../fakes/endpoint-kit.ts';

/**
 * Catches: an app that serves programs before the user switched that on or after they switched it off, or that hides
 * why it does not listen.
 */
let kit: EndpointKit;
beforeEach(async () => {
  kit = await openEndpointKit();
});
afterEach(() => kit.close());

const models = async (url: string, key: string): Promise<number> =>
  (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;

it('the endpoint of the app answers from being switched on until it is switched off', async () => {
  const endpoint = createEndpointSwitch(async () => kit.core.client, 0);
  expect(await endpoint.apply()).toEqual({ isOn: false, url: null, problem: null });
  const key = await kit.key('my-editor');
  const { url } = await endpoint.set(true);
  expect(await models(url ?? '', key)).toBe(200);
  expect((await endpoint.apply()).url).toBe(url);
  await kit.reopen();
  expect(await models(url ?? '', key)).toBe(200);
  expect(await models(url ?? '', 'dew-wrong')).toBe(401);
  expect(await endpoint.set(false)).toEqual({ isOn: false, url: null, problem: null });
  await expect(models(url ?? '', key)).rejects.toThrow();
});

it('the endpoint of the app says what keeps it from listening', async () => {
  const other = createServer();
  const port = await new Promise<number>((done) => {
    other.listen(0, '127.0.0.1', () => {
      const address = other.address();
      done(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  const endpoint = createEndpointSwitch(async () => kit.core.client, port);
  const state = await endpoint.set(true);
  expect([state.isOn, state.url]).toEqual([true, null]);
  expect(state.problem).toContain(String(port));
  other.close();
});
