import { hostname, networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { lookupOnThisMachine } from '../../../../src/main/lib/net/own-lookup.ts';
import { isLoopbackHost, isThisMachine } from '../../../../src/main/lib/net/this-machine.ts';

// Bug: a name that only begins like a local address would be trusted as this machine, without encryption and with its
// folders.
it.each([
  ['http://localhost:3000/', true],
  ['http://LOCALHOST./', true],
  ['http://127.0.0.1/', true],
  ['http://127.1/', true],
  ['http://127.0.0.2/', true],
  ['http://0x7f000001/', true],
  ['http://[::1]/', true],
  ['http://[::ffff:127.0.0.1]/', true],
  ['http://127.example.org/', false],
  ['http://127.0.0.1.example.org/', false],
  ['http://localhost.example.org/', false],
  ['http://10.0.0.1/', false],
  ['http://[::ffff:10.0.0.1]/', false],
  // A resolver might be asked for these.
  ['http://app.localhost/', false],
  [`http://${hostname()}/`, false],
])('isLoopbackHost says of %s whether it is this machine, without a resolver: %s', (address, isHere) => {
  expect(isLoopbackHost(new URL(address).hostname)).toBe(isHere);
});

const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);

// Bug: a prompt for a server on this machine goes to a company's proxy, or counts as sent to another machine.
it.each([
  'localhost',
  'localhost.',
  'app.localhost',
  'APP.Localhost.',
  'localhost.localdomain',
  'localhost4.localdomain4',
  'localhost6.localdomain6',
  'ip6-localhost',
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.255',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '127.0.0.1.',
  '0.0.0.0',
  '0',
  '::',
  '[::]',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  '[::ffff:7f00:2]',
  '0:0:0:0:0:0:0:1',
  hostname(),
  hostname().toUpperCase(),
  `${hostname().split('.')[0]}.local`,
  ...own.map(({ address }) => address),
  ...own.filter(({ family }) => family === 'IPv4').map(({ address }) => `[::ffff:${address}]`),
])('isThisMachine accepts %s', (host) => {
  expect(isThisMachine(host)).toBe(true);
});

it.each([
  '',
  '.',
  'example.org',
  '127.example.org',
  'localhost.example.org',
  'notlocalhost',
  'local',
  '10.255.255.254',
  '128.0.0.1',
  '[::ffff:8.8.8.8]',
  '::2',
  '2001:db8::1',
  `${hostname()}.example.org`,
  'a b',
  '127.0.0.1@evil.org',
])('isThisMachine refuses %s', (host) => {
  expect(isThisMachine(host)).toBe(false);
});

const found = (host: string): Promise<unknown> =>
  new Promise((resolve) => lookupOnThisMachine(host, { all: true }, (error, answer) => resolve(error ?? answer)));

it('a name below localhost is looked up on this machine, although no resolver knows it', async () => {
  const loopback = ['127.0.0.1', '::1'];
  const answer = await found('nobody-knows-this.localhost');
  expect(Array.isArray(answer) && answer.length > 0).toBe(true);
  expect(answer).toEqual(expect.arrayContaining([{ address: expect.toBeOneOf(loopback), family: expect.any(Number) }]));
});
