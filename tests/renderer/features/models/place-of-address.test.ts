import { expect, it } from 'vitest';
import { placeOfAddress } from '../../../../src/renderer/features/models/new-endpoint.tsx';

/** Catches: a host elsewhere that counts as this network, so that what must stay here is sent to it. */
it('the place of a new endpoint is here only for whole names and addresses of this machine and its network', () => {
  const here = [
    'http://localhost:1234/v1',
    'http://127.0.0.1:8080',
    'http://[::1]:8080/v1',
    'http://10.0.0.7/v1',
    'http://172.16.0.9/v1',
    'http://192.168.1.20:11434',
    'http://box.local:1234',
  ];
  const elsewhere = [
    '',
    'http://',
    'https://localhost.example.com/v1',
    'https://localhosting.example/v1',
    'https://10.example.com',
    'https://127.0.0.1.example.com',
    'https://192.168.example.com',
    'https://172.15.0.1',
    'https://172.32.0.1',
    'https://api.example.com/localhost',
    'https://localhost@example.com',
  ];
  expect(here.map(placeOfAddress)).toEqual(here.map(() => 'local'));
  expect(elsewhere.map(placeOfAddress)).toEqual(elsewhere.map(() => 'cloud'));
});
