import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { success } from '@shared/errors.ts';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
import { startApiServer } from '../src/main/hosts/api/api-server.ts';
import type { Provider } from '../src/main/models/providers/define.ts';
import { createMemorySandbox } from '../tests/fakes/sandbox/memory-sandbox.ts';
import { openClientCore } from '../tests/fakes/core-client.ts';
import { parsePartOptions } from './lib/part-options.ts';
import type { BenchRow } from './lib/rows.ts';
import { median } from './lib/statistics.ts';
import { UsageError } from './lib/usage-error.ts';

/** The times of one call, at the engine and at the client, in milliseconds from the start of each. */
interface Call {
  readonly engine: { startedAt: number; firstAt: number; lastAt: number };
  readonly client: { startedAt: number; firstAt: number; lastAt: number };
}

interface Endpoint {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly last: () => Call['engine'];
}

/** The parts that differ from call to call come first, so that no prompt finds anything in the prompt cache. */
const prompts = {
  short: (seed: string) => `Call ${seed}. Write the numbers from 1 to 300, one a line.`,
  long: (seed: string) =>
    `${Array.from({ length: 34 }, (_, index) => `In ${seed}, chapter ${index}, the keeper writes down that the lamp burned ${index * 7} hours.`).join('\n')}\nNow write the numbers from 1 to 300, one a line.`,
} as const;

const parts = { first: true, written: true } as const;

/**
 * Measures what the endpoint adds to the engine. Both are timed in the same call: when the client asked and got its
 * first word, and when the engine was asked and gave it. So the engine's own time, which always varies, cancels out.
 * `--model NAME` (the starter), `--rounds N`, `--only first,written`.
 */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { only, values } = parsePartOptions(args, parts, {
    model: 'qwen2.5-coder-1.5b-instruct',
    rounds: '10',
  });
  return timedRows(values, only);
}

async function timedRows(
  values: { readonly model: string; readonly rounds: string },
  only: readonly (keyof typeof parts)[],
): Promise<readonly BenchRow[]> {
  const { cache } = findDataFolders(process.env, process.platform);
  if (!existsSync(join(cache, 'models', `${values.model}.gguf`)))
    throw new UsageError(`${values.model} is not there: npm start -- models pull llama-cpp/${values.model}`);
  if (!existsSync(resolve('out/main/llama-worker.cjs'))) throw new UsageError('Build first: npm run build');
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-bench-endpoint-'));
  const timed = { startedAt: 0, firstAt: 0, lastAt: 0 };
  const core = await openClientCore({
    home,
    cache,
    version: 'bench',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
    wrapProvider: (provider) => timedProvider(provider, timed),
  });
  const server = await startApiServer(core.client, { port: 0 });
  const rows: BenchRow[] = [];
  try {
    const { key } = await core.client.endpoint.addClient({ name: 'bench', mayLeave: false });
    const endpoint = { url: server.url, key, model: `llama-cpp/${values.model}`, last: () => ({ ...timed }) };
    await ask(endpoint, prompts.short('warm up'), 2);
    if (only.includes('first')) rows.push(...(await firstRows(endpoint, Number(values.rounds))));
    if (only.includes('written')) rows.push(...(await writtenRows(endpoint, Number(values.rounds))));
  } finally {
    await server.close();
    await core.dispose();
    await rm(home, { recursive: true, force: true });
  }
  return rows;
}

function timedProvider(provider: Provider, timed: Call['engine']): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      timed.startedAt = performance.now();
      timed.firstAt = 0;
      for await (const part of provider.stream(request, signal)) {
        if (part.type === 'text-delta') {
          timed.lastAt = performance.now();
          if (timed.firstAt === 0) timed.firstAt = timed.lastAt;
        }
        yield part;
      }
    },
  };
}

async function ask({ url, key, model, last }: Endpoint, content: string, maxTokens: number): Promise<Call> {
  const client = { startedAt: performance.now(), firstAt: 0, lastAt: 0 };
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      stream: true,
      temperature: 0,
      max_tokens: maxTokens,
      messages: [{ role: 'user', content }],
    }),
  });
  if (!response.ok || response.body === null) throw new Error(await response.text());
  const decoder = new TextDecoder();
  for await (const bytes of response.body) {
    if (!/"content":"[^"]/u.test(decoder.decode(bytes))) continue;
    client.lastAt = performance.now();
    if (client.firstAt === 0) client.firstAt = client.lastAt;
  }
  return { engine: last(), client };
}

const addedMs = ({ client, engine }: Call): number =>
  client.firstAt - client.startedAt - (engine.firstAt - engine.startedAt);

async function firstRows(endpoint: Endpoint, rounds: number): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const kind of ['short', 'long'] as const) {
    const added: number[] = [];
    for (let round = 0; round < rounds; round += 1)
      added.push(addedMs(await ask(endpoint, prompts[kind](`round ${round}`), 1)));
    const sorted = added.sort((left, right) => left - right);
    rows.push({
      figure: `added time to the first token, ${kind} prompt, median`,
      value: median(sorted),
      unit: 'ms',
      target: { atMost: 10 },
      note: `of ${rounds}, ${sorted[0]?.toFixed(1)} to ${sorted.at(-1)?.toFixed(1)} ms`,
    });
  }
  return rows;
}

async function writtenRows(endpoint: Endpoint, rounds: number): Promise<readonly BenchRow[]> {
  const shares: number[] = [];
  for (let round = 0; round < Math.max(1, Math.ceil(rounds / 3)); round += 1) {
    const { client, engine } = await ask(endpoint, prompts.short(`writing ${round}`), 96);
    shares.push(((engine.lastAt - engine.firstAt) / (client.lastAt - client.firstAt)) * 100);
  }
  return [
    {
      figure: 'tokens per second of the engine that reach the client, median',
      value: median(shares.sort((left, right) => left - right)),
      unit: '%',
      target: { atLeast: 98 },
      note: `of ${shares.length} answers of 96 tokens`,
    },
  ];
}
