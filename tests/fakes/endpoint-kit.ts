import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { EndpointCall } from '@shared/contract/endpoint-contract.ts';
import { success } from '../../src/shared/errors.ts';
import type { Price } from '../../src/shared/money/token-cost.ts';
import type { ModelRequest, Provider, StreamPart } from '../../src/main/models/providers/define.ts';
import { startApiServer } from '../../src/main/hosts/api/api-server.ts';
import { createMemorySandbox } from './sandbox/memory-sandbox.ts';
import { ended } from './agent-kit.ts';
import type { ClientCore } from './core-client.ts';
import { openClientCore } from './core-client.ts';

/** How a model of the kit answers a call. */
export type Answers = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<StreamPart>;

export interface EndpointKit {
  readonly core: ClientCore;
  /** Closes the core and opens it again, as a restart does. */
  readonly reopen: () => Promise<void>;
  readonly url: string;
  readonly home: string;
  /** The requests that reached a model, each with its provider. */
  readonly asked: readonly { readonly provider: string; readonly request: ModelRequest }[];
  /** How many calls a model is working on now. */
  readonly running: () => number;
  readonly answerWith: (answers: Answers) => void;
  readonly key: (name: string, mayLeave?: boolean) => Promise<string>;
  readonly openai: (key: string) => OpenAI;
  readonly anthropic: (key: string) => Anthropic;
  readonly close: () => Promise<void>;
}

/** A call as the simplest client makes it. */
export function endpointCall(model: string, text: string): EndpointCall {
  return {
    model,
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    tools: [],
    toolChoice: 'auto',
    schema: null,
    stop: [],
    temperature: null,
    topP: null,
    seed: null,
    maxOutputTokens: 100,
    effort: null,
  };
}

const price: Price = { input: 1, output: 1000, source: 'settings', date: '2026-11-21' };

/**
 * The real core and the real server. The test scripts their models: `script/script` is local, `sky/script` is cloud.
 */
export async function openEndpointKit(): Promise<EndpointKit> {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-endpoint-'));
  const asked: { provider: string; request: ModelRequest }[] = [];
  let running = 0;
  let answers: Answers = saying('Hello there.');
  const wrapProvider = (provider: Provider): Provider => ({
    ...provider,
    countTokens: async () => 10,
    async *stream(request, signal) {
      asked.push({ provider: provider.id, request });
      running += 1;
      try {
        yield* answers(request, signal);
      } finally {
        running -= 1;
      }
    },
  });
  const openCore = (): Promise<ClientCore> =>
    openClientCore({
      home,
      cache: join(home, 'cache'),
      version: '0.0.0-test',
      onNotice: () => undefined,
      startSandbox: async () => success(createMemorySandbox({ files: {} })),
      wrapProvider,
    });
  let core = await openCore();
  const scripted = { kind: 'scripted', replies: [] };
  const set = (key: string, value: unknown): Promise<unknown> => core.client.settings.set({ key, value });
  await set('providers.script', scripted);
  await set('providers.sky', { ...scripted, where: 'cloud', price });
  await set('local', 'script/script');
  await set('cloud', 'sky/script');
  const server = await startApiServer(core.client, { port: 0 });
  return {
    get core() {
      return core;
    },
    reopen: async () => {
      await core.dispose();
      core = await openCore();
    },
    home,
    asked,
    url: server.url,
    running: () => running,
    answerWith: (next) => {
      answers = next;
    },
    key: async (name, mayLeave = false) => (await core.client.endpoint.addClient({ name, mayLeave })).key,
    openai: (apiKey) => new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 }),
    anthropic: (apiKey) => new Anthropic({ apiKey, baseURL: server.url, maxRetries: 0 }),
    close: async () => {
      await server.close();
      await core.dispose();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A model that says these pieces, then calls these tools. */
export function saying(...pieces: readonly (string | { readonly name: string; readonly input: unknown })[]): Answers {
  return async function* () {
    for (const [index, piece] of pieces.entries()) {
      if (typeof piece === 'string') yield { type: 'text-delta', text: piece };
      else yield { type: 'tool-call', call: { type: 'tool-call', id: `call_${index}`, ...piece } };
    }
    yield ended(pieces.some((piece) => typeof piece !== 'string') ? 'tool-calls' : 'stop', 10);
  };
}

/** A model that says one word, then nothing until it is aborted. */
export const endless: Answers = async function* (_request, signal) {
  yield { type: 'text-delta', text: 'So' };
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  yield ended('cancelled', 10);
};
