import type { Sureness } from '@shared/events/call-report.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';

/** What is known about one model from its calls so far. */
export interface ModelTrajectory {
  /** Tokens of the conversation that were last sent to its service, and when. */
  readonly cachedTokens: number;
  readonly cachedAt: number;
  /** The median of the last answers, in tokens. */
  readonly outputTokens: number;
  /** Of the last call; null: unknown. */
  readonly prefillPerSecond: number | null;
  readonly decodePerSecond: number | null;
  readonly callMs: number;
  /** From the start of one of its steps to the start of the next, including its tool calls; null: not known yet. */
  readonly stepMs: number | null;
  /** The sum of prompt and answer tokens of its steps in the conversation. */
  readonly readTokens: number;
  readonly writtenTokens: number;
  /** Tokens that its service had to read again because it had forgotten them. */
  readonly forgottenTokens: number;
  /** Of its last answer; null: not reported. */
  readonly sureness: Sureness | null;
}

/** The state after one more answer of the model. */
export function afterCall(before: ModelTrajectory | undefined, event: EventOf<'model-call-ended'>): ModelTrajectory {
  const { usage, timings, evaluatedTokens } = event;
  const read = promptTokensOf(usage);
  return {
    cachedTokens: read + usage.output,
    cachedAt: event.at,
    outputTokens: before === undefined ? usage.output : Math.round((before.outputTokens * 2 + usage.output) / 3),
    prefillPerSecond: perSecond(evaluatedTokens, timings.prefillMs) ?? before?.prefillPerSecond ?? null,
    decodePerSecond: perSecond(usage.output, timings.decodeMs) ?? before?.decodePerSecond ?? null,
    callMs: timings.totalMs,
    stepMs: before?.stepMs ?? null,
    readTokens: (before?.readTokens ?? 0) + read,
    writtenTokens: (before?.writtenTokens ?? 0) + usage.output,
    sureness: event.sureness ?? null,
    forgottenTokens: (before?.forgottenTokens ?? 0) + forgottenIn(before, usage),
  };
}

/** What was sent before and had to be read again, if that is most of it. */
function forgottenIn(before: ModelTrajectory | undefined, { cacheRead }: Usage): number {
  return before === undefined || cacheRead * 2 >= before.cachedTokens ? 0 : before.cachedTokens - cacheRead;
}

function perSecond(tokens: number | null, milliseconds: number | null): number | null {
  return tokens === null || tokens === 0 || milliseconds === null || milliseconds <= 0
    ? null
    : (tokens * 1000) / milliseconds;
}
