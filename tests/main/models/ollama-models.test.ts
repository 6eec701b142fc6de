import type { ClientCore } from '../../fakes/core-client.ts';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '@shared/errors.ts';
import type { MemoryPlanInput } from '@shared/models/memory-plan-input.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import { eventsOf, itemsOf, openClientCore } from '../../fakes/core-client.ts';
import { pullFromServer } from '../../../src/main/models/model-servers.ts';
import { ollamaProvider } from '../../fakes/ollama-troubles.ts';
import { loraFile } from '../../fakes/lora-file.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';
import type { FakeOllama } from '../../fakes/ollama-server.ts';
import { startFakeOllama } from '../../fakes/ollama-server.ts';

let home: string;
let server: FakeOllama;
let core: ClientCore;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-ollama-'));
  server = await startFakeOllama();
  core = await openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    env: { OLLAMA_HOST: server.address },
    startSandbox: async () => success(createMemorySandbox({ files: { 'a.py': 'x = 1\n' } })),
  });
});

afterEach(async () => {
  await core.dispose();
  await server.close();
  await rm(home, { recursive: true, force: true });
});

const ollamaIds = async (): Promise<readonly string[]> =>
  (await core.client.models.list()).map(({ id }) => id).filter((id) => id.startsWith('ollama/'));
const doctor = async () => (await core.client.doctor()).filter(({ area }) => area === 'ollama');

describe('an Ollama server on this machine', () => {
  it('is used without an entry in the settings, in lists and by the doctor', async () => {
    expect(await ollamaIds()).toEqual(['ollama/m:latest']);
    expect(await core.client.models.show({ id: 'ollama/m', fit: false })).toMatchObject({
      id: 'ollama/m',
      where: 'local',
      state: 'ready',
      sizeBytes: 500_000_000,
      info: { contextTokens: 8192 },
    });
    expect(await doctor()).toEqual([
      { area: 'ollama', status: 'ok', text: `Ollama 0.17.4 at ${server.address}`, hint: null },
    ]);
  });

  it('has its memory planned by the header that it reports', async () => {
    const plain: Omit<MemoryPlanInput, 'model'> = {
      keys: null,
      context: 4096,
      kv: null,
      flash: true,
      ubatch: 512,
      slots: 1,
      unified: false,
      engine: 'node-llama-cpp',
      cards: [{ totalBytes: 8 * 1024 ** 3, freeBytes: 8 * 1024 ** 3 }],
    };
    const plan = await core.client.plan({ ...plain, model: 'ollama/m' });
    expect(plan).toMatchObject({ architecture: 'llama', granted: { context: 4096, placement: 'devices' } });
    expect(plan.terms.find(({ name }) => name === 'compute')?.why).toContain('llama-server');
    await expect(core.client.plan({ ...plain, model: 'ollama/other' })).rejects.toThrow('was not found');
  });

  it('deletes a model from its store, and reports an unknown name', async () => {
    expect(await core.client.models.remove({ id: 'ollama/m' })).toEqual({
      done: 'deleted',
      path: 'ollama/m',
      bytes: 500_000_000,
    });
    expect(server.requests.filter(({ path }) => path === '/api/delete')).toEqual([
      { path: '/api/delete', body: { name: 'm:latest' } },
    ]);
    await expect(core.client.models.remove({ id: 'ollama/other' })).rejects.toThrow('The model');
  });

  it('answers, and the log has where it differed from the request', async () => {
    server.habits.madeTokens = 4096;
    server.habits.answer = [{ role: 'assistant', content: '{"tool": "task_complete", "input": {"summary": "One."}}' }];
    const { sessionId: id } = await core.client.sessions.create({ projectPath: null });
    await core.client.sessions.send({
      sessionId: id,
      text: 'What is in a.py?',
      options: runOptionsSchema.parse({ local: 'ollama/m', strategy: 'loop' }),
    });
    expect(await core.client.sessions.result({ sessionId: id })).toMatchObject({ text: 'One.' });
    const events = await eventsOf(core.client, id);
    const ended = events.find((event) => event.type === 'model-call-ended');
    expect(ended).toMatchObject({
      error: null,
      engine: { grantedTokens: 8192, contextTokens: 4096, findings: ['context-clamped'] },
    });
    expect(events.filter((event) => event.type === 'notice-added')).toMatchObject([
      {
        code: 'engine-differs',
        text: expect.stringContaining('the server made a context of 4096 tokens, not of 8192'),
      },
    ]);
    expect((await core.client.sessions.replay({ sessionId: id })).matched).toBe(true);
  });

  it('makes a model of an adapter by the digest of its file', async () => {
    const path = join(home, 'My Style.gguf');
    const weights = [{ name: 'blk.0.attn_q.weight', shape: [8, 8] }];
    await writeFile(path, loraFile({ weights }));
    const digest = `sha256:${createHash('sha256').update(loraFile({ weights })).digest('hex')}`;
    const asked = { model: 'ollama/m', path };
    // The fake server does not create a model.
    await expect(core.client.models.addAdapter(asked)).rejects.toThrow('was not found');
    expect(server.requests.slice(-6)).toContainEqual({
      path: '/api/create',
      body: expect.objectContaining({
        model: 'dewpoint/m-latest:my-style',
        from: 'm:latest',
        adapters: { 'adapter.gguf': digest },
      }),
    });
    expect(server.requests.map((request) => request.path)).toContain(`/api/blobs/${digest}`);
    await writeFile(path, loraFile({ architecture: 'qwen2', weights }));
    await expect(core.client.models.addAdapter(asked)).rejects.toThrow('not llama');
  });

  it('has repaired models under the id that is used next', async () => {
    server.habits.template = '{{ .Prompt }}';
    expect(await core.client.models.repair({ id: 'ollama/m', apply: true })).toMatchObject({
      made: 'ollama/dewpoint/m:latest',
    });
    await expect(core.client.models.repair({ id: 'llama-cpp/m', apply: true })).rejects.toMatchObject({
      data: { code: 'bad-input' },
    });
    await expect(core.client.models.repair({ id: 'ollama/none', apply: true })).rejects.toMatchObject({
      data: { code: 'model-failed' },
    });
  });
});

describe('a model that Ollama fetches', () => {
  const layer = (digest: string, completed: number) => ({ status: `pulling ${digest}`, digest, total: 100, completed });
  // The progress stream may skip states, so this records what the provider reports before the stream.
  const pullEach = async (): Promise<readonly unknown[]> => {
    const provider = ollamaProvider(server.address);
    const told: unknown[] = [];
    await pullFromServer({ ids: () => ['ollama'], get: () => provider }, 'ollama/m', {
      onProgress: ({ phase, doneBytes, totalBytes }) => told.push([phase, doneBytes, totalBytes]),
      signal: new AbortController().signal,
    });
    await provider.dispose();
    return told;
  };
  const pull = () => itemsOf(core.client.models.pull({ id: 'ollama/m' }));

  it('is fetched with progress in bytes of all layers', async () => {
    const pulls = [
      { status: 'pulling manifest' },
      layer('a', 50),
      layer('b', 10),
      layer('a', 100),
      { status: 'success' },
    ];
    server.habits.pulls = pulls;
    expect((await pull()).at(-1)).toMatchObject({ phase: 'done', doneBytes: 110, totalBytes: 200 });
    expect(await pullEach()).toEqual([
      ['checking', 0, null],
      ['downloading', 50, 100],
      ['downloading', 60, 200],
      ['downloading', 110, 200],
      ['done', 110, 200],
    ]);
  });

  it('is not installed when the server reports an error or breaks off', async () => {
    server.habits.pulls = [layer('a', 50), { error: 'pull model manifest: file does not exist' }];
    await expect(pull()).rejects.toMatchObject({
      data: { code: 'model-failed', message: expect.stringContaining('does not exist') },
    });
    server.habits.pulls = [layer('a', 50)];
    await expect(pull()).rejects.toMatchObject({
      data: { code: 'model-failed', message: expect.stringContaining('before m was complete') },
    });
  });
});

describe('an Ollama that does not run', () => {
  beforeEach(() => server.close());

  it('is mentioned only if it was set up', async () => {
    expect([await ollamaIds(), await doctor()]).toEqual([[], []]);
    await core.client.settings.set({ key: 'providers.ollama', value: { kind: 'ollama' } });
    expect(await ollamaIds()).toEqual(['ollama/*']);
    expect(await doctor()).toMatchObject([{ status: 'missing', text: expect.stringContaining('ollama serve') }]);
  });
});
