import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '@shared/events/events.ts';
import { success } from '@shared/errors.ts';
import type { MemoryPlanInput } from '@shared/models/memory-plan-input.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { CoreApi } from '../../../src/main/server/core-api.ts';
import { compose } from '../../../src/main/compose.ts';
import { createMemorySandbox } from '../../../src/main/sandbox/memory/memory-sandbox.ts';
import type { FakeOllama } from '../../fakes/ollama-server.ts';
import { startFakeOllama } from '../../fakes/ollama-server.ts';

const never = new AbortController().signal;
let home: string;
let server: FakeOllama;
let core: CoreApi;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-ollama-'));
  server = await startFakeOllama();
  core = await compose({
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
  (await core.listModels(never)).map(({ id }) => id).filter((id) => id.startsWith('ollama/'));
const doctor = async () => (await core.doctor(never)).filter(({ area }) => area === 'ollama');

describe('an Ollama that runs on this machine', () => {
  it('is there without an entry in the settings: its models are listed, shown, and found by the doctor', async () => {
    expect(await ollamaIds()).toEqual(['ollama/m:latest']);
    expect(await core.showModel('ollama/m', false, never)).toMatchObject({
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

  it("is planned for by the header that the server tells of, as llama.cpp's own server makes a context", async () => {
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
    const plan = await core.plan({ ...plain, model: 'ollama/m' }, never);
    expect(plan).toMatchObject({ architecture: 'llama', granted: { context: 4096, placement: 'devices' } });
    expect(plan.terms.find(({ name }) => name === 'compute')?.why).toContain('llama-server');
    await expect(core.plan({ ...plain, model: 'ollama/other' }, never)).rejects.toThrow('Nothing is known');
  });

  it('gives a model of its store up, and says when there is none of that name', async () => {
    expect(await core.removeModel('ollama/m', never)).toEqual({
      done: 'deleted',
      path: 'ollama/m',
      bytes: 500_000_000,
    });
    expect(server.requests.filter(({ path }) => path === '/api/delete')).toEqual([
      { path: '/api/delete', body: { model: 'm:latest' } },
    ]);
    await expect(core.removeModel('ollama/other', never)).rejects.toThrow('There is no model');
  });

  it('answers, and what it did otherwise than it was asked stands in the log', async () => {
    server.habits.madeTokens = 4096;
    server.habits.answer = [{ role: 'assistant', content: '{"tool": "task_complete", "input": {"summary": "One."}}' }];
    const id = await core.createSession({ projectPath: null });
    const events: SessionEvent[] = [];
    await core.subscribe(id, 1, (push) => {
      if (push.type === 'event') events.push(push.event);
    });
    await core.send(id, 'What is in a.py?', runOptionsSchema.parse({ local: 'ollama/m', strategy: 'loop' }));
    expect(await core.result(id)).toMatchObject({ text: 'One.' });
    const ended = events.find((event) => event.type === 'model-call-ended');
    expect(ended).toMatchObject({
      error: null,
      engine: { grantedTokens: 8192, contextTokens: 4096, findings: ['context-clamped'] },
    });
    expect(events.filter((event) => event.type === 'notice-added')).toMatchObject([
      { code: 'engine-differs', text: expect.stringContaining('the server made 4096 tokens of context of 8192') },
    ]);
    expect((await core.replay(id, never)).matched).toBe(true);
  });

  it('has models repaired under the id that can be used next', async () => {
    server.habits.template = '{{ .Prompt }}';
    expect(await core.repairModel('ollama/m', true, never)).toMatchObject({ made: 'ollama/dewpoint/m:latest' });
    await expect(core.repairModel('llama-cpp/m', true, never)).rejects.toMatchObject({ code: 'bad-input' });
    await expect(core.repairModel('ollama/none', true, never)).rejects.toMatchObject({ code: 'model-failed' });
  });
});

describe('a model that Ollama fetches', () => {
  const layer = (digest: string, completed: number) => ({ status: `pulling ${digest}`, digest, total: 100, completed });
  const pull = async () => {
    const told: unknown[] = [];
    await core.pullModel(
      'ollama/m',
      ({ phase, doneBytes, totalBytes }) => told.push([phase, doneBytes, totalBytes]),
      never,
    );
    return told;
  };

  it('is told of in bytes of all its layers', async () => {
    const pulls = [
      { status: 'pulling manifest' },
      layer('a', 50),
      layer('b', 10),
      layer('a', 100),
      { status: 'success' },
    ];
    server.habits.pulls = pulls;
    expect(await pull()).toEqual([
      ['checking', 0, null],
      ['downloading', 50, 100],
      ['downloading', 60, 200],
      ['downloading', 110, 200],
      ['done', 110, 200],
    ]);
  });

  it('is not there when the server says an error, or breaks off', async () => {
    server.habits.pulls = [layer('a', 50), { error: 'pull model manifest: file does not exist' }];
    await expect(pull()).rejects.toMatchObject({
      code: 'model-failed',
      message: expect.stringContaining('does not exist'),
    });
    server.habits.pulls = [layer('a', 50)];
    await expect(pull()).rejects.toMatchObject({ code: 'model-failed', message: expect.stringContaining('broke off') });
  });
});

describe('an Ollama that does not run', () => {
  beforeEach(() => server.close());

  it('is nothing to speak of, unless it was set up', async () => {
    expect([await ollamaIds(), await doctor()]).toEqual([[], []]);
    await core.setSetting('providers.ollama', { kind: 'ollama' });
    expect(await ollamaIds()).toEqual(['ollama/*']);
    expect(await doctor()).toMatchObject([{ status: 'missing', text: expect.stringContaining('ollama serve') }]);
  });
});
