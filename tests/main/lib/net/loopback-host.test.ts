import { expect, it } from 'vitest';
import { isLoopbackHost } from '../../../../src/main/lib/net/loopback-host.ts';

// Bug: a name that only begins like a local address would be trusted as this machine, without encryption and with its
// folders.
it.each([
  ['http://localhost:3000/', true],
  ['http://127.0.0.1/', true],
  ['http://127.1/', true],
  ['http://[::1]/', true],
  ['http://127.example.org/', false],
  ['http://127.0.0.1.example.org/', false],
  ['http://localhost.example.org/', false],
  ['http://10.0.0.1/', false],
])('says of %s whether it is this machine: %s', (address, isHere) => {
  expect(isLoopbackHost(new URL(address).hostname)).toBe(isHere);
});
