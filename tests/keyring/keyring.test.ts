import { spawn } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyClient } from '../../src/main/safety/keys/key-client.ts';
import { createKeyClient } from '../../src/main/safety/keys/key-client.ts';
import type { KeyStore } from '../../src/main/safety/keys/key-store.ts';
import { createKeyStore } from '../../src/main/safety/keys/key-store.ts';
import type { Ring } from './ring.ts';
import { filesWith, startRing, startService } from './ring.ts';
import { testPrograms } from '../fakes/test-programs.ts';

/** Uses a real gnome-keyring, because no documentation says how a ring behaves when it is locked or stuck. */
const root = resolve(import.meta.dirname, '../..');
const processPath = join(root, 'out', 'main', 'key-process.cjs');
let ring: Ring;
let home = '';
const clients: KeyClient[] = [];

beforeEach(async () => {
  ring = await startRing();
  home = mkdtempSync(join(tmpdir(), 'dewpoint-home-'));
});

afterEach(() => {
  ring.thaw();
  for (const client of clients.splice(0)) client.dispose();
  ring.stop();
  rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

function openStore(patienceMs = 20_000, env = ring.env): KeyStore {
  const client = createKeyClient({ nodePath: process.execPath, processPath, programs: testPrograms(env) });
  clients.push(client);
  return createKeyStore({ client, service: 'dewpoint test', patienceMs, setPatienceMs: patienceMs });
}

describe('keys in gnome-keyring', () => {
  it('are kept, found by another process, replaced and removed, whatever their text', async () => {
    const long = 'ключ '.repeat(4000);
    expect(await openStore().set('openai', 'one')).toEqual({ type: 'ready' });
    expect(await openStore().get('openai')).toEqual({ type: 'stored', value: 'one' });
    expect(await openStore().set('openai', long)).toEqual({ type: 'ready' });
    expect(await openStore().get('openai')).toEqual({ type: 'stored', value: long });
    expect(await openStore().remove('openai')).toEqual({ type: 'ready' });
    expect(await openStore().get('openai')).toEqual({ type: 'absent' });
  });

  it('are locked, not absent, when the ring is locked meanwhile', async () => {
    // Nobody answers the ring's question, so each call uses its full time limit.
    const store = openStore(3_000);
    await store.set('openai', 'one');
    ring.lock();
    expect((await store.get('openai')).type).toBe('locked');
    expect((await store.set('openai', 'two')).type).toBe('locked');
    expect((await store.get('never set')).type).toBe('locked');
  });

  it('are locked while the ring does not answer, and there again when it does', async () => {
    const store = openStore(700);
    await openStore().set('openai', 'one');
    ring.freeze();
    expect((await store.get('openai')).type).toBe('locked');
    expect((await store.state()).type).toBe('locked');
    ring.thaw();
    expect(await openStore().get('openai')).toEqual({ type: 'stored', value: 'one' });
  });

  it('have no place without a bus', async () => {
    const store = openStore(20_000, { ...ring.env, DBUS_SESSION_BUS_ADDRESS: undefined });
    expect((await store.state()).type).toBe('unavailable');
  });
});

describe('the command dewpoint keys', () => {
  it('stores a typed key, tests it, names its source, and writes it into no file', async () => {
    const key = 'a-key-that-nobody-else-has-1234567890';
    const service = await startService();
    const endpoint = JSON.stringify({ kind: 'openai-compatible', baseUrl: service.baseUrl });
    await dewpoint(['settings', 'set', 'providers.sky', endpoint]);
    const set = await dewpoint(['keys', 'set', 'sky'], { input: `${key}\n` });
    expect(set).toMatchObject({ code: 0, text: expect.stringContaining('The provider lists 1 model.') });
    expect(service.seen).toContain(`Bearer ${key}`);
    expect((await dewpoint(['keys', 'list'])).text).toMatch(/sky +in the key store/u);
    expect(filesWith(home, key)).toEqual([]);
    expect(await dewpoint(['keys', 'remove', 'sky'])).toMatchObject({ code: 0 });
    expect((await dewpoint(['keys', 'list'])).text).not.toMatch(/sky +in the key store/u);
    service.close();
  });

  it('says that the ring is locked, and ends with its own exit code', async () => {
    await openStore().set('warm up', 'x');
    ring.lock();
    expect(await dewpoint(['keys', 'set', 'openai'], { input: 'some-key-123456\n' })).toMatchObject({
      code: 5,
      text: expect.stringContaining('locked'),
    });
  });
});

describe('the key that signs receipts', () => {
  /** Catches: a new key for each receipt, and a key that lies in a file. */
  it('is made once, found by the next process, and lies in no file', async () => {
    const files = ['one.receipt', 'two.receipt'].map((name) => join(home, name));
    for (const file of files) expect(await dewpoint(['receipt', '--file', file])).toMatchObject({ code: 0 });
    const [first, second] = files.map((file) => fingerprintIn(readFileSync(file, 'utf8')));
    expect(first).toMatch(/^[0-9a-f]{64}$/u);
    expect(second).toBe(first);
    const client = createKeyClient({ nodePath: process.execPath, processPath, programs: testPrograms(ring.env) });
    clients.push(client);
    const stored = await createKeyStore({ client, service: `dewpoint ${home}` }).get('receipts.signing');
    const secret = stored.type === 'stored' ? stored.value : '';
    expect(secret.length).toBeGreaterThan(60);
    for (const form of [secret, Buffer.from(secret, 'base64').toString('hex')])
      expect(filesWith(home, form)).toEqual([]);
  });

  it('signs nothing while the ring is locked, and leaves no file', async () => {
    await openStore().set('warm up', 'x');
    ring.lock();
    const file = join(home, 'locked.receipt');
    const ended = await dewpoint(['receipt', '--file', file]);
    expect(ended).toMatchObject({ code: 5, text: expect.stringContaining('locked') });
    expect(existsSync(file)).toBe(false);
  });
});

/** Catches: a call without a key, or with `Bearer none`, whose refusal says that the key is missing or wrong. */
describe('a key in a ring that is locked', () => {
  it('sends nothing to any kind of provider, and says why', async () => {
    const kinds = ['openai', 'anthropic', 'gemini', 'openai-compatible'] as const;
    const runs: (() => ReturnType<typeof dewpoint>)[] = [];
    const services: Awaited<ReturnType<typeof startService>>[] = [];
    for (const kind of kinds) {
      const service = await startService();
      services.push(service);
      const own = { home: join(home, kind) };
      const provider = kind === 'openai-compatible' ? 'sky' : kind;
      const settings = { kind, baseUrl: service.baseUrl, models: { m: {} } };
      await dewpoint(['settings', 'set', `providers.${provider}`, JSON.stringify(settings)], own);
      runs.push(() =>
        dewpoint(['run', '--mode', 'ask', '--policy', 'cloud', '--cloud', `${provider}/m`, 'Hello'], own),
      );
    }
    await openStore().set('warm up', 'x');
    ring.lock();
    // Side by side, because each waits for the ring.
    const ended = await Promise.all(runs.map((run) => run()));
    for (const [index, { code, text }] of ended.entries()) {
      expect(services[index]?.seen, kinds[index]).toEqual([]);
      expect(text).toMatch(/key store (is locked|does not answer)/u);
      expect(text).toContain('Nothing was sent');
      expect(code).toBe(5);
    }
    for (const service of services) service.close();
  });
});

/** Of a receipt whose signature is good. */
function fingerprintIn(text: string): string {
  const [said = '', proof = ''] = text.split('\n');
  const { publicKey, fingerprint, signature } = Object(JSON.parse(proof));
  const key = createPublicKey({ key: Buffer.from(String(publicKey), 'base64'), format: 'der', type: 'spki' });
  expect(verify(null, Buffer.from(said), key, Buffer.from(String(signature), 'base64'))).toBe(true);
  return String(fingerprint);
}

function dewpoint(
  args: readonly string[],
  { input = '', home: ownHome = home }: { readonly input?: string; readonly home?: string } = {},
): Promise<{ readonly code: number | null; readonly text: string }> {
  const child = spawn(process.execPath, [join(root, 'out', 'main', 'cli.cjs'), ...args], {
    env: { ...ring.env, DEWPOINT_HOME: ownHome, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  child.stdin.end(input);
  return new Promise((resolvePromise) => child.on('close', (code) => resolvePromise({ code, text })));
}
