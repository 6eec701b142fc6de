import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsSchema, type Settings } from '@shared/settings/settings.ts';
import { createProviderInstances } from '../../../src/main/models/provider-instances.ts';
import type { FakeOllama } from '../../fakes/ollama-server.ts';
import { startFakeOllama } from '../../fakes/ollama-server.ts';
import type { ChatServer } from '../../fakes/chat-server.ts';
import { startChatServer } from '../../fakes/chat-server.ts';
import { directFetch } from '../../../src/main/lib/net/net-fetch.ts';
import { allProviders } from '../../fakes/provider-kit.ts';

let ollama: FakeOllama;
let endpoint: ChatServer;

beforeAll(async () => {
  ollama = await startFakeOllama();
  endpoint = await startChatServer();
});

afterAll(async () => {
  await ollama.close();
  await endpoint.close();
});

/** Catches: a switch that holds only after a restart. */
describe('a provider whose settings change', () => {
  it.each([
    { id: 'ollama', name: 'm:latest', own: () => ({ kind: 'ollama', baseUrl: ollama.address }) },
    { id: 'office', name: 'm', own: () => ({ kind: 'openai-compatible', baseUrl: endpoint.baseUrl }) },
  ])('sees images from the next question on: $id', async ({ id, name, own }) => {
    const settingsWith = (models: object): Settings =>
      settingsSchema.parse({ providers: { [id]: { ...own(), models } } });
    let settings = settingsWith({ [name]: {} });
    const instances = createProviderInstances({
      registry: allProviders(),
      settings: () => settings,
      secret: async () => null,
      fetch: directFetch,
      now: () => performance.now(),
    });
    const sees = async (): Promise<boolean | undefined> => {
      const listed = await instances.get(id)?.list(new AbortController().signal);
      return listed?.find((model) => model.name === name)?.capabilities.images;
    };
    expect(await sees()).toBe(false);
    settings = settingsWith({ [name]: { images: true } });
    expect(await sees()).toBe(true);
    settings = settingsWith({ [name]: { images: false } });
    expect(await sees()).toBe(false);
    await instances.dispose();
  });
});
