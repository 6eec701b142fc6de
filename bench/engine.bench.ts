import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Message } from '@shared/messages.ts';
import { textMessage } from '@shared/messages.ts';
import { createLlamaEngine } from '../src/main/engines/llama-client.ts';
import type { LlamaEngine } from '../src/main/engines/llama-client.ts';
import { findPlaces } from '../src/main/lib/places.ts';
import type { ModelRequest, Provider, StreamEnded } from '../src/main/providers/define.ts';
import { startBareEngine } from './lib/bare-engine.ts';
import type { BareEngine } from './lib/bare-engine.ts';
import { decodeCostRows } from './lib/decode-costs.ts';
import { localProvider } from './lib/local-provider.ts';
import type { BenchRow } from './lib/rows.ts';
import { shownSpeedRows } from './lib/shown-speed.ts';
import { largest, median } from './lib/statistics.ts';
import { UsageError } from './lib/usage-error.ts';

const contextTokens = 4096;
const outputTokens = 48;
const rounds = 2;
/** Null: the physical cores. One thread can be compared on a machine that is busy with other things, too. */
const threads = process.env.DEWPOINT_BENCH_THREADS === undefined ? null : Number(process.env.DEWPOINT_BENCH_THREADS);

/** Model calls through the provider and its engine process; DEWPOINT_BENCH_MODEL names another model than the starter. */
export async function run(): Promise<readonly BenchRow[]> {
  const cache = findPlaces(process.env, process.platform).cache;
  const name = process.env.DEWPOINT_BENCH_MODEL ?? 'qwen2.5-coder-1.5b-instruct';
  const modelPath = join(cache, 'models', `${name}.gguf`);
  const workerPath = resolve('out/main/llama-worker.cjs');
  if (!existsSync(modelPath)) throw new UsageError(`${name} is not there: npm start -- models pull llama-cpp/${name}`);
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-engine-'));
  const llama = createLlamaEngine({ nodePath: process.execPath, workerPath, now: () => performance.now() });
  const provider = localProvider(llama, { folder, modelPath, workerPath, contextTokens, threads });
  try {
    return [
      ...(await compareWithBare(provider, modelPath)),
      ...(await measureReuse(provider, llama)),
      ...(await measureAborts(provider)),
      ...(await measureFreshProcess(provider, llama)),
      ...(await decodeCostRows(modelPath)),
      ...(await shownSpeedRows(modelPath, threads)),
    ];
  } finally {
    await llama.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A, B, B, A: what slows the machine for a while hits both. Every round has words of its own, so that nothing is kept. */
async function compareWithBare(provider: Provider, modelPath: string): Promise<readonly BenchRow[]> {
  const bare = await startBareEngine(modelPath, contextTokens, threads);
  const times: Times = { bare: [], ours: [], bareFirst: [], oursFirst: [] };
  try {
    await timeBare(bare, 'warm up', times, false);
    await timeOurs(provider, 'warm up', times, false);
    for (let round = 0; round < rounds; round += 1) {
      const [first, second] = [`round ${round} a`, `round ${round} b`];
      await timeBare(bare, first, times, true);
      await timeOurs(provider, first, times, true);
      await timeOurs(provider, second, times, true);
      await timeBare(bare, second, times, true);
    }
  } finally {
    await bare.dispose();
  }
  const promptTokens = (await provider.countTokens(storyRequest('round 0 a'), never)) ?? 0;
  const speed = (sum(times.bare) / sum(times.ours)) * 100;
  const note = `${promptTokens} + ${outputTokens} tokens, ${rounds} rounds A/B/B/A, ${threads ?? 'all'} threads`;
  return [
    {
      figure: 'model calls against bare node-llama-cpp: speed',
      value: speed,
      unit: '%',
      target: { atLeast: 97 },
      note,
    },
    {
      figure: 'the same, from the first token on',
      value: ((sum(times.bare) - sum(times.bareFirst)) / (sum(times.ours) - sum(times.oursFirst))) * 100,
      unit: '%',
      target: { atLeast: 99 },
      note,
    },
    {
      figure: 'added time to the first token',
      value: (median(times.oursFirst) ?? 0) - (median(times.bareFirst) ?? 0),
      unit: 'ms',
      target: { atMost: 15 },
      note: `bare ${median(times.bareFirst)?.toFixed(0) ?? '-'} ms, ours ${median(times.oursFirst)?.toFixed(0) ?? '-'} ms (medians)`,
    },
  ];
}

interface Times {
  readonly bare: number[];
  readonly ours: number[];
  readonly bareFirst: number[];
  readonly oursFirst: number[];
}

async function timeBare(bare: BareEngine, seed: string, times: Times, counts: boolean): Promise<void> {
  const { system, user } = storyOf(seed);
  const prompt = `<|im_start|>system\n${system}<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n<|im_start|>assistant\n`;
  const { ms, firstTokenMs, written } = await bare.time(prompt, outputTokens);
  if (written !== outputTokens) throw new Error(`The bare engine wrote ${written} of ${outputTokens} tokens.`);
  if (counts) {
    times.bare.push(ms);
    times.bareFirst.push(firstTokenMs);
  }
}

async function timeOurs(provider: Provider, seed: string, times: Times, counts: boolean): Promise<void> {
  const startedAt = performance.now();
  let firstMs = 0;
  let ended: StreamEnded | null = null;
  for await (const part of provider.stream(storyRequest(seed), never)) {
    if (part.type === 'text-delta' && firstMs === 0) firstMs = performance.now() - startedAt;
    if (part.type === 'ended') ended = part;
  }
  const ms = performance.now() - startedAt;
  if (ended?.usage.output !== outputTokens)
    throw new Error(`The call wrote ${ended?.usage.output ?? 0} tokens: ${ended?.error?.message ?? ''}`);
  // The first words of all prompts are the same; the bare engine reads them, too.
  if (ended.usage.cacheRead > 40)
    throw new Error(`The engine had kept ${ended.usage.cacheRead} tokens of a prompt that should be new.`);
  if (counts) {
    times.ours.push(ms);
    times.oursFirst.push(firstMs);
  }
}

function storyOf(seed: string): { readonly system: string; readonly user: string } {
  const lines = Array.from(
    { length: 34 },
    (_, index) => `In ${seed}, chapter ${index}, the keeper writes down that the lamp burned ${index * 7} hours.`,
  );
  return {
    system: `You do exactly what is asked (${seed}).`,
    user: `${lines.join('\n')}\nNow write the numbers from 1 to 300, one a line.`,
  };
}

function storyRequest(seed: string): ModelRequest {
  const { system, user } = storyOf(seed);
  return request([textMessage('system', system), textMessage('user', user)], {
    cacheKey: seed,
    maxOutputTokens: outputTokens,
  });
}

/** A conversation that grows, and two forms of a question asked in turn, as the loop and a recipe do. */
async function measureReuse(provider: Provider, llama: LlamaEngine): Promise<readonly BenchRow[]> {
  const before = await llama.stats();
  const messages: Message[] = [textMessage('system', 'You are a programmer who answers in one short sentence.')];
  for (let turn = 0; turn < 8; turn += 1) {
    messages.push(textMessage('user', `Result ${turn}: ${'ok 12 passed; '.repeat(12)}What next?`));
    const { text } = await ask(provider, request(messages, { cacheKey: 'loop', maxOutputTokens: 16 }));
    messages.push(textMessage('assistant', text));
  }
  for (let index = 0; index < 6; index += 1) {
    const form = index % 2 === 0 ? 'Fix the function below.' : 'Write the missing function.';
    const body = 'def add(a, b):\n    return a - b\n'.repeat(15);
    await ask(
      provider,
      request([textMessage('system', 'You fix code.'), textMessage('user', `${form}\n${body}`)], {
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

/** From the abort to the end of the stream. */
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
      // In the middle of the native call that is under way.
      await new Promise((resolvePause) => setTimeout(resolvePause, 20));
      abortedAt = performance.now();
      abort.abort();
    }
  }
  return performance.now() - abortedAt;
}

/** The same long system message in a process that has just started: read from disk, and computed. */
async function measureFreshProcess(provider: Provider, llama: LlamaEngine): Promise<readonly BenchRow[]> {
  const system = Array.from(
    { length: 30 },
    (_, index) => `Rule ${index}: keep the answer short and name the file.`,
  ).join('\n');
  const asked = (question: string): ModelRequest =>
    request([textMessage('system', system), textMessage('user', question)], { cacheKey: 'fresh', maxOutputTokens: 1 });
  const computed = await ask(provider, asked('What is rule 1?'));
  await llama.dispose();
  const loaded = await ask(provider, asked('What is rule 2?'));
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

const never = new AbortController().signal;

function request(messages: readonly Message[], changes: Partial<ModelRequest>): ModelRequest {
  return {
    model: 'bench',
    messages: [...messages],
    tools: [],
    output: { type: 'text' },
    prefill: null,
    stop: [],
    temperature: 0,
    topP: 0.95,
    seed: 1,
    maxOutputTokens: outputTokens,
    cacheKey: 'bench',
    ...changes,
  };
}

async function ask(
  provider: Provider,
  asked: ModelRequest,
): Promise<{ readonly text: string; readonly ended: StreamEnded }> {
  let text = '';
  for await (const part of provider.stream(asked, never)) {
    if (part.type === 'text-delta') text += part.text;
    if (part.type !== 'ended') continue;
    if (part.error !== null) throw new Error(part.error.message);
    return { text, ended: part };
  }
  throw new Error('The stream has no end.');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
