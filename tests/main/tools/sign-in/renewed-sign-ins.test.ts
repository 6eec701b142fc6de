import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { messageOf } from '../../../../src/shared/errors.ts';
import type { ToolResult } from '../../../../src/main/tools/define.ts';
import type { McpConnection } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import { connectMcp } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import type { LongSecrets } from '../../../../src/main/safety/keys/long-secrets.ts';
import type { ServerAuth, ServerSignIns } from '../../../../src/main/tools/sign-in/server-sign-ins.ts';
import type { OauthWorld, TokenFault } from '../../../fakes/oauth-server.ts';
import { createOauthWorld } from '../../../fakes/oauth-server.ts';
import { browse, realSignIns, signInDefinition, tableSecrets } from '../../../fakes/sign-in-kit.ts';

const signal = new AbortController().signal;
const quiet = { signal, onProgress: () => undefined };
let home: string;
let world: OauthWorld;
let secrets: ReturnType<typeof tableSecrets>;
let signIns: ServerSignIns;
let hours: number;
const open: McpConnection[] = [];

const now = (): number => Date.now() + hours * 3_600_000;
const make = (store: LongSecrets = secrets): ServerSignIns => realSignIns(home, store, { now });

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'dewpoint-renew-'));
  world = await createOauthWorld();
  world.resourceMetadata = { scopes_supported: ['read'] };
  secrets = tableSecrets();
  hours = 0;
  signIns = make();
  await signIn();
});

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  await signIns.dispose();
  await world.close();
  rmSync(home, { recursive: true, force: true });
});

const definition = () => signInDefinition(world.mcpUrl);

async function signIn(): Promise<URLSearchParams> {
  let asked = '';
  let browsing: Promise<unknown> = Promise.resolve();
  await signIns.start('tracker', definition(), {
    signal,
    onOpen: ({ url }) => {
      asked = url;
      browsing = browse(url);
    },
  });
  await browsing;
  return new URL(asked).searchParams;
}

function authOf(by: ServerSignIns = signIns): ServerAuth {
  const auth = by.forServer('tracker', definition());
  if (auth === null) throw new Error('an address takes a sign-in');
  return auth;
}

async function connect(): Promise<McpConnection> {
  const connection = await connectMcp(
    {
      name: 'tracker',
      definition: definition(),
      secrets: {},
      fetch,
      auth: authOf(),
      start: () => Promise.reject(new Error('Nothing is started for an address.')),
      version: '1',
      onChanged: () => undefined,
    },
    signal,
  );
  open.push(connection);
  return connection;
}

const report = () => signIns.report('tracker', definition());
const kept = (): string => secrets.table.get('tools.tracker.sign-in') ?? '';
const refreshToken = (): string => /refresh-[\w-]+/u.exec(kept())?.[0] ?? 'none';

describe('an expired or refused token', () => {
  it('is renewed before it expires, and the new one is kept', async () => {
    const before = refreshToken();
    hours = 0.9999;
    const token = await authOf().provider.token();
    expect(world.isAccess(token ?? '')).toBe(true);
    expect(world.refreshes()).toBe(1);
    expect(refreshToken()).not.toBe(before);
    expect(world.holds(refreshToken())).toBe(true);
  });

  it('is renewed once for parallel calls, and none of them fails', async () => {
    const connection = await connect();
    world.revokeAll('access');
    const calls = Array.from({ length: 8 }, () => connection.call('read', {}, quiet));
    const results: readonly ToolResult[] = await Promise.all(calls);
    expect(new Set(results.map(({ output }) => output))).toEqual(new Set(['read: done']));
    expect(world.refreshes()).toBe(1);
  });

  it('is read from the store when another program has renewed it', async () => {
    const [here, there] = [authOf(), authOf(make())];
    await Promise.all([here.provider.token(), there.provider.token()]);
    hours = 2;
    await here.provider.token();
    const renewed = /access-[\w-]+/u.exec(kept())?.[0];
    expect(await there.provider.token()).not.toBeUndefined();
    expect(world.reuses()).toBe(0);
    expect(renewed).toBeDefined();
  });

  const faults: readonly TokenFault[] = ['500', '503', '429', 'cut', 'lost', 'garbage', 'endless', 'away'];
  it.each(faults)('is kept and renewed later when the service fails (%s)', async (fault) => {
    const before = kept();
    hours = 2;
    world.tokenFault = () => fault;
    const auth = authOf();
    await expect(auth.provider.token()).rejects.toMatchObject({
      code: 'network',
      message: expect.stringMatching(/^The sign-in to tracker could not be renewed: .* It was kept\.$/su),
    });
    expect(kept()).toBe(before);
    expect(await report()).toMatchObject({ isSignedIn: true, isNeeded: false, ended: null });
    world.tokenFault = () => 'none';
    expect(world.isAccess((await auth.provider.token()) ?? '')).toBe(true);
    expect(world.reuses()).toBe(0);
  });

  it('is used while it is valid, when the service cannot renew it now', async () => {
    const token = await authOf().provider.token();
    hours = 0.9999;
    world.tokenFault = () => '503';
    expect(await authOf().provider.token()).toBe(token);
  });

  it('asks for a new sign-in when the service ended it, once, and deletes nothing', async () => {
    world.revokeAll('all');
    const before = kept();
    await expect(connect()).rejects.toMatchObject({
      message: expect.stringMatching(/^The tool server tracker needs you to sign in again: 127\.0\.0\.1:\d+ ended it/u),
      hint: expect.stringContaining('dewpoint tools sign-in tracker'),
    });
    // The service repeats in its error what it was sent.
    await expect(connect()).rejects.not.toThrow(refreshToken());
    expect(kept()).toBe(before);
    expect(world.refreshes()).toBe(1);
    expect(await report()).toMatchObject({ isSignedIn: false, isNeeded: true });
    await signIn();
    expect((await (await connect()).call('read', {}, quiet)).status).toBe('ok');
  });

  it('that was just renewed is not renewed again', async () => {
    world.refusesAll = true;
    await expect(connect()).rejects.toThrow('needs you to sign in again: it refused a new token, too');
    expect(world.refreshes()).toBe(1);
    expect(await report()).toMatchObject({ isNeeded: true });
  });

  it('is not lost when the key store fails for a moment', async () => {
    let left = 1;
    const slow = {
      ...secrets,
      write: async (name: string, value: string) => {
        left -= 1;
        if (left >= 0) throw new Error('locked');
        secrets.table.set(name, value);
      },
    };
    hours = 2;
    const token = await authOf(make(slow)).provider.token();
    expect(world.isAccess(token ?? '')).toBe(true);
    expect(kept()).toContain(token);
  });

  it('does not replace a later sign-in that the key store kept', async () => {
    let isFull = true;
    const full = {
      ...secrets,
      write: async (name: string, value: string) => {
        if (isFull) throw new Error('full');
        secrets.table.set(name, value);
      },
    };
    signIns = realSignIns(home, full, { now, writeAgainMs: [] });
    hours = 2;
    const renewed = await authOf().provider.token();
    isFull = false;
    await signIn();
    expect(kept()).not.toContain(renewed);
    hours = 4;
    expect(await authOf().provider.token()).not.toBe(renewed);
    expect(world.refreshes()).toBe(2);
    expect(kept()).not.toContain(renewed);
  });

  // Bug: a state that this process could not store replaced what another process had stored meanwhile.
  it.each(['renewed', 'signed in anew', 'signed out'])(
    'does not replace that of another process that %s meanwhile',
    async (what) => {
      let isFull = true;
      const full = {
        ...secrets,
        write: async (name: string, value: string) => {
          if (isFull) throw new Error('full');
          secrets.table.set(name, value);
        },
      };
      const here = authOf(realSignIns(home, full, { now, writeAgainMs: [] }));
      hours = 2;
      const mine = await here.provider.token();
      expect(kept()).not.toContain(mine);
      isFull = false;
      if (what === 'renewed')
        secrets.table.set('tools.tracker.sign-in', kept().replace(/access-[\w-]+/u, 'access-other'));
      else if (what === 'signed out') await signIns.signOut('tracker', signal);
      else await signIn();
      const theirs = kept();
      hours = 4;
      const next = await here.provider.token().catch((error: unknown) => messageOf(error));
      if (what === 'signed out') expect(next).toContain('needs you to sign in');
      else expect(next).toBe(/access-[\w-]+/u.exec(kept())?.[0]);
      expect(next).not.toBe(mine);
      if (what === 'renewed') expect([next, kept()]).toEqual(['access-other', theirs]);
      expect(kept()).not.toContain(mine);
    },
  );

  it('is not renewed when the key store is locked, and the error says so', async () => {
    const locked = { ...secrets, read: async () => Promise.reject(new Error('Your key store is locked.')) };
    await expect(authOf(make(locked)).provider.token()).rejects.toThrow('Your key store is locked.');
    expect(world.refreshes()).toBe(0);
  });
});

describe('missing rights of a sign-in', () => {
  it('are reported, and asked for together with the old ones', async () => {
    const connection = await connect();
    world.writeScope = 'write';
    const refused = await connection.call('write', {}, quiet);
    expect(refused).toEqual({
      status: 'error',
      output: expect.stringMatching(
        /wants more rights \(write\).*dewpoint tools sign-in tracker.*Nothing was done\./su,
      ),
    });
    expect(await report()).toMatchObject({ isSignedIn: true, wanted: 'write' });
    // The same after a restart of the program.
    signIns = make();
    expect((await signIn()).get('scope')).toBe('read write');
    expect((await (await connect()).call('write', {}, quiet)).output).toBe('write: done');
    expect(await report()).toMatchObject({ wanted: null, scopes: ['read', 'write'] });
  });
});

describe('a sign-out', () => {
  it('ends the sign-in at the service and deletes it here', async () => {
    const before = refreshToken();
    expect(await signIns.signOut('tracker', signal)).toBe('done');
    expect(world.holds(before)).toBe(false);
    expect(secrets.table.size).toBe(0);
    expect(await authOf().provider.token()).toBeUndefined();
    expect(await signIns.signOut('tracker', signal)).toBeNull();
    await expect(connect()).rejects.toThrow('needs you to sign in');
  });

  it('also ends a sign-in that the key store did not take', async () => {
    const refused: string[] = [];
    const full = {
      ...secrets,
      write: async (_name: string, value: string) => {
        refused.push(value);
        throw new Error('full');
      },
    };
    signIns = realSignIns(home, full, { now, writeAgainMs: [] });
    hours = 2;
    await authOf().provider.token();
    const renewed = /refresh-[\w-]+/u.exec(refused[0] ?? '')?.[0] ?? 'none';
    expect(world.holds(renewed)).toBe(true);
    expect(await signIns.signOut('tracker', signal)).toBe('done');
    expect(world.holds(renewed)).toBe(false);
    expect(await authOf().provider.token()).toBeUndefined();
  });

  // Bug: an unreadable text in the key store blocked the sign-out, so that it could not be removed.
  it.each(['no sign-in', '{}', ''])('also deletes an unreadable sign-in (%j)', async (text) => {
    secrets.table.set('tools.tracker.sign-in', text);
    expect(await signIns.signOut('tracker', signal)).toBe('failed');
    expect(secrets.table.size).toBe(0);
    expect(await signIns.signOut('tracker', signal)).toBeNull();
  });

  it('changes nothing when the key store is locked', async () => {
    const before = refreshToken();
    const locked = { ...secrets, read: async () => Promise.reject(new Error('Your key store is locked.')) };
    await expect(make(locked).signOut('tracker', signal)).rejects.toThrow('Your key store is locked.');
    expect([refreshToken(), world.holds(before)]).toEqual([before, true]);
  });

  it.each([
    ['failed', 503],
    ['failed', 400],
  ])('deletes the sign-in here whatever the service answers (%s at %d)', async (outcome, status) => {
    world.revocationStatus = status;
    expect(await signIns.signOut('tracker', signal)).toBe(outcome);
    expect(secrets.table.size).toBe(0);
  });
});
