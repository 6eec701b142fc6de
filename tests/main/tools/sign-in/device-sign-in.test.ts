import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenSignIn } from '../../../../src/main/tools/sign-in/sign-in-flow.ts';
import type { ServerSignIns } from '../../../../src/main/tools/sign-in/server-sign-ins.ts';
import type { OauthWorld } from '../../../fakes/oauth-server.ts';
import { createOauthWorld } from '../../../fakes/oauth-server.ts';
import { realSignIns, signInDefinition, tableSecrets } from '../../../fakes/sign-in-kit.ts';

const never = new AbortController().signal;
/** The milliseconds that stand for a second of the service. */
const secondMs = 20;
let home: string;
let world: OauthWorld;
let secrets: ReturnType<typeof tableSecrets>;
let learned: string[];
let signIns: ServerSignIns;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'dewpoint-device-'));
  world = await createOauthWorld();
  secrets = tableSecrets();
  learned = [];
  signIns = realSignIns(home, secrets, { secondMs, learn: (value) => void learned.push(value) });
});

afterEach(async () => {
  await signIns.dispose();
  await world.close();
  rmSync(home, { recursive: true, force: true });
});

const definition = () => signInDefinition(world.mcpUrl);

async function signIn(signal = never, onCode: (open: OpenSignIn) => void = () => undefined): Promise<OpenSignIn[]> {
  const opened: OpenSignIn[] = [];
  const onOpen = (open: OpenSignIn): void => {
    opened.push(open);
    onCode(open);
  };
  await signIns.start('tracker', definition(), { signal, onOpen, byCode: true });
  return opened;
}

describe('a sign-in with a device code', () => {
  it('shows an address and a code, waits for approval, and is kept', async () => {
    world.resourceMetadata = { scopes_supported: ['read'] };
    world.devices.before = ['authorization_pending', 'authorization_pending'];
    expect(await signIn()).toEqual([
      { url: `${world.issuer}/activate`, issuer: world.issuer, scopes: ['read'], code: 'WDJB-MJHT' },
    ]);
    const auth = signIns.forServer('tracker', definition());
    const token = (await auth?.provider.token()) ?? '';
    expect(world.isAccess(token)).toBe(true);
    expect(await signIns.report('tracker', definition())).toMatchObject({ isSignedIn: true, scopes: ['read'] });
    // No log may show these values.
    expect(learned.filter((value) => /^(?:device|access|refresh)-/u.test(value))).toHaveLength(3);
    const refresh = /refresh-[\w-]+/u.exec([...secrets.table.values()].join(''))?.[0] ?? '';
    expect(await signIns.signOut('tracker', never)).toBe('done');
    expect(world.holds(refresh)).toBe(false);
  });

  it('polls no more often than the service allows', async () => {
    world.devices.before = ['authorization_pending', 'slow_down', 'authorization_pending'];
    world.devices.answer = { interval: 3 };
    await signIn();
    const [first = 0, second = 0, third = 0, fourth = 0] = world.devices.askedAt;
    // Timers are never early by more than part of a millisecond.
    expect(second - first).toBeGreaterThan(3 * secondMs - 2);
    expect(third - second).toBeGreaterThan(8 * secondMs - 2);
    expect(fourth - third).toBeGreaterThan(8 * secondMs - 2);
  });

  it('goes on when the service fails for a moment', async () => {
    world.devices.before = ['away', '500'];
    await signIn();
    expect(world.devices.askedAt).toHaveLength(3);
  });

  it.each([
    [['access_denied'], {}, /It was declined there\. Nothing was changed/u],
    [['expired_token'], {}, /The code ran out/u],
    [['invalid_grant'], {}, /did not hand out a sign-in \(invalid_grant\)/u],
    [['garbage'], {}, /did not hand out a sign-in \(HTTP 400\)/u],
    [Array.from({ length: 50 }, () => 'authorization_pending'), { expires_in: 3 }, /The code ran out/u],
    [[], { user_code: 'a\u202eb' }, /gave no code to sign in with/u],
    [[], { verification_uri: 'http://elsewhere.example.org/' }, /is not used: it is not encrypted/u],
    [[], { verification_uri: 'no address' }, /names no address to sign in at/u],
  ])('ends when it is %j, %j, and keeps nothing', async (before, answer, text) => {
    Object.assign(world.devices, { before: [...before], answer });
    await expect(signIn()).rejects.toThrow(text);
    expect([...secrets.table.values()].join('')).toBe('');
    expect(await signIns.report('tracker', definition())).toMatchObject({ isSignedIn: false, isWaiting: false });
    expect(world.devices.askedAt.length).toBeLessThan(8);
  });

  it('stops polling as soon as the person cancels it', async () => {
    world.devices.before = Array.from({ length: 500 }, () => 'authorization_pending');
    const stop = new AbortController();
    await expect(signIn(stop.signal, () => setTimeout(() => stop.abort(), 3 * secondMs))).rejects.toThrow();
    // One request may have been on its way.
    await new Promise((wait) => setTimeout(wait, 4 * secondMs));
    const asked = world.devices.askedAt.length;
    await new Promise((wait) => setTimeout(wait, 4 * secondMs));
    expect(world.devices.askedAt).toHaveLength(asked);
    expect(signIns.waiting('tracker')).toBeNull();
  });

  it('is not tried with a service that offers none', async () => {
    world.devices.isOffered = false;
    await expect(signIn()).rejects.toMatchObject({
      message: expect.stringContaining('offers no sign-in by a code'),
      hint: 'Sign in by a browser: dewpoint tools sign-in tracker',
    });
    expect(world.clients.size).toBe(0);
  });

  it('works without PKCE, because nothing is sent back', async () => {
    world.metadata = { code_challenge_methods_supported: undefined };
    await signIn();
    expect(await signIns.report('tracker', definition())).toMatchObject({ isSignedIn: true });
  });
});
