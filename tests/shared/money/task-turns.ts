import type { NewEvent, SessionEvent } from '../../../src/shared/events/events.ts';

/** A made-up turn: who made its calls, what it was, and what they cost. */
export interface MadeTurn {
  readonly id: string;
  /** The place and cost of each call. */
  readonly calls: readonly {
    readonly where: 'local' | 'cloud';
    readonly model?: string;
    readonly costUsd: number | null;
  }[];
  readonly prompt: number;
  readonly recipe?: string;
  readonly failedBefore?: boolean;
  readonly mode?: 'ask' | 'work';
  readonly reason?: 'done' | 'answered' | 'gave-up' | 'cancelled';
}

/** The events of these turns in order, from sequence number `seq` on. */
export function turnsAsEvents(turns: readonly MadeTurn[], seq = 1): readonly SessionEvent[] {
  return turns
    .flatMap(eventsOfTurn)
    .map((event, index) => ({ ...event, v: 2, seq: seq + index, at: (seq + index) * 1000 }));
}

function eventsOfTurn(turn: MadeTurn): readonly NewEvent[] {
  const { id, calls, prompt, recipe, failedBefore = true, mode = 'work', reason = 'done' } = turn;
  const at = { turnId: id };
  const limits = { maxSteps: 40, maxMinutes: 15, maxTokens: 100_000, maxUsd: null };
  const stageOf = ({ where, model = `${where}/m` }: MadeTurn['calls'][number]) =>
    ({ strategy: recipe === undefined ? 'loop' : 'recipe', model, where }) as const;
  const check = { phase: 'before', command: 'pytest', exitCode: 1, summary: '' } as const;
  return [
    { type: 'turn-started', ...at, messageId: id, mode, check: null, cascade: [], limits },
    { type: 'check-ended', ...at, ...check, passed: !failedBefore },
    ...calls.flatMap((call, index): readonly NewEvent[] => [
      { type: 'stage-chosen', ...at, stage: stageOf(call), recipe: recipe ?? null, reason: '', index, cause: null },
      {
        type: 'model-call-started',
        ...at,
        callId: `${id}-${index}`,
        step: index + 1,
        purpose: 'act',
        stage: stageOf(call),
        provider: call.where,
        model: 'm',
        request: { sha256: '0'.repeat(64), bytes: 1 },
        promptTokens: prompt + index * 100,
      },
      {
        type: 'model-call-ended',
        ...at,
        callId: `${id}-${index}`,
        parts: [],
        stopReason: 'stop',
        usage: { freshInput: prompt, cacheRead: 0, cacheWrite: 0, output: 50, reasoning: 0, estimated: false },
        evaluatedTokens: prompt,
        timings: { queuedMs: 0, prefillMs: 100, decodeMs: 900, totalMs: 1000 },
        price: null,
        costUsd: call.costUsd,
        error: null,
      },
    ]),
    { type: 'turn-ended', ...at, reason, text: '', confidence: null, failure: null },
  ];
}
