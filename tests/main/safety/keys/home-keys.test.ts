import type { ClientCore } from '../../../fakes/core-client.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { knownProviderSettings, settingsSchema } from '@shared/settings/settings.ts';
import type { ProviderSettings } from '@shared/settings/settings.ts';
import { openClientCore } from '../../../fakes/core-client.ts';
import { createHomeKeys } from '../../../../src/main/safety/keys/home-keys.ts';
import { realKeySignIns } from '../../../fakes/key-sign-in-kit.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

const never = new AbortController().signal;

describe('a key that is tried when it is set', () => {
  let home = '';
  let core: ClientCore;
  let server: Server;
  let isOpen = false;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'dewpoint-keys-'));
    isOpen = false;
    server = createServer((message, response) => {
      const isRight = isOpen || message.headers.authorization === 'Bearer right';
      const body = isRight ? { data: [{ id: 'm' }] } : { error: { message: 'Who are you?' } };
      response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const bound = server.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
    core = await openClientCore({ home, cache: join(home, 'cache'), version: '0', onNotice: () => undefined, env: {} });
    await core.client.settings.set({
      key: 'providers.mine',
      value: { kind: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}/v1` },
    });
  });

  afterEach(async () => {
    await core.dispose();
    await new Promise((closed) => server.close(closed));
    await rm(home, { recursive: true, force: true });
  });

  const set = (value: string) => core.client.keys.set({ provider: 'mine', value, forThisRun: true });

  it('is accepted or refused by a service that lists its models for those it knows', async () => {
    expect(await set(' right\n')).toEqual({ kept: 'this-run', test: 'accepted', text: 'The provider lists 1 model.' });
    expect(await set('wrong')).toMatchObject({ test: 'refused', text: expect.stringContaining('Who are you?') });
  });

  it('is not called right when the service answers everybody', async () => {
    isOpen = true;
    expect(await set('whatever')).toMatchObject({ test: 'open' });
    await core.client.keys.remove({ provider: 'mine' });
    expect(await core.client.keys.test({ provider: 'mine' })).toMatchObject({ test: 'accepted' });
  });

  it('shows a local server that does not run as local and unreachable', async () => {
    const gone = { kind: 'openai-compatible', preset: 'vllm', baseUrl: 'http://127.0.0.1:9/v1' };
    await core.client.settings.set({ key: 'providers.gone', value: gone });
    const entry = (await core.client.models.list()).find(({ id }) => id === 'gone/*');
    expect(entry).toMatchObject({ where: 'local', state: 'unreachable' });
    expect(entry?.note).toContain('only models named in your settings can be used');
  });

  it('is refused when it is empty or has characters that no key has', async () => {
    await expect(set('')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    for (const value of ['two words', 'two\nlines', 'schlüssel', ' ']) {
      await expect(set(value)).rejects.toMatchObject({ data: { code: 'bad-input' } });
    }
    expect((await core.client.keys.list()).keys.find(({ provider }) => provider === 'mine')?.source).toBe(null);
  });
});

describe('a service whose key is set', () => {
  const started = (providers: Readonly<Record<string, ProviderSettings>> = {}, env: Record<string, string> = {}) => {
    const notices: string[] = [];
    const current = { ...settingsSchema.parse({}), providers: { ...providers } };
    const keys = createHomeKeys({
      home: '/nonexistent',
      env,
      nodePath: process.execPath,
      processPath: join(import.meta.dirname, '../../../fakes/fake-key-process.mjs'),
      programs: testPrograms(),
      settings: () => current,
      keepService: async (provider, service) => {
        if (service === null) delete current.providers[provider];
        else current.providers[provider] = service;
      },
      learn: () => undefined,
      onNotice: (text) => notices.push(text),
      askModels: async () => ({ models: [], isOpen: false }),
      signIns: realKeySignIns({ services: {} }),
    });
    return { keys, current, notices };
  };

  it('is a provider until its key is removed, and again when the key is put back', async () => {
    const { keys, current } = started();
    await keys.set({ provider: 'groq', value: 'k', forThisRun: true }, never);
    expect(current.providers).toMatchObject({ groq: { kind: 'openai-compatible', preset: 'groq' } });
    await keys.remove('groq');
    expect(current.providers).toEqual({});
    await keys.restore('groq');
    expect(Object.keys(current.providers)).toEqual(['groq']);
    keys.dispose();
  });

  it('is not called with a key that no header can carry, and that is told once', async () => {
    const { keys, notices } = started({}, { GROQ_API_KEY: 'gsk ключ', XAI_API_KEY: ' xai-1\r\n' });
    const secretOf = (name: string) =>
      keys.secret(name, knownProviderSettings(name) ?? { kind: 'openai', baseUrl: '', models: {} });
    expect([await secretOf('groq'), await secretOf('groq'), await secretOf('xai')]).toEqual([null, null, 'xai-1']);
    expect(notices).toEqual([
      expect.stringContaining('The key of groq (GROQ_API_KEY in the environment) is not used.'),
    ]);
    keys.dispose();
  });

  // Catches: a token of git whose refusal names a command and a variable that there are only for models.
  it('is offered a way without a key store, and a token of git is not, which has none', async () => {
    const { keys } = started({}, { FAKE_KEY_MODE: 'no-bus' });
    const kept = keys.set({ provider: 'groq', value: 'k', forThisRun: false }, never);
    await expect(kept).rejects.toMatchObject({ hint: expect.stringContaining('keys set groq --this-run') });
    const own = keys.own.set('git.example.org', 'k');
    await expect(own).rejects.toMatchObject({ code: 'missing-key', hint: expect.stringContaining('dbus-run-session') });
    await expect(own).rejects.not.toMatchObject({ hint: expect.stringMatching(/--this-run|in the environment/u) });
    keys.dispose();
  });

  it('keeps its settings with the key and without', async () => {
    const own = { kind: 'anthropic', baseUrl: 'https://gateway.example.org', models: {} } as const;
    const { keys, current } = started({ anthropic: own });
    await keys.set({ provider: 'anthropic', value: 'k', forThisRun: true }, never);
    await keys.remove('anthropic');
    expect(current.providers).toEqual({ anthropic: own });
    keys.dispose();
  });
});
