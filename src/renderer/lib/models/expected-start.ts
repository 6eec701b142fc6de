import type { ProbeCard } from '@shared/models/probe-card.ts';
import type { StepState } from '@shared/session/session-state.ts';
import { decodeSpeedOf, firstTokenMsOf, prefillSpeedOf } from '@shared/session/step-speeds.ts';
import type { LiveCall } from '../session/live-feed.ts';

/** What was measured of a model on this machine: by its earlier calls, else by its probe. Null: not measured. */
export interface MeasuredModel {
  readonly writesPerSecond: number | null;
  readonly readsPerSecond: number | null;
  /** From the start of its last call to its first token, with loading. */
  readonly firstTokenMs: number | null;
}

/** What one of several answers does with the engine that they share. */
export interface EngineUse {
  readonly name: string;
  readonly provider: string;
  /** It has not got its turn. */
  readonly isWaiting: boolean;
  /** When its call was made: the engine takes calls in this order. */
  readonly startedAt: number;
  /** Until its answer is likely to be complete, without the calls before it. Null: unknown. */
  readonly leftMs: number | null;
}

/** How long the answer to a question is, until one of the answers is known. */
const guessedTokens = 250;

/** The median length in tokens of answers that are known, else a guess. */
export function usualAnswerTokens(known: readonly number[]): number {
  const sorted = known.filter((tokens) => tokens > 0).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? guessedTokens;
}

export function measuredModel(model: string, steps: readonly StepState[], card: ProbeCard | undefined): MeasuredModel {
  const ends = steps.flatMap((step) => (step.model === model && step.end !== null ? [step.end] : []));
  const probed = card?.speeds[0];
  const last = <Value>(read: (end: (typeof ends)[number]) => Value | null): Value | null =>
    ends.map(read).findLast((value) => value !== null) ?? null;
  return {
    writesPerSecond: last(decodeSpeedOf) ?? probed?.decodePerSecond ?? null,
    readsPerSecond: last(prefillSpeedOf) ?? probed?.prefillPerSecond ?? null,
    firstTokenMs: last(firstTokenMsOf),
  };
}

/** Before this, the speed of a running answer says little. */
const least = { ms: 2_000, pieces: 10 } as const;

/** How long a call needs until its answer is likely to be complete, once it has its turn. `now`: the clock of `live`. */
export function callLeftMs(
  { live, promptTokens }: { readonly live: LiveCall | undefined; readonly promptTokens: number | null },
  {
    measured,
    usualTokens,
    now,
  }: { readonly measured: MeasuredModel; readonly usualTokens: number; readonly now: number },
): number | null {
  const isWriting = live?.phase === 'decode';
  const pieces = isWriting ? live.pieces : 0;
  const perSecond = (isWriting ? liveSpeed(live, now) : null) ?? measured.writesPerSecond;
  // An answer that is longer than usual ends when nobody knows.
  if (perSecond === null || pieces >= usualTokens) return null;
  const writeMs = ((usualTokens - pieces) * 1_000) / perSecond;
  if (isWriting) return writeMs;
  const firstMs = readingLeftMs(live, now) ?? measured.firstTokenMs ?? readMs(promptTokens, measured);
  return firstMs === null ? null : firstMs + writeMs;
}

function liveSpeed({ since, pieces }: LiveCall, now: number): number | null {
  if (since === null || now - since.at < least.ms || pieces - since.done < least.pieces) return null;
  return ((pieces - since.done) * 1_000) / (now - since.at);
}

/** By the progress that the engine reports while it reads. */
function readingLeftMs(live: LiveCall | undefined, now: number): number | null {
  if (live?.phase !== 'prefill' || live.since === null || live.total === null) return null;
  const [done, elapsed] = [live.done - live.since.done, now - live.since.at];
  return done <= 0 || elapsed < least.ms ? null : ((live.total - live.done) * elapsed) / done;
}

function readMs(promptTokens: number | null, { readsPerSecond }: MeasuredModel): number | null {
  return promptTokens === null || readsPerSecond === null ? null : (promptTokens * 1_000) / readsPerSecond;
}

/** Who has the engine now, and when this call is likely to get it. */
export interface ExpectedStart {
  readonly after: string;
  /** Null: unknown. */
  readonly inMs: number | null;
}

/** For a call that waits, among all calls by the place of their answers. Null: nothing is before it. */
export function expectedStart(uses: ReadonlyMap<number, EngineUse>, at: number): ExpectedStart | null {
  const own = uses.get(at);
  if (own === undefined || !own.isWaiting) return null;
  const before = [...uses].flatMap(([place, use]) => {
    if (place === at || use.provider !== own.provider) return [];
    const isFirst = !use.isWaiting || use.startedAt < own.startedAt || (use.startedAt === own.startedAt && place < at);
    return isFirst ? [use] : [];
  });
  const working = before.find(({ isWaiting }) => !isWaiting);
  if (working === undefined) return null;
  const lefts = before.map(({ leftMs }) => leftMs);
  const known = lefts.filter((left) => left !== null);
  return {
    after: working.name,
    inMs: known.length < lefts.length ? null : known.reduce((sum, left) => sum + left, 0),
  };
}

/** As exact as it is known: in steps of 10 s, of a minute, of 5 minutes. */
export function roughMs(milliseconds: number): number {
  const minute = 60_000;
  const step = milliseconds < minute ? 10_000 : milliseconds < 10 * minute ? minute : 5 * minute;
  return Math.max(1, Math.round(milliseconds / step)) * step;
}
