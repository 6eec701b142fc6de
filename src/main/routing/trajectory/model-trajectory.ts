import type { Sureness } from '@shared/events/call-report.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';

/** What is known of one model from its calls so far. */
export interface ModelTrajectory {
  /** Tokens of the conversation that its service was sent last, and when. */
  readonly cachedTokens: number;
  readonly cachedAt: number;
  /** Middle of the last answers, in tokens. */
  readonly outputTokens: number;
  /** Of the last call; null: not known. */
  readonly prefillPerSecond: number | null;
  readonly decodePerSecond: number | null;
  readonly callMs: number;
  /** From the start of one of its steps to that of the next, what it called taken in; null: not known yet. */
  readonly stepMs: number | null;
  /** Prompt and answer tokens of its steps in the conversation, added up. */
  readonly readTokens: number;
  readonly writtenTokens: number;
  /** Tokens that its service had forgotten when it was asked again. */
  readonly forgottenTokens: number;
  /** Of its last answer; null: its provider does not say. */
  readonly sureness: Sureness | null;
}

/** What is known of a model after one more of its answers. */
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

/** What was sent before and had to be read anew, where that is most of it. */
function forgottenIn(before: ModelTrajectory | undefined, { cacheRead }: Usage): number {
  return before === undefined || cacheRead * 2 >= before.cachedTokens ? 0 : before.cachedTokens - cacheRead;
}

function perSecond(tokens: number | null, milliseconds: number | null): number | null {
  return tokens === null || tokens === 0 || milliseconds === null || milliseconds <= 0
    ? null
    : (tokens * 1000) / milliseconds;
}
