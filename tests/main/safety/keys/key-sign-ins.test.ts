import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { knownProviders } from '@shared/models/known-providers.ts';
import { settingsSchema } from '@shared/settings/settings.ts';
import { removeKey, signInForKey } from '../../../../src/main/hosts/cli/commands/keys.command.ts';
import { refusedCommands } from '../../../../src/main/hosts/web/web-guard.ts';
import { createKeyCommands } from '../../../../src/main/safety/keys/commands.ts';
import { createHomeKeys, type HomeKeys } from '../../../../src/main/safety/keys/home-keys.ts';
import type { KeySignIns } from '../../../../src/main/safety/keys/key-sign-ins.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { createFakeHandlers } from '../../../fakes/fake-handlers.ts';
import type { KeyService } from '../../../fakes/key-sign-in-kit.ts';
import { createKeyService, realKeySignIns } from '../../../fakes/key-sign-in-kit.ts';
import { browse } from '../../../fakes/sign-in-kit.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

const signal = new AbortController().signal;
let service: KeyService;
let signIns: KeySignIns;
let learned: string[];

beforeEach(async () => {
  service = await createKeyService();
  learned = [];
  signIns = realKeySignIns(service, { learn: (value) => void learned.push(value) });
});

afterEach(() => service.close());

/** A user who opens the address. The test keeps what their browser saw. */
async function run(open: (url: string) => Promise<unknown> = browse): Promise<string> {
  let browsed: Promise<unknown> = Promise.resolve();
  const key = await signIns.run('openrouter', { signal, onOpen: (url) => (browsed = open(url)) });
  await browsed;
  return key;
}

describe('a sign-in to a model service', () => {
  it('ends with the key of the service, proved by a verifier that the browser never saw', async () => {
    let address = '';
    const key = await run((url) => browse((address = url)));
    expect(service.keys).toEqual([key]);
    const [sent] = service.exchanges.map((body): Record<string, string> => JSON.parse(body));
    expect(sent).toMatchObject({ code_challenge_method: 'S256', code: expect.any(String) });
    expect(address).not.toContain(sent?.code_verifier);
    // The redactor knows every secret that could reach a log on the way.
    expect(learned).toEqual(expect.arrayContaining([sent?.code, sent?.code_verifier]));
  });

  it('ignores answers to a wrong address or without the right state, and waits on', async () => {
    let said: readonly number[] = [];
    await run(async (url) => {
      const back = new URL(new URL(url).searchParams.get('callback_url') ?? '');
      const wrong = [
        `${back.origin}/callback?code=stolen`,
        `${back.origin}/callback/${'x'.repeat(43)}?code=stolen`,
        `${back.href}?code=one&code=two`,
        `${back.href}?code=one&error=access_denied`,
      ];
      said = await Promise.all(wrong.map(async (target) => (await fetch(target)).status));
      await browse(url);
    });
    expect(said).toEqual([400, 400, 400, 400]);
    expect(service.exchanges).toHaveLength(1);
    expect(service.exchanges[0]).not.toContain('stolen');
  });

  it('ends without a key where the person declines', async () => {
    service.consent = 'denied';
    await expect(run()).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('declined') });
    expect(service.exchanges).toEqual([]);
  });

  it.each([
    ['expired', 'did not take the sign-in (HTTP 403)'],
    ['cut', 'socket hang up'],
    ['garbage', 'not understood'],
    ['keyless', 'not understood'],
    ['endless', 'sent more than a sign-in needs'],
    ['away', 'HTTP 307'],
    ['500', 'HTTP 500'],
  ] as const)('says what happened when the exchange ends with %s, and never what was sent', async (fault, what) => {
    service.fault = fault;
    const failure: unknown = await run().catch((error: unknown) => error);
    expect(String(failure)).toContain(what);
    for (const secret of learned) expect(JSON.stringify(failure) + String(failure)).not.toContain(secret);
    // The user can try again at once.
    service.fault = 'none';
    expect(await run()).toBe(service.keys[0]);
  });

  it('runs one at a time, and ends when it is cancelled or takes too long', async () => {
    const stop = new AbortController();
    const first = signIns.run('openrouter', { signal: stop.signal, onOpen: () => undefined });
    await expect(run()).rejects.toMatchObject({ code: 'conflict' });
    stop.abort(new Error('Enough.'));
    await expect(first).rejects.toThrow('Enough.');
    expect(signIns.waiting('openrouter')).toBe(null);
    signIns = realKeySignIns(service, { waitMs: 20 });
    await expect(run(async () => undefined)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('takes the pasted address of a browser on another machine, and no other address', async () => {
    const key = await run(async (url) => {
      const { headers } = await fetch(url, { redirect: 'manual' });
      expect(() => signIns.deliver('openrouter', 'http://127.0.0.1:1/callback?code=stolen')).toThrow('still waits');
      signIns.deliver('openrouter', ` ${headers.get('location') ?? ''} `);
    });
    expect(service.keys).toEqual([key]);
    expect(() => signIns.deliver('openrouter', 'http://127.0.0.1:1/')).toThrow('No sign-in');
  });

  it('is offered by the services that let any program use one, over encrypted addresses', () => {
    const offering = Object.entries(knownProviders).flatMap(([name, one]) =>
      'signIn' in one ? [[name, one.signIn]] : [],
    );
    expect(offering.map(([name]) => name)).toEqual(['openrouter']);
    for (const url of Object.values(knownProviders.openrouter.signIn ?? {}))
      expect(url).toMatch(/^https:\/\/openrouter\.ai\//u);
    expect(() => signIns.mustOffer('anthropic')).toThrow('offers no sign-in');
  });
});

describe('a key from a sign-in', () => {
  let keys: HomeKeys;
  let asked: string[];

  beforeEach(() => {
    const current = settingsSchema.parse({});
    asked = [];
    keys = createHomeKeys({
      home: '/nonexistent',
      env: {},
      nodePath: process.execPath,
      processPath: join(import.meta.dirname, '../../../fakes/fake-key-process.mjs'),
      programs: testPrograms(),
      settings: () => current,
      keepService: async (provider, settings) => {
        if (settings === null) delete current.providers[provider];
        else current.providers[provider] = settings;
      },
      learn: () => undefined,
      onNotice: () => undefined,
      askModels: async (provider) => {
        asked.push(provider);
        return { models: [], isOpen: false };
      },
      signIns,
    });
  });

  afterEach(() => keys.dispose());

  it('is kept and tried like any other, and is never printed', async () => {
    const { context, said } = commandContext({
      handlers: createFakeHandlers({ keys: createKeyCommands(keys) }).handlers,
    });
    const keyboard = new PassThrough();
    const done = signInForKey(context, 'openrouter', { thisRun: true }, keyboard);
    const url = await new Promise<string>((resolve) => {
      const look = setInterval(() => {
        const found = signIns.waiting('openrouter');
        if (found === null || !said.err.includes(found)) return;
        clearInterval(look);
        resolve(found);
      }, 5);
    });
    const { headers } = await fetch(url, { redirect: 'manual' });
    keyboard.write('http://127.0.0.1:1/\n');
    keyboard.write(`${headers.get('location') ?? ''}\n`);
    expect(await done).toBe(0);
    expect(said.err).toContain('paste the address that it ends at');
    expect(said.err).toContain('This is not the address that the sign-in ended at.');
    expect(said.err).toContain('The key of openrouter is kept in memory until Dewpoint quits.');
    expect(asked).toEqual(['openrouter']);
    const [key] = service.keys;
    expect(key).toBeDefined();
    expect(said.err + said.out).not.toContain(key);
    const settings = { kind: 'openai-compatible', baseUrl: '', preset: 'openrouter', models: {} } as const;
    expect(await keys.secret('openrouter', settings)).toBe(key);
    await removeKey(context, 'openrouter');
    expect(said.err).toContain(
      'It stays valid at the service until you delete it there: https://openrouter.ai/settings/keys',
    );
    expect(await keys.secret('openrouter', settings)).toBe(null);
  });

  it('is asked for only where it can be kept', async () => {
    const opened: string[] = [];
    const how = { signal, onOpen: (url: string) => void opened.push(url) };
    await expect(keys.signIn({ provider: 'openrouter', forThisRun: false }, how)).rejects.toMatchObject({
      code: 'missing-key',
      hint: expect.stringContaining('dewpoint keys sign-in openrouter --this-run'),
    });
    await expect(keys.signIn({ provider: 'groq', forThisRun: true }, how)).rejects.toMatchObject({ code: 'bad-input' });
    expect(opened).toEqual([]);
  });

  it('can be requested by a browser page only with the grant for keys', () => {
    const names = ['keys.signIn', 'keys.signInAddress', 'keys.finishSignIn'];
    expect(refusedCommands([])).toEqual(expect.arrayContaining(names));
    expect(refusedCommands(['keys'])).not.toEqual(expect.arrayContaining(['keys.signIn']));
  });
});
