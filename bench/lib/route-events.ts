import type { NewEvent } from '@shared/events/events.ts';
import type { ModelInfo, Where } from '@shared/models/model-info.ts';
import type { Price } from '@shared/money/token-cost.ts';

/** Events and models for benches of the router. Fields with fixed values do not matter to the router. */
export const turnStarted: NewEvent = {
  type: 'turn-started',
  messageId: 'm0',
  check: null,
  cascade: [],
  limits: { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null },
};
export const callStarted = {
  type: 'model-call-started',
  purpose: 'act',
  provider: '',
  model: '',
  request: { sha256: '0'.repeat(64), bytes: 0 },
  promptTokens: null,
} as const;
export const callEnded = {
  type: 'model-call-ended',
  parts: [],
  stopReason: 'tool-calls',
  evaluatedTokens: null,
  timings: { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 1 },
  price: null,
  costUsd: 0,
  error: null,
} satisfies Partial<NewEvent>;
export const toolRequested = {
  type: 'tool-call-requested',
  tool: 'read_file',
  style: 'native',
  repairs: [],
} satisfies Partial<NewEvent>;

export const noTask = {
  characters: 0,
  files: 0,
  hasTrace: false,
  hasCheck: true,
  isQuestion: false,
  riskyWords: 0,
  roteWords: 0,
};

export function modelOf(
  where: Where,
  contextTokens: number,
  rates: Omit<Price, 'source' | 'date'> | null,
  images: boolean,
): ModelInfo {
  const own = where === 'local' ? { input: 0, output: 0 } : rates;
  return {
    id: `${where}/model`,
    provider: where,
    name: 'model',
    label: where,
    where,
    contextTokens,
    parametersB: null,
    capabilities: { tools: true, grammar: false, prefill: false, infill: false, countTokens: false, images },
    price: own === null ? null : { ...own, source: 'bench', date: '2026-11-21' },
    strategies: ['loop'],
  };
}
