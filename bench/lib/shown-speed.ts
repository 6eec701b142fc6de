import { textMessage } from '@shared/messages.ts';
import { startGeneration } from '../../src/main/engines/llama-worker/generate.ts';
import { loadModel } from '../../src/main/engines/llama-worker/load-model.ts';
import type { Engine } from '../../src/main/engines/llama-worker/load-model.ts';
import type { EngineRequest } from '../../src/main/engines/llama-worker/protocol.ts';
import { createTokenMemory } from '../../src/main/engines/llama-worker/tokenize-chat.ts';
import type { BenchRow } from './rows.ts';

const outputTokens = 96;
const rounds = 3;

/** Tokens a second as people see them, and by what llama.cpp counts itself, of the same calls. */
export async function shownSpeedRows(modelPath: string, threads: number | null): Promise<readonly BenchRow[]> {
  const engine = await loadModel(
    { modelPath, contextTokens: 2048, sequences: 1, threads, gpu: 'off', stateDir: null },
    { onProgress: () => undefined, onLog: () => undefined },
  );
  const counters = listenToCounters(engine);
  const pairs: (readonly [shown: Speeds, counted: Speeds])[] = [];
  try {
    await time(engine, 'warm up');
    await counters();
    for (let round = 0; round < rounds; round += 1)
      pairs.push([await time(engine, `round ${round}`), await counters()]);
  } finally {
    await engine.dispose();
  }
  return (['read', 'written'] as const).map((kind) => {
    const off = pairs.map(([shown, counted]) => (Math.abs(shown[kind] - counted[kind]) / counted[kind]) * 100);
    return {
      figure: `shown tokens ${kind} per second against the engine's counters`,
      value: Math.max(...off),
      unit: '% off',
      target: { atMost: 1 },
      note: `worst of ${rounds}; ${pairs.map(([shown, counted]) => `${shown[kind].toFixed(1)} / ${counted[kind].toFixed(1)}`).join(', ')}`,
    };
  });
}

interface Speeds {
  readonly read: number;
  readonly written: number;
}

async function time(engine: Engine, seed: string): Promise<Speeds> {
  const context = { engine, memory: createTokenMemory(), counters: nothingCounted(), log: [] };
  const emit = { delta: () => undefined, progress: () => undefined };
  const running = startGeneration(context, requestOf(seed), new AbortController().signal, emit);
  const { evaluatedTokens, prefillMs, decodeMs, outputTokens: written, error } = await running.done;
  if (error !== null || prefillMs === null || decodeMs === null || written < 16)
    throw new Error(`The call wrote ${written} tokens: ${error?.message ?? ''}`);
  return { read: (evaluatedTokens / prefillMs) * 1000, written: ((written - 1) / decodeMs) * 1000 };
}

const line = /(prompt eval|eval) time\s*=\s*([\d.]+) ms\s*\/\s*(\d+) (?:tokens|runs)/u;

/** Each call gives what was counted since the one before. */
function listenToCounters(engine: Engine): () => Promise<Speeds> {
  const heard = new Map<string, number>();
  engine.llama.logLevel = engine.library.LlamaLogLevel.info;
  engine.llama.logger = (_level, text) => {
    for (const one of text.split('\n')) {
      const [, kind, ms, count] = line.exec(one) ?? [];
      if (kind !== undefined) heard.set(kind, (Number(count) / Number(ms)) * 1000);
    }
  };
  return async () => {
    heard.clear();
    await engine.slots[0]?.sequence.context.printTimings();
    // It prints from a thread of its own.
    for (let waits = 0; waits < 100 && heard.size < 2; waits += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const [read, written] = [heard.get('prompt eval'), heard.get('eval')];
    if (read === undefined || written === undefined) throw new Error('The engine did not print what it counted.');
    return { read, written };
  };
}

function nothingCounted(): Parameters<typeof startGeneration>[0]['counters'] {
  return { promptTokens: 0, evaluatedTokens: 0, evaluatedAgain: 0, forks: 0, statesSaved: 0, statesLoaded: 0 };
}

function requestOf(seed: string): EngineRequest {
  const lines = Array.from({ length: 20 }, (_, index) => `In ${seed}, chapter ${index}, the lamp burned all night.`);
  return {
    messages: [textMessage('user', `${seed}.\n${lines.join('\n')}\nWrite the numbers from 1 to 300, one a line.`)],
    output: { type: 'text' },
    prefill: null,
    stop: [],
    temperature: 0,
    topP: 1,
    seed: 1,
    maxOutputTokens: outputTokens,
    cacheKey: seed,
  };
}
