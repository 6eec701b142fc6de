import type { Token } from 'node-llama-cpp';
import type { EngineRequest, Generation } from '../worker-protocol.ts';

/** An answer that was written beside another one, before it was asked for. */
export interface ReadyAnswer {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly stopReason: Generation['stopReason'];
}

/** Answers to the same prompt with other seeds, kept until they are asked for. They belong to one loaded model. */
export interface ReadyAnswers {
  keep(request: EngineRequest, seed: number, answer: ReadyAnswer): void;
  /** Returns each answer only once. Null: there is none. */
  take(request: EngineRequest): ReadyAnswer | null;
}

/** The oldest are dropped first: a caller that has found what it needs never asks for the rest. */
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

/** All of the request except the seeds that come next. */
function keyOf(request: EngineRequest): string {
  return JSON.stringify({ ...request, also: [] }, sortedKeys);
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
