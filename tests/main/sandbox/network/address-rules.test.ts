import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../../src/main/sandbox/network/address-rules.ts';

const none = new Set<string>();

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.100.100.200',
    '169.254.169.254',
    '169.254.0.1',
    '168.63.129.16',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '224.0.0.1',
    '239.1.1.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '0:0:0:0:0:ffff:7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:10::1',
    '2002:7f00:1::',
    '2002:c0a8:101::1',
    '100::1',
    '5f00::1',
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '1.2.3',
    '8.8.8.8 ',
    '[2606:4700::1]',
  ])('%j is not reached', (address) => {
    expect(isPublicAddress(address, none)).toBe(false);
  });

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '192.167.1.1',
    '203.0.113.7',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('%j is reached', (address) => {
    expect(isPublicAddress(address, none)).toBe(true);
  });

  it("of this machine's own is not reached, even if it is public, in any spelling", () => {
    const own = new Set(['8.8.8.8', '2606:4700::1111']);
    expect(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700:0:0:0:0:0:1111'].map((each) => isPublicAddress(each, own))).toEqual(
      [false, false, false],
    );
  });
});
