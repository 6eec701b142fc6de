import { spawn, spawnSync } from 'node:child_process';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { startLlamaProcess } from '../../src/main/models/engine/llama-process.ts';
import type { EngineRequest, FromWorker } from '../../src/main/models/engine/worker/worker-protocol.ts';
import type { ModelRequest, StreamEnded, StreamPart } from '../../src/main/models/providers/define.ts';
import {
  builtWorker,
  clock,
  collect,
  createTestProvider,
  inTime,
  loadOptions,
  modelRequest,
  nodePath,
  scratchDir,
  startEngine,
} from '../engines/support.ts';
import { testPrograms } from '../fakes/test-programs.ts';

const model = 'smollm2-135m-instruct';
const story: ModelRequest = modelRequest(model, 'Tell a very long story about a lighthouse.', { maxOutputTokens: 300 });
const longPrompt: ModelRequest = modelRequest(model, 'one two three four five six seven '.repeat(150));

let engine: LlamaEngine;
let dir: string;
beforeEach(async () => {
  dir = await scratchDir();
});
afterEach(async () => {
  await engine.dispose();
  await rm(dir, { recursive: true, force: true });
});

/** Sends a signal to the engine's process at the first part that `isMoment` selects. Returns how the call ended. */
async function signalAt(
  request: ModelRequest,
  signal: NodeJS.Signals,
  isMoment: (part: StreamPart) => boolean,
): Promise<StreamEnded> {
  const provider = await createTestProvider(engine, { cacheDir: dir });
  return inTime(async () => {
    let isSent = false;
    let end: StreamEnded | null = null;
    for await (const part of provider.stream(request, new AbortController().signal)) {
      const pid = engine.pid();
      if (!isSent && pid !== null && isMoment(part)) {
        isSent = true;
        process.kill(pid, signal);
      }
      if (part.type === 'ended') end = part;
    }
    if (isSent && end?.error !== null) return end;
    await engine.dispose();
    return null;
  });
}

const inPrefill = (part: StreamPart): boolean => part.type === 'progress' && part.phase === 'prefill';
const inDecode = (part: StreamPart): boolean => part.type === 'text-delta';
const inLoading = (part: StreamPart): boolean => part.type === 'progress' && part.phase === 'loading';

describe('a lost engine process', () => {
  it.each([
    ['while it loads', inLoading, story],
    ['in the middle of a prompt', inPrefill, longPrompt],
    ['in the middle of an answer', inDecode, story],
  ] as const)('costs the running call and nothing else when it is killed %s', async (_when, isMoment, request) => {
    engine = await startEngine();
    const ended = await signalAt(request, 'SIGKILL', isMoment);
    expect(ended).toMatchObject({ stopReason: 'error', error: { code: 'engine-lost', retryable: true } });
    const provider = await createTestProvider(engine, { cacheDir: dir });
    const next = await collect(
      provider.stream(modelRequest(model, 'Hi', { maxOutputTokens: 4 }), new AbortController().signal),
    );
    expect(next.ended.error).toBeNull();
  });

  it('is noticed when it is stopped, and is replaced', async () => {
    // On a busy machine, a running process may wait for seconds, most of all while it starts.
    engine = await startEngine({ hangMs: 10_000 });
    const ended = await signalAt(story, 'SIGSTOP', inDecode);
    expect(ended.error).toMatchObject({ code: 'engine-lost' });
    expect(ended.error?.message).toContain('did not answer');
    const provider = await createTestProvider(engine, { cacheDir: dir });
    const next = await collect(
      provider.stream(modelRequest(model, 'Hi', { maxOutputTokens: 4 }), new AbortController().signal),
    );
    expect(next.ended.error).toBeNull();
  });

  it('ends a cancelled call in time although it is stopped', async () => {
    engine = await startEngine({ hangMs: 30_000 });
    const provider = await createTestProvider(engine, { cacheDir: dir });
    const abort = new AbortController();
    let abortedAt = 0;
    for await (const part of provider.stream(story, abort.signal)) {
      const pid = engine.pid();
      if (part.type === 'text-delta' && pid !== null && abortedAt === 0) {
        process.kill(pid, 'SIGSTOP');
        abortedAt = performance.now();
        abort.abort();
      }
    }
    // Ended by the abort, not by the thirty seconds after which a process counts as hanging.
    expect(performance.now() - abortedAt).toBeLessThan(15_000);
  });

  it('ends with the process that started it', async () => {
    engine = await startEngine();
    const workerPath = await builtWorker();
    // A separate parent, which is killed while its engine works.
    const parent = join(dir, 'parent.mjs');
    await writeFile(
      parent,
      `import { fork } from 'node:child_process';
       const child = fork(${JSON.stringify(workerPath)}, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
       child.on('message', () => process.stdout.write(String(child.pid) + '\\n'));
       setInterval(() => {}, 1000);`,
    );
    const child = spawn(nodePath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((heard) =>
      child.stdout.once('data', (chunk: Buffer) => heard(Number(String(chunk).trim()))),
    );
    child.kill('SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

describe('an engine without enough memory', () => {
  // A busy machine is slow, not hung.
  const hangMs = 90_000;

  /** Runs the worker with a limit of private memory, in MiB. */
  async function startLimited(limitMb: number): Promise<void> {
    const program = join(dir, 'limited-node');
    await writeFile(program, `#!/bin/sh\nulimit -d ${limitMb * 1024}\nexec ${nodePath} "$@"\n`);
    await chmod(program, 0o755);
    engine = createLlamaEngine({
      nodePath: program,
      workerPath: await builtWorker(),
      programs: testPrograms(),
      now: clock,
      hangMs,
    });
  }

  it.each([
    // Too little memory for the program itself, for its threads (it ends without a message), for the model, and for its
    // context.
    300, 600, 620, 650, 680, 760,
  ])(
    'says so when it cannot load (%i MiB)',
    async (limitMb) => {
      await startLimited(limitMb);
      const provider = await createTestProvider(engine, { cacheDir: dir, contextTokens: 8192 });
      const { ended } = await collect(provider.stream(story, new AbortController().signal));
      expect(ended).toMatchObject({ stopReason: 'error', error: { code: 'out-of-memory', retryable: false } });
    },
    // A thread may wait for memory forever. Such a load is given up after four times the limit for an answer.
    hangMs * 5,
  );

  it('says so when it ends silently, however far from its limit it was last seen', async () => {
    const workerPath = resolve('tests/fakes/fake-llama-worker.mjs');
    engine = createLlamaEngine({
      nodePath,
      workerPath,
      programs: testPrograms(),
      now: clock,
      checkModelFile: async () => null,
    });
    const provider = await createTestProvider(engine, { cacheDir: dir });
    const request = modelRequest('/give-up-while-loading.gguf', 'Hi');
    // A process inherits the limits of its parent from the start.
    limitThis(64 * 1024 ** 3);
    const { ended } = await collect(provider.stream(request, new AbortController().signal)).finally(() =>
      limitThis('unlimited'),
    );
    expect(ended.error).toMatchObject({
      code: 'out-of-memory',
      message: expect.stringContaining('stopped without a message'),
    });
  });

  it('says so when memory runs out in the middle of an answer', async () => {
    engine = await startEngine();
    const workerPath = await builtWorker();
    expect(await inTime(() => withoutMemoryInside(workerPath))).toMatchObject({
      type: 'failed',
      error: { code: 'out-of-memory' },
    });
  });

  /** How an answer ends if its process gets no more memory after it began. Null: the answer was complete before. */
  async function withoutMemoryInside(workerPath: string): Promise<FromWorker | null> {
    const child = startLlamaProcess({ nodePath, workerPath, programs: testPrograms(), hangMs: 30_000 });
    const request: EngineRequest = {
      ...story,
      messages: [...story.messages],
      stop: [],
      output: { type: 'text' },
      maxOutputTokens: 300,
    };
    const large = { ...request, messages: [textMessage('user', 'some words '.repeat(2_000_000))] };
    child.ask({ type: 'load', options: loadOptions(model, { threads: 1 }) }, (answer) => answer.type === 'loaded');
    let isLimited = false;
    const answer = await new Promise<FromWorker>((ended) => {
      child.ask({ type: 'generate', request }, (part) => {
        if (part.type === 'delta' && !isLimited) {
          isLimited = true;
          spawnSync('prlimit', ['--pid', String(child.pid), '--data=1048576']);
          // Makes the process allocate memory during its answer.
          child.ask({ type: 'count', request: large }, () => true);
        }
        if (part.type !== 'ended' && part.type !== 'failed') return false;
        ended(part);
        return true;
      });
    });
    child.kill();
    return answer.type === 'ended' ? null : answer;
  }
});

/** Limits the private memory of this process, in bytes. */
function limitThis(bytes: number | 'unlimited'): void {
  expect(spawnSync('prlimit', ['--pid', String(process.pid), `--data=${bytes}:`]).status).toBe(0);
}

/** An ended process counts as gone even if nobody reaps it, as in a container whose first process is not an init. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).includes(') Z ');
}
