import type { EventOf } from '@shared/events/events.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';

/** How often in a row a service could not be reached, and when it was last called. */
export interface ServiceState {
  readonly failures: number;
  readonly at: number;
  /** What it billed for the last prompt of each model. Absent: nothing yet. */
  readonly billed?: Readonly<Record<string, BilledPrompt>>;
}

/** The size of a prompt, and the tokens that the service billed for it. */
export interface BilledPrompt {
  readonly bytes: number;
  readonly tokens: number;
}

/** A shorter prompt is mostly what the service adds itself. */
const LEAST_BILLED_TOKENS = 200;

/** The state after one more call. Any answer, even a refusal, shows that the service can be reached. */
export function afterAnswer(
  before: ServiceState | undefined,
  { model, promptBytes: bytes }: { readonly model: string; readonly promptBytes: number },
  { error, at, usage }: EventOf<'model-call-ended'>,
): ServiceState {
  const isLost = error !== null && (error.code === 'network' || error.code === 'stalled');
  const failures = isLost ? (before?.failures ?? 0) + 1 : 0;
  const tokens = promptTokensOf(usage);
  const isBilled = error === null && !usage.estimated && bytes > 0 && tokens >= LEAST_BILLED_TOKENS;
  const billed = isBilled ? { ...before?.billed, [model]: { bytes, tokens } } : before?.billed;
  return { failures, at, ...(billed === undefined ? {} : { billed }) };
}
