import { decodeSpeedOf, prefillSpeedOf } from '@shared/session/step-speeds.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { startGeneration } from '../../src/main/models/engine/worker/answer/generate.ts';
import { loadModel } from '../../src/main/models/engine/worker/load/load-model.ts';
import type { Engine } from '../../src/main/models/engine/worker/load/load-model.ts';
import type { EngineRequest } from '../../src/main/models/engine/worker/worker-protocol.ts';
import { createTokenMemory } from '../../src/main/models/engine/worker/prompt/tokenize-chat.ts';
import { toEnded } from '../../src/main/models/providers/llama-cpp/engine-call.ts';
import { speed } from '../../src/renderer/lib/text/format.ts';
import type { BenchRow } from './rows.ts';

const outputTokens = 96;
const rounds = 3;

/** Tokens a second as the window shows them, and as llama.cpp prints them for the same calls. */
export async function shownSpeedRows(modelPath: string, threads: number | null): Promise<readonly BenchRow[]> {
  const engine = await loadModel(
    {
      modelPath,
      contextTokens: 2048,
      sequences: 1,
      threads,
      gpu: 'off',
      gpuLayers: null,
      cacheType: 'f16',
      stateDir: null,
    },
    { onProgress: () => undefined, onLog: () => undefined },
  );
  const counters = listenToCounters(engine);
  const pairs: (readonly [shown: Speeds, counted: Speeds])[] = [];
  try {
    await time(engine, 'warm up');
    for (let round = 0; round < rounds; round += 1) pairs.push([await time(engine, `round ${round}`), counters()]);
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
  const context = {
    engine,
    memory: createTokenMemory(),
    counters: nothingCounted(),
    log: [],
  };
  const emit = { delta: () => undefined, thought: () => undefined, progress: () => undefined };
  const running = startGeneration(context, requestOf(seed), new AbortController().signal, emit);
  const generation = await running.done;
  const ended = toEnded({ type: 'ended', generation, queuedMs: 0, totalMs: 0, loaded: engine.info }, false);
  if (ended.error !== null || ended.usage.output < 16)
    throw new Error(`The call wrote ${ended.usage.output} tokens: ${ended.error?.message ?? ''}`);
  return { read: numberIn(speed(prefillSpeedOf(ended))), written: numberIn(speed(decodeSpeedOf(ended))) };
}

const line = /(prompt eval|eval) time\s*=\s*([\d.]+) ms\s*\/\s*(\d+) (?:tokens|runs)/u;

/** Returns the latest printed speeds. It wraps the engine's own listener and uses a separate pattern. */
function listenToCounters({ llama }: Engine): () => Speeds {
  const heard = new Map<string, number>();
  const listener = llama.logger;
  llama.logger = (level, text) => {
    for (const one of text.split('\n')) {
      const [, kind, ms, count] = line.exec(one) ?? [];
      if (kind !== undefined) heard.set(kind, (Number(count) / Number(ms)) * 1000);
    }
    listener(level, text);
  };
  return () => {
    const [read, written] = [heard.get('prompt eval'), heard.get('eval')];
    heard.clear();
    if (read === undefined || written === undefined) throw new Error('The engine did not print what it counted.');
    return { read, written };
  };
}

function numberIn(text: string | null): number {
  const number = Number.parseFloat(text ?? '');
  if (Number.isNaN(number)) throw new Error('No speed was shown.');
  return number;
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
