import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Message } from '@shared/models/model-messages.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { createLlamaEngine } from '../src/main/models/engine/llama-engine.ts';
import type { LlamaEngine } from '../src/main/models/engine/llama-engine.ts';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
import type { ModelRequest, Provider } from '../src/main/models/providers/define.ts';
import { againstBareRows } from './lib/against-bare.ts';
import type { Measuring } from './lib/bare-contest.ts';
import { askAlone } from './lib/ask-alone.ts';
import { firstTokenRows } from './lib/first-token.ts';
import { localProvider } from './lib/local-provider.ts';
import { parsePartOptions } from './lib/part-options.ts';
import { plainRequest } from './lib/plain-request.ts';
import type { BenchRow } from './lib/rows.ts';
import { shownSpeedRows } from './lib/shown-speed.ts';
import { largest } from './lib/statistics.ts';
import { UsageError } from './lib/usage-error.ts';
import { testPrograms } from '../tests/fakes/test-programs.ts';

const contextTokens = 4096;

interface Parts {
  readonly provider: Provider;
  readonly llama: LlamaEngine;
}

const parts = {
  first: firstTokenRows,
  bare: againstBareRows,
  reuse: ({ provider, llama }) => measureReuse(provider, llama),
  aborts: ({ provider }) => measureAborts(provider),
  fresh: ({ provider, llama }) => measureFreshProcess(provider, llama),
  shown: (_engine, { modelPath, threads }) => shownSpeedRows(modelPath, threads),
} as const satisfies Readonly<Record<string, (engine: Parts, measuring: Measuring) => Promise<readonly BenchRow[]>>>;

/**
 * Measures model calls through the provider and its engine process: `--model NAME` (the starter), `--threads N` (the
 * physical cores; results of one thread can be compared even on a busy machine), `--rounds N`, `--only PART,…`.
 */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { only, values } = parsePartOptions(args, parts, {
    model: 'qwen2.5-coder-1.5b-instruct',
    threads: '',
    rounds: '2',
  });
  const cache = findDataFolders(process.env, process.platform).cache;
  const modelPath = join(cache, 'models', `${values.model}.gguf`);
  const workerPath = resolve('out/main/llama-worker.cjs');
  if (!existsSync(modelPath))
    throw new UsageError(`${values.model} is not there: npm start -- models pull llama-cpp/${values.model}`);
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-engine-'));
  const threads = values.threads === '' ? null : Number(values.threads);
  const llama = createLlamaEngine({
    nodePath: process.execPath,
    workerPath,
    programs: testPrograms(),
    now: () => performance.now(),
  });
  const provider = localProvider(llama, { folder, modelPath, contextTokens, threads });
  const measuring = { modelPath, contextTokens, threads, rounds: Number(values.rounds) };
  const rows: BenchRow[] = [];
  try {
    for (const part of only) rows.push(...(await parts[part]({ provider, llama }, measuring)));
  } finally {
    await llama.dispose();
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}

/** A prompt of some hundred tokens, whose words differ for every seed, so that the prompt cache never helps. */
function storyRequest(seed: string): ModelRequest {
  const lines = Array.from(
    { length: 34 },
    (_, index) => `In ${seed}, chapter ${index}, the keeper writes down that the lamp burned ${index * 7} hours.`,
  );
  const user = `${lines.join('\n')}\nNow write the numbers from 1 to 300, one a line.`;
  return plainRequest([textMessage('system', `You do exactly what is asked (${seed}).`), textMessage('user', user)], {
    cacheKey: seed,
  });
}

/** Measures a growing conversation, and two forms of a question asked in turn, as the loop and a recipe do. */
async function measureReuse(provider: Provider, llama: LlamaEngine): Promise<readonly BenchRow[]> {
  const before = await llama.stats();
  const messages: Message[] = [textMessage('system', 'You are a programmer who answers in one short sentence.')];
  for (let turn = 0; turn < 8; turn += 1) {
    messages.push(textMessage('user', `Result ${turn}: ${'ok 12 passed; '.repeat(12)}What next?`));
    const { text } = await askAlone(provider, plainRequest(messages, { cacheKey: 'loop', maxOutputTokens: 16 }));
    messages.push(textMessage('assistant', text));
  }
  for (let index = 0; index < 6; index += 1) {
    const form = index % 2 === 0 ? 'Fix the function below.' : 'Write the missing function.';
    const body = 'def add(a, b):\n    return a - b\n'.repeat(15);
    await askAlone(
      provider,
      plainRequest([textMessage('system', 'You fix code.'), textMessage('user', `${form}\n${body}`)], {
        cacheKey: 'recipe',
        maxOutputTokens: 4,
        temperature: 0.8,
        seed: index,
      }),
    );
  }
  const after = await llama.stats();
  if (before === null || after === null) throw new Error('The engine process is gone.');
  const prompt = after.promptTokens - before.promptTokens;
  const again = after.evaluatedAgain - before.evaluatedAgain;
  return [
    {
      figure: 'prompt tokens evaluated again although they were kept',
      value: (again / prompt) * 100,
      unit: '%',
      target: { atMost: 2 },
      note: `${again} of ${prompt}; ${after.evaluatedTokens - before.evaluatedTokens} evaluated in all`,
    },
  ];
}

/** Measures the time from the abort to the end of the stream. */
async function measureAborts(provider: Provider): Promise<readonly BenchRow[]> {
  const prefill: number[] = [];
  const decode: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    prefill.push(await timeAbort(provider, storyRequest(`abort ${round}`), 'progress'));
    decode.push(await timeAbort(provider, { ...storyRequest(`abort ${round}`), maxOutputTokens: 400 }, 'text-delta'));
  }
  const row = (figure: string, values: readonly number[]): BenchRow => ({
    figure,
    value: largest(values),
    unit: 'ms',
    target: { atMost: 200 },
    note: `slowest of ${values.length}`,
  });
  return [row('abort in the middle of a prompt', prefill), row('abort in the middle of an answer', decode)];
}

async function timeAbort(provider: Provider, asked: ModelRequest, at: 'progress' | 'text-delta'): Promise<number> {
  const abort = new AbortController();
  let abortedAt = 0;
  for await (const part of provider.stream(asked, abort.signal)) {
    const isMoment =
      at === 'text-delta' ? part.type === at : part.type === 'progress' && part.phase === 'prefill' && part.done > 0;
    if (isMoment && abortedAt === 0) {
      // Aborts in the middle of the native call.
      await new Promise((resolvePause) => setTimeout(resolvePause, 20));
      abortedAt = performance.now();
      abort.abort();
    }
  }
  return performance.now() - abortedAt;
}

/** Measures the same long system message in a new process, once read from disk and once computed. */
async function measureFreshProcess(provider: Provider, llama: LlamaEngine): Promise<readonly BenchRow[]> {
  const system = Array.from(
    { length: 30 },
    (_, index) => `Rule ${index}: keep the answer short and name the file.`,
  ).join('\n');
  const asked = (question: string): ModelRequest =>
    plainRequest([textMessage('system', system), textMessage('user', question)], {
      cacheKey: 'fresh',
      maxOutputTokens: 1,
    });
  const computed = await askAlone(provider, asked('What is rule 1?'));
  await llama.dispose();
  const loaded = await askAlone(provider, asked('What is rule 2?'));
  const [slow, fast] = [computed.ended.timings.prefillMs ?? 0, loaded.ended.timings.totalMs];
  return [
    {
      figure: 'system message computed / loaded by a fresh process',
      value: slow / Math.max(1, loaded.ended.timings.prefillMs ?? 1),
      unit: '',
      target: null,
      note: `${computed.ended.evaluatedTokens ?? 0} tokens in ${slow.toFixed(0)} ms, then ${loaded.ended.evaluatedTokens ?? 0} in ${(loaded.ended.timings.prefillMs ?? 0).toFixed(0)} ms; with the start of the process ${fast.toFixed(0)} ms`,
    },
  ];
}
