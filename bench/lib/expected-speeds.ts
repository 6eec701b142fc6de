import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SuggestMachine } from '@shared/models/model-suggestion.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';
import { decodeSpeedOf, prefillSpeedOf } from '@shared/session/step-speeds.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import { bandwidthOf, expectedSpeed } from '../../src/main/models/suggest/expected-speed.ts';
import { ollamaProgram, realProvider, startOllama } from '../../tests/engines/ollama-kit.ts';
import { cacheDir, createTestProvider, modelPath, startEngine } from '../../tests/engines/support.ts';
import { plainRequest } from './plain-request.ts';
import type { BenchRow } from './rows.ts';

/** The largest comes first: it is the reference for this machine, as in `dewpoint models suggest`. */
const models = [
  { name: 'qwen2.5-coder-1.5b-instruct', parametersB: 1.54 },
  { name: 'qwen2.5-coder-0.5b-instruct', parametersB: 0.49 },
  { name: 'smollm2-135m-instruct', parametersB: 0.135 },
] as const;
const rounds = 3;
const outputTokens = 64;

interface Speeds {
  readonly read: number;
  readonly written: number;
}

interface Measured extends Speeds {
  readonly engine: string;
  readonly fileBytes: number;
  readonly parametersB: number;
  readonly name: string;
}

/**
 * Compares the expected reading and writing speed of each model, computed from the largest measured one, with its real
 * speed.
 */
export async function expectedSpeedRows(): Promise<readonly BenchRow[]> {
  const builtIn = await withBuiltIn();
  const [reference] = builtIn;
  if (reference === undefined) throw new Error('No model is here.');
  const machine = machineOf(reference);
  const others = [...builtIn.slice(1), ...(await withOllama())];
  return (['written', 'read'] as const).map((kind) => {
    const pairs = others.map((one) => ({ one, expected: expectedOf(one, machine)[kind] }));
    const off = pairs.map(({ one, expected }) => Math.abs(expected - one[kind]) / one[kind]);
    const said = pairs.map(
      ({ one, expected }) =>
        `${one.engine}/${one.name} ${expected.toFixed(1)} expected, ${one[kind].toFixed(1)} measured (${(expected / one[kind]).toFixed(2)})`,
    );
    return {
      figure: `expected tokens ${kind} per second against measured, the worst model`,
      value: Math.max(...off) * 100,
      unit: '% off',
      target: { atMost: 20 },
      note: `by ${reference.name}, which did ${reference[kind].toFixed(1)}; best of ${rounds}. ${said.join('; ')}`,
    };
  });
}

function machineOf({ fileBytes, written, read, parametersB }: Measured): SuggestMachine {
  return {
    devices: [],
    host: { totalBytes: 0 },
    deviceBandwidth: null,
    hostBandwidth: bandwidthOf(fileBytes, written, false),
    measuredPrefill: { perSecond: read, activeB: parametersB },
  };
}

function expectedOf({ fileBytes, parametersB }: Measured, machine: SuggestMachine): Speeds {
  const weights = { fileBytes, parametersB, activeB: parametersB };
  const expected = expectedSpeed({ ...weights, place: 'ram', onDevice: 0, machine });
  return { read: expected.prefillPerSecond ?? Number.NaN, written: expected.decodePerSecond ?? Number.NaN };
}

async function withBuiltIn(): Promise<readonly Measured[]> {
  const engine = await startEngine();
  try {
    return await measureAll('llama-cpp', await createTestProvider(engine), (name) => name);
  } finally {
    await engine.dispose();
  }
}

async function withOllama(): Promise<readonly Measured[]> {
  const program = ollamaProgram ?? (await builtOllama());
  if (program === null) return [];
  const server = await startOllama(program);
  try {
    for (const { name } of models) if (existsSync(modelPath(name))) await server.create(name, name);
    return await measureAll('ollama', realProvider(server), (name) => `${name}:latest`);
  } finally {
    await server.stop();
  }
}

/** The server that `scripts/setup/ollama.mjs` left in the cache, null if there is none. */
async function builtOllama(): Promise<string | null> {
  const folder = join(cacheDir(), 'ollama-server');
  const builds = await readdir(folder).catch((): string[] => []);
  return builds.map((build) => join(folder, build, 'ollama')).find((path) => existsSync(path)) ?? null;
}

async function measureAll(
  engine: string,
  provider: Provider,
  nameOf: (name: string) => string,
): Promise<readonly Measured[]> {
  const all: Measured[] = [];
  for (const { name, parametersB } of models) {
    if (!existsSync(modelPath(name))) continue;
    await measureOnce(provider, nameOf(name), `${engine} warm up`);
    const speeds: Speeds[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const one = await measureOnce(provider, nameOf(name), `${engine} round ${round}`);
      if (one !== null) speeds.push(one);
    }
    if (speeds.length === 0) throw new Error(`${engine}/${name} gave no times: it wrote too little.`);
    const best = (kind: keyof Speeds): number => Math.max(...speeds.map((one) => one[kind]));
    const { size } = await stat(modelPath(name));
    all.push({ engine, name, parametersB, fileBytes: size, read: best('read'), written: best('written') });
  }
  return all;
}

/** Null if it wrote too little. Prompts differ from the first word on, so the prompt cache never helps. */
async function measureOnce(provider: Provider, model: string, seed: string): Promise<Speeds | null> {
  const lines = Array.from({ length: 24 }, (_, index) => `In ${seed}, chapter ${index}, the lamp burned all night.`);
  const text = `${seed}.\n${lines.join('\n')}\nCopy these chapters, word for word.`;
  const asked = plainRequest([textMessage('user', text)], { model, maxOutputTokens: outputTokens, cacheKey: seed });
  for await (const part of provider.stream(asked, new AbortController().signal)) {
    if (part.type !== 'ended') continue;
    // Ollama does not report how much of a prompt was cached. Here it is only the frame of the conversation.
    const evaluatedTokens = part.evaluatedTokens ?? promptTokensOf(part.usage);
    const [read, written] = [prefillSpeedOf({ ...part, evaluatedTokens }), decodeSpeedOf(part)];
    if (part.error !== null) throw new Error(`${model}: ${part.error.message}`);
    return read === null || written === null ? null : { read, written };
  }
  throw new Error(`${model} gave no end`);
}
