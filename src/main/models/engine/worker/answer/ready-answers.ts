import type { Token } from 'node-llama-cpp';
import type { EngineRequest, Generation } from '../worker-protocol.ts';

/** An answer that was written beside another one, before anybody asked for it. */
export interface ReadyAnswer {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly stopReason: Generation['stopReason'];
}

/** Answers to the same prompt with other seeds, until they are asked for. Of one loaded model. */
export interface ReadyAnswers {
  keep(request: EngineRequest, seed: number, answer: ReadyAnswer): void;
  /** Each is given once; null: nobody wrote it. */
  take(request: EngineRequest): ReadyAnswer | null;
}

/** The oldest go first: whoever has found what it looked for never asks for the rest. */
const mostKept = 64;

export function createReadyAnswers(): ReadyAnswers {
  const kept = new Map<string, ReadyAnswer>();
  return {
    keep(request, seed, answer) {
      kept.set(keyOf({ ...request, seed }), answer);
      for (const key of kept.keys()) if (kept.size > mostKept) kept.delete(key);
    },
    take(request) {
      const key = keyOf(request);
      const answer = kept.get(key) ?? null;
      kept.delete(key);
      return answer;
    },
  };
}

/** Everything but the seeds that are wanted next. */
function keyOf(request: EngineRequest): string {
  return JSON.stringify({ ...request, also: [] }, sortedKeys);
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
