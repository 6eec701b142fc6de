import { durationText } from '@shared/text/duration-text.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { ProviderError } from '../../models/providers/define.ts';
import type { CallingTurn } from '../turn/turn.ts';

/**
 * Tries of one step, including the first. Each is a step in the log. One that is tried again leaves the step limit
 * alone. A silent service has already had minutes: three tries would use up the time limit of a turn, and no other
 * model would have its chance.
 */
export function mostTries({ code }: ProviderError): number {
  return code === 'stalled' ? 2 : 3;
}

const longestWaitMs = 60_000;
const dayMs = 24 * 60 * 60_000;

/** Does not retry a service that asks for a longer wait than `longestWaitMs`. */
export function worthTrying(error: ProviderError): ProviderError {
  const waitMs = error.retryAfterMs ?? 0;
  if (!error.retryable || waitMs <= longestWaitMs) return error;
  const wait = waitMs > dayMs ? 'longer than a day' : durationText(waitMs);
  return { ...error, message: `${error.message} (It asks to wait ${wait}.)`, retryable: false };
}

/** Tells the user of the retry and waits. Throws `cancelled`. */
export async function waitBeforeRetry(turn: CallingTurn, error: ProviderError, attempt: number): Promise<void> {
  const waitMs = withJitter(turn, attempt, error);
  const asked = Math.ceil((error.retryAfterMs ?? 0) / 1000);
  const wait =
    error.retryAfterMs === undefined ? '' : ` in ${asked} ${asked === 1 ? 'second' : 'seconds'}, as requested`;
  await turn.log.append({
    type: 'notice-added',
    level: 'warning',
    code: 'model-call-retried',
    text: `The model did not answer: ${error.message.replace(/\.$/u, '')}. Trying again${wait}: attempt ${attempt + 1} of ${mostTries(error)}.`,
  });
  // An abort rejects the delay; `check` below throws for it.
  if (!turn.dependencies.effects.replaying)
    await turn.dependencies.machine.delay(waitMs, turn.signal).catch(() => undefined);
  turn.log.check();
}

/**
 * Spreads retries, so that calls that failed together do not all return together. Uses a hash instead of chance, so
 * that a turn always does the same. Never waits less than the service asked for.
 */
function withJitter(turn: CallingTurn, attempt: number, { retryAfterMs }: ProviderError): number {
  const seed = `${turn.dependencies.journal.sessionId}:${turn.id}:${turn.steps.last}:${attempt}`;
  const share = Number.parseInt(sha256Of(seed).slice(0, 8), 16) / 2 ** 32;
  return Math.round(
    retryAfterMs === undefined ? 500 * 2 ** attempt * (0.75 + share / 2) : retryAfterMs * (1 + share / 10),
  );
}
