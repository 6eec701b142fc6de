import type { CostGrouping } from '@shared/money/cost-report.ts';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';

const models = [
  { model: 'openai/gpt-5', where: 'cloud' },
  { model: 'anthropic/claude-sonnet-4-5', where: 'cloud' },
  { model: 'llama-cpp/qwen2.5-coder-1.5b-instruct', where: 'local' },
] as const;

/**
 * The calls of a generated session. Some fail, some have no price, some never end, and one may have lost its beginning.
 */
export function costLog(random: () => number, calls: number): readonly SessionEvent[] {
  const whole = (below: number): number => Math.floor(random() * below);
  const events: SessionEvent[] = [];
  let at = Date.UTC(2026, 10, 1 + whole(20), whole(24), whole(60));
  const add = (event: NewEvent): void => {
    at += whole(7_200_000);
    events.push({ ...event, v: 2, seq: events.length + 1, at });
  };
  for (let step = 1; step <= calls; step += 1) {
    const { model, where } = models[whole(models.length)] ?? models[0];
    const callId = `call-${step}`;
    if (random() > 0.03) add(started(callId, step, { model, where }));
    if (random() < 0.05) continue;
    add(ended(callId, random, where));
  }
  return events;
}

function started(
  callId: string,
  step: number,
  { model, where }: { readonly model: string; readonly where: 'local' | 'cloud' },
): NewEvent {
  return {
    type: 'model-call-started',
    callId,
    step,
    purpose: 'act',
    stage: { strategy: 'loop', model, where },
    provider: model.split('/')[0] ?? '',
    model,
    request: { sha256: 'a'.repeat(64), bytes: 1 },
    promptTokens: null,
  };
}

function ended(callId: string, random: () => number, where: 'local' | 'cloud'): NewEvent {
  const whole = (below: number): number => Math.floor(random() * below);
  const hasFailed = random() < 0.1;
  const usage = { freshInput: whole(5000), cacheRead: whole(40_000), cacheWrite: whole(3000), output: whole(2000) };
  return {
    type: 'model-call-ended',
    callId,
    parts: [],
    stopReason: hasFailed ? (random() < 0.5 ? 'cancelled' : 'error') : 'stop',
    usage: { ...usage, reasoning: whole(500), estimated: hasFailed },
    evaluatedTokens: null,
    timings: { queuedMs: 0, prefillMs: 1, decodeMs: 1, totalMs: 2 },
    price: null,
    costUsd: where === 'local' ? 0 : random() < 0.1 ? null : whole(1_000_000) * 1e-7,
    error: null,
  };
}

interface Sum {
  calls: number;
  failedCalls: number;
  cancelledCalls: number;
  localCalls: number;
  freshInput: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  unpricedCalls: number;
  costUsd: number;
}

/** The sums that `costs` must show, by a plain walk over the events. Shares no code with the ledger. */
export function sumOf(
  logs: readonly {
    readonly id: string;
    readonly projectPath: string | null;
    readonly events: readonly SessionEvent[];
  }[],
  query: {
    readonly by: CostGrouping;
    readonly since: string | undefined;
    readonly dayOf: (at: number) => string;
  },
): ReadonlyMap<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const { id, projectPath, events } of logs) {
    for (const event of events) {
      if (event.type !== 'model-call-ended') continue;
      const day = query.dayOf(event.at);
      if (query.since !== undefined && day < query.since) continue;
      const begin = events.find((other) => other.type === 'model-call-started' && other.callId === event.callId);
      const stage = begin?.type === 'model-call-started' ? begin.stage : null;
      const keys = { day, model: stage?.model ?? 'unknown', project: projectPath ?? '', session: id };
      const sum = sums.get(keys[query.by]) ?? emptySum();
      sum.calls += 1;
      if (event.stopReason === 'cancelled') sum.cancelledCalls += 1;
      if (event.stopReason === 'error') sum.failedCalls += 1;
      if (stage?.where === 'local') sum.localCalls += 1;
      sum.freshInput += event.usage.freshInput;
      sum.cacheRead += event.usage.cacheRead;
      sum.cacheWrite += event.usage.cacheWrite;
      sum.output += event.usage.output;
      if (event.costUsd === null) sum.unpricedCalls += 1;
      else sum.costUsd += event.costUsd;
      sums.set(keys[query.by], sum);
    }
  }
  return sums;
}

function emptySum(): Sum {
  return {
    calls: 0,
    failedCalls: 0,
    cancelledCalls: 0,
    localCalls: 0,
    freshInput: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    unpricedCalls: 0,
    costUsd: 0,
  };
}
