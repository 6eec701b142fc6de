import { afterAll, describe, expect, it } from 'vitest';
import { providerSettingsSchema } from '@shared/settings/settings.ts';
import { createProviderRegistry } from '../../src/main/models/providers/registry.ts';
import { startFakeOllama } from '../fakes/ollama-server.ts';
import { allProviders, collect, providerDependencies, request } from '../fakes/provider-kit.ts';

const ollama = await startFakeOllama();
afterAll(() => ollama.close());

/** Settings with which each kind can be created on a machine without keys, files or servers. */
const settingsOf: Readonly<Record<string, unknown>> = {
  'openai-compatible': { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', models: { m: {} } },
  openai: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' },
  anthropic: { kind: 'anthropic', baseUrl: 'http://127.0.0.1:9' },
  gemini: { kind: 'gemini', baseUrl: 'http://127.0.0.1:9/v1beta' },
  huggingface: { kind: 'huggingface', baseUrl: 'http://127.0.0.1:9/v1', models: { m: {} } },
  scripted: { kind: 'scripted', replies: [{ text: 'hello' }] },
  'llama-cpp': { kind: 'llama-cpp' },
  'llama-server': { kind: 'llama-server' },
  ollama: { kind: 'ollama', baseUrl: ollama.address },
};

const kinds = [...allProviders().values()];

describe.each(kinds)('provider $kind', (definition) => {
  const create = () =>
    definition.create(providerDependencies(), {
      id: 'x',
      settings: definition.settings.parse(settingsOf[definition.kind]),
    });

  it('has settings that the settings file accepts', () => {
    expect(providerSettingsSchema.safeParse(settingsOf[definition.kind]).success).toBe(true);
  });

  it('ends a stream exactly once, last, whatever happens', async () => {
    const provider = create();
    const parts = await collect(provider.stream(request('missing'), new AbortController().signal));
    expect(parts.map((part) => part.type).indexOf('ended')).toBe(parts.length - 1);
    await provider.dispose();
  });

  it('ends as cancelled when it is aborted before it begins', async () => {
    const provider = create();
    const parts = await collect(provider.stream(request('missing'), AbortSignal.abort()));
    expect(parts.at(-1)).toMatchObject({ type: 'ended', stopReason: 'cancelled' });
    await provider.dispose();
  });

  it('lists models under its own id', async () => {
    const provider = create();
    for (const model of await provider.list(new AbortController().signal)) expect(model.id).toBe(`x/${model.name}`);
    await provider.dispose();
  });

  it('can be disposed of twice', async () => {
    const provider = create();
    await provider.dispose();
    await provider.dispose();
  });
});

describe('the registry of providers', () => {
  it('stops the start on a second provider of one kind', () => {
    const definition = kinds[0];
    expect(() => createProviderRegistry({ 'a.ts': definition, 'b.ts': definition })).toThrow('b.ts');
  });

  it('stops the start on a file without a definition', () => {
    expect(() => createProviderRegistry({ 'a.ts': undefined })).toThrow('a.ts');
  });
});
