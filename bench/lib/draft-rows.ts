import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join, resolve } from 'node:path';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';
import { llamaServerSchema } from '@shared/settings/settings.ts';
import { createOwnLlamaServer } from '../../src/main/models/engine/llama-server/own-llama-server.ts';
import { createHeaderReader } from '../../src/main/models/memory/gguf/gguf-header-reader.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import { createLlamaServerProvider } from '../../src/main/models/providers/llama-server/create-llama-server-provider.ts';
import type { CallAnswer, CallRequest } from '../../src/main/recipes/define.ts';
import { probeDrafts } from '../../src/main/recipes/probe/probe-drafts.ts';
import { providerDependencies } from '../../tests/fakes/provider-kit.ts';
import { testPrograms } from '../../tests/fakes/test-programs.ts';
import { cacheDir, modelPath } from '../../tests/engines/support.ts';
import { plainRequest } from './plain-request.ts';
import type { BenchRow } from './rows.ts';

const name = 'qwen2.5-coder-1.5b-instruct';
const drafter = 'qwen2.5-coder-0.5b-instruct';
const { signal } = new AbortController();

/** Measures what a probe of the starter model in llama-server finds out about drafts on this machine. */
export async function draftRows(): Promise<readonly BenchRow[]> {
  const program = await builtServer();
  if (program === null) throw new Error('No llama-server is here: node scripts/setup/llama-server.mjs --setup-system');
  const ownLlamaServer = createOwnLlamaServer({
    nodePath: process.execPath,
    guardPath: resolve('out/main/server-guard.cjs'),
    programs: testPrograms(),
    env: process.env,
    platform: process.platform,
  });
  const dependencies = providerDependencies({
    ownLlamaServer,
    readHeader: createHeaderReader(),
    freeHostBytes: () => Promise.resolve(freemem()),
    localModels: () => Promise.resolve([name, drafter]),
    modelFile: async (model) => ({ path: modelPath(model), contextTokens: null, parametersB: 1.5, label: model }),
  });
  const settings = llamaServerSchema.parse({ kind: 'llama-server', program, contextTokens: 4096 });
  const provider = createLlamaServerProvider(dependencies, { id: 'llama-server', settings });
  try {
    const model = await provider.resolve(name, signal);
    if (model === null || model === undefined) throw new Error(`${name} is not here.`);
    return await rowsOf(provider, model);
  } finally {
    await provider.dispose();
    await ownLlamaServer.dispose();
  }
}

async function rowsOf(provider: Provider, model: ModelInfo): Promise<readonly BenchRow[]> {
  const { drafts, note } = await probeDrafts({
    model,
    call: (request) => callOnce(provider, request),
    progress: () => Promise.resolve(),
    budget: { millisecondsLeft: () => Number.POSITIVE_INFINITY },
  });
  if (drafts === undefined) throw new Error(note ?? `${model.id} has no way to draft.`);
  const { plain, ways, best, on } = drafts;
  return ways.map(({ way, quicker, speeds, drafted, accepted, differs, problem }) => ({
    figure: `${model.id} with drafts by ${way}, quicker than without`,
    value: quicker,
    unit: '%',
    target: null,
    note: [
      way === best ? 'used from now on' : 'not used',
      problem ?? `written per second (edit, answer): ${speeds.join(' and ')}; without drafts ${plain.join(' and ')}`,
      `${accepted} of ${drafted} drafted tokens kept`,
      ...(differs.length === 0 ? ['the same greedy texts'] : [`another greedy text in: ${differs.join(', ')}`]),
      on,
    ].join('; '),
  }));
}

async function callOnce(provider: Provider, request: CallRequest): Promise<CallAnswer> {
  const { system = '', user = '', maxOutputTokens, drafts } = request;
  const messages = [textMessage('system', system), textMessage('user', user)];
  const asked = plainRequest(messages, { model: name, maxOutputTokens, cacheKey: 'drafts' });
  let text = '';
  for await (const part of provider.stream({ ...asked, ...(drafts === undefined ? {} : { drafts }) }, signal)) {
    if (part.type === 'text-delta') text += part.text;
    if (part.type !== 'ended') continue;
    const { error, usage, evaluatedTokens, timings, engine } = part;
    if (error !== null) return { ok: false, message: error.message };
    const used = engine?.drafts === undefined ? {} : { drafts: engine.drafts };
    const measured = {
      promptTokens: promptTokensOf(usage),
      evaluatedTokens,
      outputTokens: usage.output,
      timings,
      ...used,
    };
    return { ok: true, parts: [], text, hasRepeated: false, measured };
  }
  throw new Error(`${name} gave no end`);
}

/** The server that `scripts/setup/llama-server.mjs` left in the cache, null if there is none. */
async function builtServer(): Promise<string | null> {
  const folder = join(cacheDir(), 'llama-server');
  const builds = await readdir(folder).catch((): string[] => []);
  return builds.map((build) => join(folder, build, 'llama-server')).find((path) => existsSync(path)) ?? null;
}
