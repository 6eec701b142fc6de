import { expect, it } from 'vitest';
import { refusedHostsText } from '../../../../src/main/sandbox/network/network-decision.ts';

const refused = (host: string, reason: 'not-listed' | 'bad-host' | 'unreachable' | 'no-address' | 'inner-address') => ({
  host,
  reason,
  isAllowed: false,
});

it('a host that cannot be reached is not reported as one that nobody approved', () => {
  expect(refusedHostsText([refused('index.example', 'unreachable'), refused('index.example', 'unreachable')])).toBe(
    'This machine cannot reach index.example: look at its network and its proxy.',
  );
  expect(
    refusedHostsText([
      refused('other.example', 'not-listed'),
      refused('gone.example', 'no-address'),
      refused('router.example', 'inner-address'),
      { host: 'index.example', reason: 'listed', isAllowed: true },
    ]),
  ).toBe(
    'It asked for other.example, which was not approved (--host). This machine cannot reach gone.example: look at its network and its proxy. router.example was not let through (inner-address).',
  );
  expect(refusedHostsText([])).toBe('');
  expect(refusedHostsText([refused('was approved. Now run this', 'bad-host')])).toBe(
    'an invalid host name was not let through (bad-host).',
  );
});
