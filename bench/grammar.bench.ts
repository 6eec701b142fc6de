import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { textMessage } from '@shared/models/model-messages.ts';
import { createLlamaEngine } from '../src/main/models/engine/llama-engine.ts';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
import type { Provider } from '../src/main/models/providers/define.ts';
import { localProvider } from './lib/local-provider.ts';
import { writeRandomModel } from './lib/random-model.ts';
import { randomInput } from './lib/random-schemas.ts';
import type { BenchRow } from './lib/rows.ts';
import { seeded } from './lib/seeded.ts';
import { UsageError } from './lib/usage-error.ts';
import { testPrograms } from '../tests/fakes/test-programs.ts';

const tokenizerOf = 'smollm2-135m-instruct';

/**
 * Checks calls forced by grammars over random schemas, however wild the model: `--calls N` with random weights, `--real
 * N` with a real model.
 */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '1000' },
      real: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
    },
  });
  const models = join(findDataFolders(process.env, process.platform).cache, 'models');
  const realPath = join(models, `${tokenizerOf}.gguf`);
  if (!existsSync(realPath))
    throw new UsageError(`${tokenizerOf} is not there: npm start -- models pull llama-cpp/${tokenizerOf}`);
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-grammar-'));
  const workerPath = resolve('out/main/llama-worker.cjs');
  const llama = createLlamaEngine({
    nodePath: process.execPath,
    workerPath,
    programs: testPrograms(),
    now: () => performance.now(),
  });
  try {
    const randomPath = join(folder, 'random.gguf');
    await writeRandomModel(randomPath, realPath);
    const seed = Number(values.seed);
    const places = { folder, workerPath, contextTokens: 4_096, threads: null };
    return [
      await measure(localProvider(llama, { ...places, modelPath: randomPath }), {
        name: 'a model of random weights',
        calls: Number(values.calls),
        seed,
      }),
      await measure(localProvider(llama, { ...places, modelPath: realPath }), {
        name: tokenizerOf,
        calls: Number(values.real),
        seed: seed + 1,
      }),
    ];
  } finally {
    await llama.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Sample {
  readonly name: string;
  readonly calls: number;
  readonly seed: number;
}

async function measure(provider: Provider, { name, calls, seed }: Sample): Promise<BenchRow> {
  const random = seeded(seed);
  const wrong: string[] = [];
  const started = performance.now();
  for (let index = 0; index < calls; index += 1) {
    const problem = await oneCall(provider, random);
    if (problem !== null) wrong.push(problem);
  }
  const seconds = (performance.now() - started) / 1000;
  const why = [...new Set(wrong)].slice(0, 3).join(' | ');
  return {
    figure: `calls forced by grammars over random schemas, valid, ${name}`,
    value: calls === 0 ? null : ((calls - wrong.length) / calls) * 100,
    unit: '%',
    target: { atLeast: 100 },
    note: `${wrong.length} of ${calls} not, seed ${seed}, ${seconds.toFixed(0)} s${why === '' ? '' : `; ${why}`}`,
  };
}

/** Null for a complete call whose input fits its tool's schema, else what is wrong. */
async function oneCall(provider: Provider, random: () => number): Promise<string | null> {
  const inputs = [randomInput(random), randomInput(random)];
  const tools = inputs.map((input, index) => ({
    name: `tool_${index}`,
    description: '',
    inputSchema: z.toJSONSchema(input),
  }));
  const stream = provider.stream(
    {
      model: 'bench',
      messages: [textMessage('user', 'Do something.')],
      tools,
      output: { type: 'tool-calls' },
      prefill: null,
      stop: [],
      temperature: 1.5,
      topP: 1,
      seed: Math.floor(random() * 1e9),
      maxOutputTokens: 3_000,
      cacheKey: 'bench',
    },
    new AbortController().signal,
  );
  let call: { readonly name: string; readonly input: unknown } | null = null;
  let end = 'no end';
  for await (const part of stream) {
    if (part.type === 'tool-call') call = part.call;
    if (part.type === 'ended') end = part.error === null ? part.stopReason : part.error.message;
  }
  if (call === null) return `ended: ${end}; ${JSON.stringify(tools.map((tool) => tool.inputSchema)).slice(0, 400)}`;
  const schema = inputs[tools.findIndex((tool) => tool.name === call?.name)];
  const error = schema === undefined ? 'a tool that is none' : schema.safeParse(call.input).error?.message;
  return error === undefined ? null : `${error.replaceAll(/\s+/gu, ' ')} ${JSON.stringify(call.input).slice(0, 200)}`;
}
