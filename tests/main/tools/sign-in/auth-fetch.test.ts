import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../../src/main/sandbox/network/address-rules.ts';
import type { OutboundConnections } from '../../../../src/main/sandbox/network/outbound-connections.ts';
import { createWebClient } from '../../../../src/main/sandbox/network/web-client.ts';
import { createAuthFetch, placeOf } from '../../../../src/main/tools/sign-in/auth-fetch.ts';

const signal = new AbortController().signal;

/** A network of names. It records where a connection would go, and nothing answers. */
function net(names: Readonly<Record<string, readonly string[]>>) {
  const dialled: string[] = [];
  const outward: OutboundConnections = {
    resolve: async (host) => names[host] ?? [host],
    connect: async (address) => {
      dialled.push(address);
      throw new Error('nobody answers');
    },
    proxyFor: () => null,
    connectProxy: () => Promise.reject(new Error('there is none')),
    certificates: async () => '',
  };
  const hasInnerAddress = async (host: string): Promise<boolean> =>
    (await outward.resolve(host, signal)).some((address) => !isPublicAddress(address));
  return {
    dialled,
    ask: async (serverUrl: string, address: string): Promise<string> => {
      const place = await placeOf(serverUrl, hasInnerAddress);
      const reach = createAuthFetch({ exchange: createWebClient(outward), place }, signal);
      return reach(address).then(
        () => 'answered',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    },
  };
}

const names = {
  'mcp.example.org': ['93.184.215.14'],
  '127.example.org': ['93.184.215.17'],
  'login.example.org': ['93.184.215.15'],
  'trap.example.org': ['93.184.215.16', '10.0.0.7'],
  'mcp.office.example.org': ['10.0.0.8'],
  'sso.office.example.org': ['10.0.0.9'],
};

describe('a sign-in address that a server names', () => {
  it.each([
    ['https://login.example.org/token', ['93.184.215.15']],
    ['http://login.example.org/token', []],
    ['https://trap.example.org/token', []],
    ['https://sso.office.example.org/token', []],
    ['https://10.0.0.1/token', []],
    ['https://169.254.169.254/latest/meta-data', []],
    ['https://localhost/token', []],
    ['https://[::1]/token', []],
    ['http://127.0.0.1/token', []],
    ['https://me:secret@login.example.org/token', []],
    ['file:///etc/passwd', []],
    ['data:application/json,{}', []],
  ])('in the public internet is reached only there: %s', async (address, reached) => {
    const { ask, dialled } = net(names);
    const said = await ask('https://mcp.example.org/mcp', address);
    expect(dialled).toEqual(reached);
    expect(said).toMatch(/was not reached|is not used/u);
  });

  /** Catches: a server that opens the network of this machine by pointing its own name there. */
  it.each([
    'https://10.0.0.1/token',
    'https://localhost/token',
    'https://intranet.example.net/token',
    'https://sso.office.example.org/token',
  ])("does not reach a private network because the server's own name does: %s", async (address) => {
    const { ask, dialled } = net({ ...names, 'mcp.evil.com': ['10.0.0.7'], 'intranet.example.net': ['10.0.0.6'] });
    await ask('https://mcp.evil.com/mcp', address);
    expect(dialled).toEqual([]);
    await ask('https://mcp.evil.com/mcp', 'https://mcp.evil.com/token');
    expect(dialled).toEqual(['10.0.0.7']);
  });

  it("may lie in the server's own private network, and must be encrypted", async () => {
    const { ask, dialled } = net(names);
    await ask('https://mcp.office.example.org/mcp', 'https://sso.office.example.org/token');
    expect(dialled).toEqual(['10.0.0.9']);
    expect(await ask('https://mcp.office.example.org/mcp', 'http://sso.office.example.org/token')).toContain(
      'it is not encrypted',
    );
    expect(await ask('https://mcp.office.example.org/mcp', 'http://127.0.0.1:8080/token')).toContain(
      'it is not encrypted',
    );
    expect(dialled).toEqual(['10.0.0.9']);
  });

  it("must be public if the server's name only resembles a local one", async () => {
    const { ask, dialled } = net(names);
    expect(await ask('https://127.example.org/mcp', 'http://127.0.0.1/token')).toContain('it is not encrypted');
    expect(await ask('https://127.example.org/mcp', 'https://10.0.0.1/token')).toContain('your own network');
    expect(dialled).toEqual([]);
  });

  it('needs no encryption for a server on this machine', async () => {
    const { ask, dialled } = net({ localhost: ['127.0.0.1'] });
    await ask('http://localhost:3000/mcp', 'http://127.0.0.1:4000/token');
    expect(dialled).toEqual(['127.0.0.1']);
  });
});
