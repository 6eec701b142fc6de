import { spawn, spawnSync } from 'node:child_process';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLlamaEngine } from '../../src/main/engines/llama-client.ts';
import { textMessage } from '@shared/messages.ts';
import type { LlamaEngine } from '../../src/main/engines/llama-client.ts';
import { startLlamaProcess } from '../../src/main/engines/llama-process.ts';
import type { EngineRequest, FromWorker } from '../../src/main/engines/llama-worker/protocol.ts';
import type { ModelRequest, StreamPart } from '../../src/main/providers/define.ts';
import {
  builtWorker,
  clock,
  collect,
  createTestProvider,
  loadOptions,
  modelRequest,
  nodePath,
  scratchDir,
  startEngine,
} from '../engines/support.ts';
import type { Answer } from '../engines/support.ts';

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

/** Sends a signal to the engine's process at the first part that `isMoment` picks. */
async function signalAt(
  request: ModelRequest,
  signal: NodeJS.Signals,
  isMoment: (part: StreamPart) => boolean,
): Promise<Answer> {
  const provider = await createTestProvider(engine, { cacheDir: dir });
  let done = false;
  return collect(
    (async function* () {
      for await (const part of provider.stream(request, new AbortController().signal)) {
        const pid = engine.pid();
        if (!done && pid !== null && isMoment(part)) {
          done = true;
          process.kill(pid, signal);
        }
        yield part;
      }
    })(),
  );
}

const inPrefill = (part: StreamPart): boolean => part.type === 'progress' && part.phase === 'prefill' && part.done > 0;
const inDecode = (part: StreamPart): boolean => part.type === 'text-delta';
const inLoading = (part: StreamPart): boolean => part.type === 'progress' && part.phase === 'loading';

describe('a lost engine process', () => {
  it.each([
    ['while it loads', inLoading, story],
    ['in the middle of a prompt', inPrefill, longPrompt],
    ['in the middle of an answer', inDecode, story],
  ] as const)('costs the running call and nothing else when it is killed %s', async (_when, isMoment, request) => {
    engine = await startEngine();
    const { ended } = await signalAt(request, 'SIGKILL', isMoment);
    expect(ended).toMatchObject({ stopReason: 'error', error: { code: 'engine-lost', retryable: true } });
    const provider = await createTestProvider(engine, { cacheDir: dir });
    const next = await collect(
      provider.stream(modelRequest(model, 'Hi', { maxOutputTokens: 4 }), new AbortController().signal),
    );
    expect(next.ended.error).toBeNull();
  });

  it('is noticed when it is stopped, and replaced', async () => {
    engine = await startEngine({ hangMs: 2000 });
    const { ended } = await signalAt(story, 'SIGSTOP', inDecode);
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
    // Not by the thirty seconds after which a process counts as hanging.
    expect(performance.now() - abortedAt).toBeLessThan(15_000);
  });

  it('goes with the process that started it', async () => {
    engine = await startEngine();
    const workerPath = await builtWorker();
    // A parent of its own, which is killed while its engine is at work.
    const parent = join(dir, 'parent.mjs');
    await writeFile(
      parent,
      `import { fork } from 'node:child_process';
       const child = fork(${JSON.stringify(workerPath)}, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
       child.on('message', () => process.stdout.write(String(child.pid) + '\\n'));
       setInterval(() => {}, 1000);`,
    );
    const child = spawn(nodePath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((resolve) =>
      child.stdout.once('data', (chunk: Buffer) => resolve(Number(String(chunk).trim()))),
    );
    child.kill('SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

describe('an engine without enough memory', () => {
  /** Runs the worker under a limit of private memory, in MiB. */
  async function startLimited(limitMb: number): Promise<void> {
    const program = join(dir, 'limited-node');
    await writeFile(program, `#!/bin/sh\nulimit -d ${limitMb * 1024}\nexec ${nodePath} "$@"\n`);
    await chmod(program, 0o755);
    // A machine that is busy with other things is slow, not hung.
    engine = createLlamaEngine({ nodePath: program, workerPath: await builtWorker(), now: clock, hangMs: 90_000 });
  }

  it.each([
    // Too little for the program itself, for its threads (it ends without a word), for the model, and for its context.
    300, 600, 620, 650, 680, 800,
  ])('says so when it cannot load (%i MiB)', async (limitMb) => {
    await startLimited(limitMb);
    const provider = await createTestProvider(engine, { cacheDir: dir, contextTokens: 8192 });
    const { ended } = await collect(provider.stream(story, new AbortController().signal));
    expect(ended).toMatchObject({ stopReason: 'error', error: { code: 'out-of-memory', retryable: false } });
  });

  it('says so when memory runs out in the middle of an answer', async () => {
    engine = await startEngine();
    const child = startLlamaProcess({ nodePath, workerPath: await builtWorker(), hangMs: 30_000 });
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
    const answer = await new Promise<FromWorker>((resolve) => {
      child.ask({ type: 'generate', request }, (part) => {
        if (part.type === 'delta' && !isLimited) {
          isLimited = true;
          spawnSync('prlimit', ['--pid', String(child.pid), '--data=1048576']);
          // Makes the process ask for memory while its answer is under way.
          child.ask({ type: 'count', request: large }, () => true);
        }
        if (part.type !== 'ended' && part.type !== 'failed') return false;
        resolve(part);
        return true;
      });
    });
    child.kill();
    expect(answer).toMatchObject({ type: 'failed', error: { code: 'out-of-memory' } });
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
