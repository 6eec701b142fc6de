import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNetFetch } from '../../../../src/main/lib/net/net-fetch.ts';
import type { Lookup } from '../../../../src/main/lib/net/own-lookup.ts';
import { rootCause } from '../../../../src/main/lib/net/root-cause.ts';
import { lookupIn, placeFile } from '../../../../src/main/tools/mcp/kept-place.ts';
import { isPublicAddress } from '../../../../src/main/sandbox/network/address-rules.ts';
import { createKeptOffers } from '../../../../src/main/tools/servers/server-library.ts';
import { createToolPins } from '../../../../src/main/tools/servers/tool-pins.ts';
import { createToolServers } from '../../../../src/main/tools/servers/tool-servers.ts';
import { hashOfServer } from '../../../../src/main/tools/servers/server-switches.ts';
import { serverDefinitionSchema } from '../../../../src/shared/tools/server-definition.ts';

let folder: string;
/** What the network says of every name now. */
let says: readonly string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-place-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const resolve: Lookup = (_host, _options, answer) =>
  answer(
    null,
    says.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
const isPublic = (address: string): boolean => isPublicAddress(address);
const server = { name: 'made', sha256: 'a'.repeat(64) };
/** A new one each time, as after a restart. */
const look = (which = server): Promise<readonly string[]> =>
  new Promise((done, fail) => {
    lookupIn(folder, which, { resolve, isPublic })('mcp.example.org', { all: true }, (error, found) =>
      error === null ? done(typeof found === 'string' ? [found] : found.map(({ address }) => address)) : fail(error),
    );
  });

const internet = '93.184.215.14';

describe('the name of a tool server without encryption', () => {
  /** Catches: a name that leads into the internet when it is approved, and to the router of the user afterwards. */
  it.each([
    ['a device of the network', '192.168.1.1'],
    ['this machine', '127.0.0.1'],
    ['this machine in IPv6', '::1'],
    ['this machine inside IPv6', '::ffff:127.0.0.1'],
    ['all interfaces', '0.0.0.0'],
    ['the metadata of a cloud', '169.254.169.254'],
  ])('that led into the internet once may not lead to %s', async (_, address) => {
    says = [internet];
    expect(await look()).toEqual([internet]);
    says = [address];
    await expect(look()).rejects.toThrow('mcp.example.org led into the internet before, and now leads');
    await expect(look()).rejects.toThrow('Nothing was sent. If you moved the server, remove it and add it again');
    says = [address, '93.184.215.99'];
    expect(await look()).toEqual(['93.184.215.99']);
  });

  it('that led into a private network may not lead into the internet', async () => {
    says = ['10.0.0.7'];
    await look();
    says = [internet];
    await expect(look()).rejects.toThrow('led into your own network before, and now leads into the internet');
    says = ['10.0.0.8'];
    expect(await look()).toEqual(['10.0.0.8']);
  });

  it('with several addresses keeps the one farthest away', async () => {
    says = ['127.0.0.1', internet, '10.0.0.7'];
    expect(await look()).toEqual([internet]);
    says = ['10.0.0.7'];
    await expect(look()).rejects.toThrow('Nothing was sent');
  });

  it('is checked anew for a new or removed definition, and refused for a damaged record', async () => {
    says = [internet];
    await look();
    says = ['10.0.0.7'];
    expect(await look({ name: 'made', sha256: 'b'.repeat(64) })).toEqual(['10.0.0.7']);
    await createKeptOffers(folder).drop('made');
    expect(existsSync(placeFile(folder, 'made'))).toBe(false);
    expect(await look()).toEqual(['10.0.0.7']);
    writeFileSync(placeFile(folder, 'made'), '{"server":');
    await expect(look()).rejects.toThrow('cannot be read, so nothing was sent');
  });
});

describe('a connection to such a tool server', () => {
  let asked = 0;
  let running: Server;
  let port: number;

  beforeEach(async () => {
    asked = 0;
    running = createServer((_request, response) => {
      asked += 1;
      response.setHeader('connection', 'close').end('hello');
    });
    await new Promise<void>((done) => running.listen(0, '127.0.0.1', done));
    port = (running.address() as AddressInfo).port;
  });
  afterEach(() => new Promise((done) => running.close(done)));

  it('ends before anything is sent when the name leads elsewhere', async () => {
    const reach = createNetFetch(
      () => ({ proxy: null, certificates: null }),
      {},
      { lookup: lookupIn(folder, server, { resolve, isPublic }) },
    );
    const address = `http://mcp.example.org:${port}/`;
    says = ['127.0.0.1'];
    expect(await (await reach(address)).text()).toBe('hello');
    says = ['10.255.255.1'];
    const failed = await reach(address).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Error);
    if (failed instanceof Error)
      expect(rootCause(failed).message).toContain('led to this machine before, and now leads into your own network');
    expect(asked).toBe(1);
  });

  it.each([
    ['http://mcp.example.org/mcp', true],
    ['HTTP://mcp.example.org/mcp', true],
    ['https://mcp.example.org/mcp', false],
  ])('of %s uses the checked lookup: %s', async (url, isHeld) => {
    const definition = serverDefinitionSchema.parse({ kind: 'http', url });
    const lookups: Lookup[] = [];
    const none = async (): Promise<Response> => Promise.reject(new Error('no network here'));
    const servers = createToolServers({
      servers: () => ({ made: { definition, approved: hashOfServer('made', definition), isOn: true, off: [] } }),
      projects: () => ({}),
      pins: createToolPins(folder),
      folder,
      secret: async () => null,
      signIns: { forServer: () => null },
      now: () => 0,
      version: '0',
      fetch: none,
      held: {
        reachBy: (lookup) => {
          lookups.push(lookup);
          return { fetch: none };
        },
        isPublic,
      },
      start: () => Promise.reject(new Error('not started')),
    });
    await expect(servers.connect('made', new AbortController().signal)).rejects.toThrow('no network here');
    expect(lookups).toHaveLength(isHeld ? 1 : 0);
    await servers.dispose();
  });
});
