import { resolve } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLlamaEngine } from '../../../../src/main/models/engine/llama-engine.ts';
import type { EngineEvent, LlamaEngine, LlamaEngineOptions } from '../../../../src/main/models/engine/llama-engine.ts';
import type { EngineRequest, LoadOptions } from '../../../../src/main/models/engine/worker/worker-protocol.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

let engine: LlamaEngine;

function start(options: Partial<LlamaEngineOptions> = {}): LlamaEngine {
  engine = createLlamaEngine({
    programs: testPrograms(),
    nodePath: process.execPath,
    workerPath: resolve('tests/fakes/fake-llama-worker.mjs'),
    now: () => performance.now(),
    hangMs: 5000,
    checkModelFile: () => Promise.resolve(null),
    ...options,
  });
  return engine;
}

afterEach(async () => {
  vi.useRealTimers();
  await engine.dispose();
});

const model = (name = 'any.gguf'): LoadOptions => ({
  modelPath: `/models/${name}`,
  contextTokens: 100,
  sequences: 1,
  threads: null,
  gpu: 'off',
  gpuLayers: null,
  cacheType: 'f16',
  stateDir: null,
});

const ask = (text: string): EngineRequest => ({
  messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
  output: { type: 'text' },
  prefill: null,
  stop: [],
  temperature: 0,
  topP: 1,
  seed: null,
  maxOutputTokens: 10,
  cacheKey: 'k',
});

const never = new AbortController().signal;

const phaseOf = (event: EngineEvent): string => (event.type === 'progress' ? event.phase : event.type);

async function* onFirst(
  events: AsyncIterable<EngineEvent>,
  phase: string,
  act: () => void,
): AsyncGenerator<EngineEvent> {
  let isDone = false;
  for await (const event of events) {
    if (!isDone && phaseOf(event) === phase) act();
    isDone ||= phaseOf(event) === phase;
    yield event;
  }
}

async function collect(events: AsyncIterable<EngineEvent>): Promise<{
  readonly text: string;
  readonly phases: readonly string[];
  readonly ended: Extract<EngineEvent, { type: 'ended' }>;
}> {
  const all: EngineEvent[] = [];
  for await (const event of events) all.push(event);
  const last = all.at(-1);
  if (last?.type !== 'ended') throw new Error('no end');
  return {
    text: all.map((event) => (event.type === 'delta' ? event.text : '')).join(''),
    phases: all.map(phaseOf),
    ended: last,
  };
}

describe('the llama engine', () => {
  it('starts its process with the first call, and keeps it', async () => {
    start();
    expect(engine.pid()).toBeNull();
    const first = await collect(engine.generate(model(), ask('hi'), never));
    const second = await collect(engine.generate(model(), ask('hi'), never));
    expect(first.phases).toEqual(['loading', 'prefill', 'delta', 'delta', 'ended']);
    expect(first.text.split(' loads')[0]).toBe(second.text.split(' loads')[0]);
    expect(first.ended.generation).toMatchObject({ stopReason: 'stop', promptTokens: 10, evaluatedTokens: 4 });
  });

  it('runs one call at a time, and tells the others how long they wait', async () => {
    let clock = 0;
    start({ now: () => clock });
    await collect(engine.generate(model(), ask('hi'), never));
    const abort = new AbortController();
    const endIt = (): void => {
      clock = 500;
      abort.abort();
    };
    const slow = collect(onFirst(engine.generate(model(), ask('slow'), abort.signal), 'delta', endIt));
    const waiting = collect(engine.generate(model(), ask('hi'), never));
    const [first, second] = await Promise.all([slow, waiting]);
    expect(second.phases[0]).toBe('waiting');
    expect([first.ended.queuedMs, second.ended.queuedMs]).toEqual([0, 500]);
  });

  it('takes an aborted call out of the queue at once', async () => {
    start();
    await collect(engine.generate(model(), ask('hi'), never));
    const slowAbort = new AbortController();
    let isSlowOver = false;
    const slow = collect(engine.generate(model(), ask('slow'), slowAbort.signal)).finally(() => (isSlowOver = true));
    const abort = new AbortController();
    const waiting = collect(engine.generate(model(), ask('hi'), abort.signal));
    abort.abort();
    const { ended } = await waiting;
    // The call before it still needs seconds.
    expect(isSlowOver).toBe(false);
    expect(ended.generation).toMatchObject({ stopReason: 'cancelled', evaluatedTokens: 0, outputTokens: 0 });
    slowAbort.abort();
    await slow;
  });

  it('takes the usage of a cancelled call from the engine', async () => {
    start({ abortGraceMs: 30_000 });
    const abort = new AbortController();
    // After it began to write, the engine can report its counts.
    const events = collect(onFirst(engine.generate(model(), ask('slow'), abort.signal), 'delta', () => abort.abort()));
    expect((await events).ended.generation).toMatchObject({ stopReason: 'cancelled', promptTokens: 10 });
  });

  it('ends an aborted call that the engine does not answer', async () => {
    start();
    await collect(engine.generate(model(), ask('hi'), never));
    const abort = new AbortController();
    const deaf = engine.generate(model(), ask('deaf'), abort.signal);
    const events = collect(onFirst(deaf, 'prefill', () => abort.abort()));
    // `npm run bench -- engine` measures the milliseconds. Without the cancel the call would never end.
    expect((await events).ended.generation.stopReason).toBe('cancelled');
  });

  it('ends a call that was aborted before it began without starting a process', async () => {
    start();
    const { ended } = await collect(engine.generate(model(), ask('hi'), AbortSignal.abort()));
    expect(ended.generation.stopReason).toBe('cancelled');
    expect(engine.pid()).toBeNull();
  });

  it('ends the call with engine-lost when the process ends, and starts a new one for the next', async () => {
    start();
    const first = await collect(engine.generate(model(), ask('crash'), never));
    expect(first.ended.generation).toMatchObject({ stopReason: 'error', error: { code: 'engine-lost' } });
    expect(first.ended.generation.error?.message).toContain('code 3');
    const second = await collect(engine.generate(model(), ask('hi'), never));
    expect(second.ended.generation.stopReason).toBe('stop');
  });

  it('releases a file that is to be deleted, and no other', async () => {
    start();
    const running = collect(engine.generate(model(), ask('hi'), never));
    await engine.release('/models/other.gguf');
    expect((await running).ended.generation.stopReason).toBe('stop');
    const pid = engine.pid();
    expect(pid).not.toBeNull();
    await engine.release(model().modelPath);
    expect(engine.pid()).toBeNull();
    const next = await collect(engine.generate(model(), ask('hi'), never));
    expect(next.ended.generation.stopReason).toBe('stop');
    expect(engine.pid()).not.toBe(pid);
  });

  it('ends an idle process, and starts another for the next call', async () => {
    start({ idleMs: () => 20 });
    const first = await collect(engine.generate(model(), ask('hi'), never));
    await expect.poll(() => engine.pid()).toBeNull();
    const second = await collect(engine.generate(model(), ask('hi'), never));
    expect(first.ended.generation.stopReason).toBe('stop');
    expect(second.text.split(' loads')[0]).not.toBe(first.text.split(' loads')[0]);
  });

  it('gives every waiting call its turn after a crash', async () => {
    start();
    const calls = ['crash', 'hi', 'crash', 'hi'].map((text) => collect(engine.generate(model(), ask(text), never)));
    const reasons = (await Promise.all(calls)).map(({ ended }) => ended.generation.stopReason);
    expect(reasons).toEqual(['error', 'stop', 'error', 'stop']);
  });

  it('reports out of memory if the last words of the process say so', async () => {
    start();
    const { ended } = await collect(engine.generate(model(), ask('die'), never));
    expect(ended.generation.error).toMatchObject({ code: 'out-of-memory' });
    expect(ended.generation.error?.message).toContain('bad_alloc');
  });

  it('ends the call when the process dies while it loads, or cannot load', async () => {
    start();
    const crashed = await collect(engine.generate(model('crash-while-loading.gguf'), ask('hi'), never));
    expect(crashed.ended.generation.error?.code).toBe('engine-lost');
    const small = await collect(engine.generate(model('no-memory.gguf'), ask('hi'), never));
    expect(small.ended.generation.error).toEqual({ code: 'out-of-memory', message: 'too large' });
  });

  it('does not take an hour of sleep for an hour without an answer', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    start({ hangMs: 400 });
    let asleepMs = 0;
    const made = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => made() + asleepMs);
    // The process answers no ping, so only the clock shows how long it was silent.
    const events = engine.generate(model(), ask('hang'), never);
    const { ended } = await collect(
      onFirst(events, 'prefill', () => {
        asleepMs = 3_600_000;
        vi.advanceTimersByTime(80);
        expect(engine.pid()).not.toBeNull();
        vi.advanceTimersByTime(320);
        expect(engine.pid()).not.toBeNull();
        vi.advanceTimersByTime(160);
        expect(engine.pid()).toBeNull();
      }),
    );
    expect(ended.generation.error?.message).toContain('did not answer');
  });

  it('starts another process if the old one was gone when the machine woke up', async () => {
    start();
    await collect(engine.generate(model(), ask('hi'), never));
    process.kill(engine.pid() ?? 0, 'SIGKILL');
    await expect.poll(() => engine.pid()).toBeNull();
    expect(engine.loadedPath()).toBeNull();
    expect((await collect(engine.generate(model(), ask('hi'), never))).ended.generation.stopReason).toBe('stop');
  });

  it('kills a process that answers no ping', async () => {
    start({ hangMs: 400 });
    const { ended } = await collect(engine.generate(model(), ask('hang'), never));
    expect(ended.generation.error).toMatchObject({ code: 'engine-lost' });
    expect(ended.generation.error?.message).toContain('did not answer');
    expect(engine.pid()).toBeNull();
  });

  it('fails a call whose answer cannot be read, and continues with the next', async () => {
    start();
    for (const said of ['garbage', 'half an end', 'nameless end', 'nonsense']) {
      const { ended } = await collect(engine.generate(model(), ask(said), never));
      expect(ended.generation.error, said).toMatchObject({ code: 'internal' });
      expect(ended.generation.error?.message).toContain('does not understand');
    }
    const half = await collect(engine.generate(model('without-backend.gguf'), ask('hi'), never));
    expect(half.ended.generation.error?.message).toContain('backend');
    expect((await collect(engine.generate(model(), ask('hi'), never))).ended.generation.stopReason).toBe('stop');
  });

  it('uses a model whose process does not say how many bytes it took', async () => {
    start();
    const { ended } = await collect(engine.generate(model('without-observedBytes.gguf'), ask('hi'), never));
    expect(ended.generation.stopReason).toBe('stop');
    expect(ended.loaded?.observedBytes).toBeNull();
  });

  it('asks for a file check before the engine is started', async () => {
    engine = createLlamaEngine({
      nodePath: process.execPath,
      workerPath: 'none',
      programs: testPrograms(),
      now: () => 0,
    });
    const { ended } = await collect(engine.generate(model(), ask('hi'), never));
    expect(ended.generation.error?.code).toBe('missing-model');
    expect(engine.pid()).toBeNull();
  });

  it('reports a lost engine if its program cannot be started', async () => {
    engine = createLlamaEngine({
      programs: testPrograms(),
      nodePath: '/nonexistent/node',
      workerPath: 'none',
      now: () => 0,
      checkModelFile: () => Promise.resolve(null),
    });
    const { ended } = await collect(engine.generate(model(), ask('hi'), never));
    expect(ended.generation.error?.code).toBe('engine-lost');
  });

  it('returns null for token counts and stats without a process', async () => {
    start();
    expect(await engine.stats()).toBeNull();
    expect(await engine.count(model(), ask('hi'), never)).toEqual({ ok: true, tokens: 7 });
    expect(await engine.stats()).toMatchObject({ rssBytes: 1 });
  });

  it('ends its process and the running call when it is disposed of', async () => {
    start();
    await collect(engine.generate(model(), ask('hi'), never));
    const pid = engine.pid();
    const disposeTwice = (): void => void engine.dispose().then(() => engine.dispose());
    const running = collect(onFirst(engine.generate(model(), ask('slow'), never), 'delta', disposeTwice));
    expect((await running).ended.generation.error?.code).toBe('engine-lost');
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

function isRunning(pid: number | null): boolean {
  try {
    if (pid !== null) process.kill(pid, 0);
    return pid !== null;
  } catch {
    return false;
  }
}
