import { canonicalJson } from '../../lib/canonical-json.ts';
import type { RunLimits } from '@shared/session/run-limits.ts';
import type { Timings } from '@shared/events/call-report.ts';
import type { TurnEnd } from './turn-baseline.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';
import type { TurnEndReason } from '@shared/events/turn-events.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { isRecord } from '@shared/unknown-value.ts';

/** Why a turn or one of its stages must stop; `text` is for the user. */
export interface LimitStop {
  readonly reason: TurnEndReason;
  readonly text: string;
  /** At a spending limit or fence: the work may continue with the local model. */
  readonly goesOnLocally?: boolean;
  /** The call is refused, but the model may still answer with what it has. */
  readonly mayAnswer?: true;
}

export interface LimitNumbers extends RunLimits {
  readonly maxUsd: number | null;
}

/** The most that all tools of one turn may print together, in bytes. */
export const MAX_TURN_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Counts one turn against its limits. Waiting (for the engine or the user) and the sleep of the machine do not count as
 * time. Deterministic: times come from the stamps of events, never from a clock.
 */
export interface LimitTracker {
  /** Starts the turn's time, at the stamp of `turn-started`. Before that, no time has passed. */
  readonly start: (at: number) => void;
  readonly noteStep: (call: { readonly usage: Usage; readonly timings: Timings }) => void;
  /** The last step only failed and is tried again, so the step limit does not count it. */
  readonly noteFailedTry: () => void;
  /** The turn waited for the user at a spending limit. That time does not count. */
  readonly notePause: (milliseconds: number) => void;
  /** Like `notePause`, for a wait inside a tool or action, taken from its record. Includes the sleep of the machine. */
  readonly noteWaitInEffect: (milliseconds: number) => void;
  readonly noteOutput: (bytes: number) => void;
  /** Tokens that other calls used for this turn. */
  readonly noteTokens: (tokens: number) => void;
  /** Call it before every tool call. `changes`: how often this turn has changed the workspace so far. */
  readonly noteCall: (tool: string, input: unknown, changes: number) => LimitStop | null;
  /** Whether a program that has made `more` calls may make none after them. They count once the program has ended. */
  readonly callsStop: (more: number) => LimitStop | null;
  /** The calls that a program made. They are no sign of a model that goes in circles. */
  readonly noteInnerCalls: (count: number) => void;
  /** Call it with the result of the last call, as the model reads it. */
  readonly noteResult: (output: string) => void;
  /** Call it for an edit that was rejected. */
  readonly noteRejection: (tool: string, input: unknown) => LimitStop | null;
  /**
   * Set if the last call repeated an earlier one, or was a rejected edit: then the model must not give the same answer
   * again. Null if the workspace has changed since. `changes`: as in `noteCall`, at this moment.
   */
  readonly stuck: (changes: number) => StuckReason | null;
  /** A new stage starts without memory of earlier calls. What was spent stays spent. */
  readonly forgetCalls: () => void;
  readonly exceeded: (at: number) => LimitStop | null;
  readonly timeExceeded: (at: number) => boolean;
  readonly stepsLeft: () => number;
  readonly tokensLeft: () => number;
  readonly millisecondsLeft: (at: number) => number;
  /** Since `at`, the turn waits for the engine or at a spending limit; null: it does not. Only pauses the deadline. */
  readonly noteWaiting: (at: number | null) => void;
  /**
   * Milliseconds until a running call must be stopped. Waits for the engine or the user and the sleep of the machine do
   * not count. `waitedMs`: all waits for the user and all sleep in this turn, including what no record holds yet.
   */
  readonly deadlineLeft: (at: number, waitedMs: number) => number;
  readonly steps: () => number;
}

export function createLimits(limits: LimitNumbers): LimitTracker {
  let startedAt: number | null = null;
  const spent = { steps: 0, tokens: 0, waitedMs: 0, waitedInEffectsMs: 0, outputBytes: 0 };
  const calls = createCallMemory(limits.maxCalls);
  // The steps at the first call that was too many.
  let refusedAt: number | null = null;
  let waitingSince: number | null = null;
  const maxMs = limits.maxMinutes * 60_000;
  const elapsed = (at: number): number => (startedAt === null ? 0 : at - startedAt - spent.waitedMs);
  const exceeded = (at: number): LimitStop | null => {
    if (spent.steps >= limits.maxSteps) return stepStop(limits.maxSteps);
    if (elapsed(at) >= maxMs) return timeStop(limits.maxMinutes);
    if (spent.tokens >= limits.maxTokens) {
      return { reason: 'token-limit', text: `The limit of ${limits.maxTokens} tokens was reached.` };
    }
    return spent.outputBytes >= MAX_TURN_OUTPUT_BYTES ? outputStop() : null;
  };
  return {
    start: (at) => {
      startedAt = at;
    },
    noteStep({ usage, timings }) {
      spent.steps += 1;
      spent.tokens += promptTokensOf(usage) + usage.output;
      const { queuedMs, sleptMs = 0 } = timings;
      spent.waitedMs += queuedMs + sleptMs;
      spent.waitedInEffectsMs += sleptMs;
    },
    noteFailedTry: () => {
      spent.steps -= 1;
    },
    notePause: (milliseconds) => {
      spent.waitedMs += milliseconds;
    },
    noteWaitInEffect: (milliseconds) => {
      spent.waitedMs += milliseconds;
      spent.waitedInEffectsMs += milliseconds;
    },
    noteOutput: (bytes) => {
      spent.outputBytes += bytes;
    },
    noteTokens: (tokens) => {
      spent.tokens += tokens;
    },
    noteCall: (tool, input, changes) => {
      const stop = calls.noteCall(tool, input, { changes, step: spent.steps });
      if (stop?.reason !== 'step-limit') return stop;
      refusedAt ??= spent.steps;
      return refusedAt === spent.steps ? { ...stop, mayAnswer: true } : stop;
    },
    callsStop: calls.callsStop,
    noteInnerCalls: calls.noteInnerCalls,
    noteResult: calls.noteResult,
    noteRejection: calls.noteRejection,
    stuck: calls.stuck,
    forgetCalls: calls.forget,
    exceeded,
    timeExceeded: (at) => elapsed(at) >= maxMs,
    stepsLeft: () => Math.max(0, limits.maxSteps - spent.steps),
    tokensLeft: () => Math.max(0, limits.maxTokens - spent.tokens),
    millisecondsLeft: (at) => Math.max(0, maxMs - elapsed(at)),
    noteWaiting: (at) => {
      waitingSince = at === null ? null : (waitingSince ?? at);
    },
    deadlineLeft: (at, waitedMs) =>
      maxMs - elapsed(waitingSince ?? at) + Math.max(0, waitedMs - spent.waitedInEffectsMs),
    steps: () => spent.steps,
  };
}

export function stopEnd(stop: LimitStop): TurnEnd {
  return { reason: stop.reason, text: stop.text, confidence: null, failure: null };
}

function stepStop(steps: number): LimitStop {
  return { reason: 'step-limit', text: `The limit of ${steps} ${steps === 1 ? 'step' : 'steps'} was reached.` };
}

function callStop(calls: number): LimitStop {
  return { reason: 'step-limit', text: `The limit of ${calls} tool ${calls === 1 ? 'call' : 'calls'} was reached.` };
}

function outputStop(): LimitStop {
  const text = `The tools of this turn printed more than the limit of ${sizeText(MAX_TURN_OUTPUT_BYTES)}.`;
  return { reason: 'output-limit', text };
}

export function timeStop(minutes: number): LimitStop {
  return { reason: 'time-limit', text: `The limit of ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} was reached.` };
}

export type StuckReason = 'same-call' | 'rejected-edit';

interface CallMemory extends Pick<
  LimitTracker,
  'callsStop' | 'noteInnerCalls' | 'noteResult' | 'noteRejection' | 'stuck'
> {
  readonly noteCall: (
    tool: string,
    input: unknown,
    at: { readonly changes: number; readonly step: number },
  ) => LimitStop | null;
  readonly forget: () => void;
}

/** Looks at what goes on by itself. To look again is how a model waits, and not for ever. */
const looks: Readonly<Record<string, readonly unknown[]>> = {
  services: ['list', 'read'],
  agent_manage: ['list', 'inspect'],
};
const isLook = (tool: string, input: unknown): boolean =>
  isRecord(input) && looks[tool]?.includes(input['action']) === true;
const mostEqual = { usual: 3, waiting: 10 } as const;

/**
 * Counts the calls against their limit, and detects three signs of a model that is stuck. Below 3B, these are how a
 * free loop usually ends:
 * - The same call three times while the workspace did not change.
 * - Two calls that alternate (A-B-A-B) while the first gives the same output each time. If the output differs, the user
 *   changed something, and repeating is right.
 * - An edit that was rejected before.
 * A call that stands twice in one answer counts once: the model has not read the first result.
 */
function createCallMemory(maxCalls: number | undefined): CallMemory {
  let made = 0;
  let recent: { readonly key: string; output: string | null }[] = [];
  let equal = new Map<string, number>();
  let looked = 0;
  let answer = { step: -1, keys: new Set<string>() };
  let rejected = new Set<string>();
  let lastChanges = 0;
  let stuck: StuckReason | null = null;
  const callsStop = (more: number): LimitStop | null =>
    maxCalls !== undefined && made + more >= maxCalls ? callStop(maxCalls) : null;
  return {
    callsStop,
    noteInnerCalls(count) {
      made += count;
    },
    noteCall(tool, input, { changes, step }) {
      // The end of the task is no work.
      const stop = tool === 'task_complete' ? null : callsStop(0);
      if (stop !== null) return stop;
      made += 1;
      const key = `${tool} ${canonicalJson(input)}`;
      if (changes !== lastChanges) [equal, looked] = [new Map(), 0];
      if (answer.step !== step) answer = { step, keys: new Set() };
      if (answer.keys.has(key) && changes === lastChanges) return null;
      answer.keys.add(key);
      lastChanges = changes;
      const count = (equal.get(key) ?? 0) + 1;
      equal.set(key, count);
      const waits = isLook(tool, input);
      const most = waits ? mostEqual.waiting : mostEqual.usual;
      stuck = count > 1 && !waits ? 'same-call' : null;
      if (count >= most) {
        const times = waits ? most : 'three';
        return { reason: 'repeated-call', text: `The same ${tool} call was made ${times} times.` };
      }
      if (waits) looked += 1;
      // What a model does while it waits is no sign that it goes in circles, until it has waited for long.
      const isPatient = waits && looked <= mostEqual.waiting;
      if (isPatient) equal = new Map([...equal].filter(([one]) => one === key));
      recent = isPatient ? [] : [...recent, { key, output: null }].slice(-4);
      const [a, b, c, d] = recent;
      const takeTurns = d !== undefined && a?.key === c?.key && b?.key === d.key && a?.key !== b?.key;
      if (takeTurns && a?.output === c?.output) {
        return { reason: 'alternating-calls', text: 'The same two calls kept alternating.' };
      }
      return null;
    },
    noteResult(output) {
      const last = recent.at(-1);
      // Times differ from run to run.
      if (last !== undefined) last.output = output.replace(/^(exit code \d+) in \d+\.\d s/u, '$1');
    },
    noteRejection(tool, input) {
      const key = `${tool} ${canonicalJson(input)}`;
      if (rejected.has(key)) {
        return { reason: 'repeated-rejection', text: `The same ${tool} call was rejected twice.` };
      }
      rejected.add(key);
      stuck = 'rejected-edit';
      return null;
    },
    stuck: (changes) => (changes === lastChanges ? stuck : null),
    forget() {
      stuck = null;
      recent = [];
      [equal, looked] = [new Map(), 0];
      rejected = new Set();
    },
  };
}
