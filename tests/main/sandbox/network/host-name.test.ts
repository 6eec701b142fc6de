import { describe, expect, it } from 'vitest';
import { canonicalHost } from '../../../../src/shared/safety/host-name.ts';
import { fuzzedTargets } from '../../../fakes/fuzzed-targets.ts';
import { judgeTarget } from '../../../../src/main/sandbox/network/judge-target.ts';

const list = new Set(['files.example.org', 'a-1.example.org']);

describe('the normal form of a host name', () => {
  it.each([
    ['files.example.org', 'files.example.org'],
    ['FILES.Example.ORG', 'files.example.org'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['a.b', 'a.b'],
  ])('of %j is %j', (text, host) => {
    expect(canonicalHost(text)).toBe(host);
  });

  it.each([
    '',
    '.',
    'localhost',
    'files',
    'files.example.org.',
    '.example.org',
    'files..example.org',
    'files.example.org ',
    ' files.example.org',
    'files.example.org\u0000',
    'files.example.org\u0000.evil.example',
    'files.example.org\n',
    'files.example.org\r\nHost: evil.example',
    'files.example.org/',
    'files.example.org#',
    'files.example.org?',
    'files.example.org@evil.example',
    'files.example.org:443',
    'files.example.org%2eevil.example',
    'files_example.org',
    '-files.example.org',
    'files-.example.org',
    '*.example.org',
    'файл.example',
    'ｆiles.example.org',
    'files。example.org',
    'files\u200b.example.org',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '1.2.3.0x4',
    'a.0x',
    '[::1]',
    '::1',
    '::ffff:127.0.0.1',
    'fe80::1%eth0',
    '1.2.3.4.',
    'metadata.google.internal',
    'printer.local',
    'db.localhost',
    'router.lan',
    'intranet.corp',
    'x.home.arpa',
    '1.0.0.127.in-addr.arpa',
    `${'a'.repeat(64)}.example.org`,
    `${'a.'.repeat(130)}org`,
  ])('does not exist for %j', (text) => {
    expect(canonicalHost(text)).toBeNull();
  });
});

describe('the target of a connection', () => {
  it.each([
    ['files.example.org', 443, true],
    ['files.example.org:443', 443, true],
    ['Files.Example.Org:443', 443, true],
    ['files.example.org:80', 443, false],
    ['files.example.org:443', 80, false],
    ['files.example.org:0443', 443, true],
    ['files.example.org:4430', 443, false],
    ['files.example.org:443:443', 443, false],
    ['files.example.org:', 443, false],
    ['files.example.org:+443', 443, false],
    ['files.example.org:65979', 443, false],
    ['files.example.org.evil.example:443', 443, false],
    ['evil-files.example.org:443', 443, false],
    ['example.org:443', 443, false],
    ['user@files.example.org:443', 443, false],
    ['203.0.113.7:443', 443, false],
  ] as const)('%j is let through on port %j: %j', (target, port, isAllowed) => {
    expect(judgeTarget(target, port, list).ok).toBe(isAllowed);
  });

  it('that is refused is shown without hidden characters', () => {
    const judged = judgeTarget('evil\u202e\u0007\r\n.example:443', 443, list);
    expect(judged).toEqual({
      ok: false,
      shown: 'evil\\u202e\\u0007\\u000d\\u000a.example',
      port: 443,
      reason: 'bad-host',
    });
  });

  it('is refused for all of 100,000 names that resemble a listed one', () => {
    const wrong: string[] = [];
    let allowed = 0;
    for (const target of fuzzedTargets(100_000, 7)) {
      const judged = judgeTarget(target, 443, list);
      if (!judged.ok) continue;
      allowed += 1;
      const [host = ''] = target.toLowerCase().split(':');
      if (!list.has(judged.host) || judged.host !== host) wrong.push(target);
    }
    expect(wrong).toEqual([]);
    // The test would prove nothing if none of the names came close to an allowed one.
    expect(allowed).toBeGreaterThan(500);
  });
});
