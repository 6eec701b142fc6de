import type { Energy } from '@shared/events/call-report.ts';
import type { CutCall } from '@shared/events/call-events.ts';
import { usualOutput } from '../../routing/usual-steps.ts';
import { surenessOf } from '@shared/events/call-report.ts';
import type { EventOf, Transient } from '@shared/events/events.ts';
import { textOf, type Part } from '@shared/models/model-messages.ts';
import { leastOutputTokens } from '../../routing/fitting-output.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { costOf, promptTokensOf } from '@shared/money/token-cost.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import type { ModelRequest, ProviderError, StreamEnded } from '../../models/providers/define.ts';
import type { Decision } from '../../routing/define.ts';
import { noteDifferences, noteSleep } from './note-call-differences.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import type { ReadStream } from './read-stream.ts';
import { passFences } from './pass-fences.ts';
import { readStream } from './read-stream.ts';
import type { CallUsage } from '../../recipes/define.ts';
import { requestPieces } from './request-pieces.ts';
import { type GrantedMoney, limitedText, reserveMoney } from './reserve-money.ts';
import { mostTries, waitBeforeRetry, worthTrying } from './retry-call.ts';
import { routeAlone, routeEvent } from './route-step.ts';
import { mostTokens, promptBytes } from '../prompt/token-estimate.ts';
import type { CallingTurn, StepError, StepRequest } from '../turn/turn.ts';
import { noteFailure } from '../../lib/log.ts';
import { withReason, type SendReason } from '../../lib/net/send-reason.ts';

export type StepReply =
  | {
      readonly type: 'answered';
      readonly callId: string;
      readonly parts: readonly Part[];
      /** False when the length limit cut the answer, or it was stopped because it repeated itself. */
      readonly complete: boolean;
      readonly repeated: boolean;
      /** A call that the length limit cut. Absent: none was. */
      readonly cutCall?: CutCall;
      /** A spending limit left no more for the answer, in words. Absent: it was not cut for that. */
      readonly cutByMoney?: string;
      readonly measured: CallUsage;
    }
  /** The call was made but gave nothing usable. Its cost is in the log. */
  | {
      readonly type: 'failed';
      readonly error: StepError;
      /** What the answer said before it broke off. Empty: nothing. */
      readonly partial: string;
    }
  /** A limit was reached, so no call was made. */
  | { readonly type: 'stopped'; readonly stop: LimitStop };

/** An answer shorter than this is not worth a call. */
const LEAST_OUTPUT_TOKENS = 64;

/**
 * The only way to a model. Every model call passes the fences, the router, the limits, the money, the context size and
 * the record of its exact request here. Throws `cancelled` on abort; other failures are values.
 */
export async function runStep(turn: CallingTurn, step: StepRequest): Promise<StepReply> {
  for (let attempt = 1; ; attempt += 1) {
    const stop = turn.limits.exceeded(turn.log.lastAt());
    if (stop !== null) return { type: 'stopped', stop };
    const passage = await passFences(turn, step);
    if (passage.type === 'stopped') return passage;
    const outcome = await callOnce(turn, { ...step, request: passage.request });
    if (outcome.type !== 'failed') return outcome;
    if (!outcome.error.retryable || step.isOnce === true || attempt >= mostTries(outcome.error)) return outcome;
    turn.limits.noteFailedTry();
    await waitBeforeRetry(turn, outcome.error, attempt);
  }
}

type CallOutcome =
  | Exclude<StepReply, { type: 'failed' }>
  | { readonly type: 'failed'; readonly error: ProviderError; readonly partial: string };

async function callOnce(turn: CallingTurn, step: StepRequest): Promise<CallOutcome> {
  const { info } = step.model;
  // A local call takes precedence over reading ahead.
  if (!leavesMachine(info)) await turn.prompt.warm.stop();
  const counted = await countTokens(turn, step);
  const bytes = promptBytes(step.request);
  const promptTokens = counted ?? turn.prompt.tokens.countBytes(bytes);
  const request = fitOutput(step.request, promptTokens, info);
  const decision = step.decision ?? routeAlone(turn, step, { info, promptTokens, request });
  if (decision.chosen?.info.id !== info.id) return notRouted(decision);
  const usualTokens = usualTokensOf(turn, step);
  const reserved = await reserveMoney(turn, info, {
    promptTokens: counted ?? mostTokens(bytes, turn.steps.trajectory().services[info.provider]?.billed?.[info.id]),
    maxOutputTokens: request.maxOutputTokens,
    leastOutputTokens: leastOutputTokens(info, usualTokens, request.maxOutputTokens),
    usual: { promptTokens, outputTokens: usualTokens ?? Math.min(GUESSED_OUTPUT_TOKENS, request.maxOutputTokens) },
    isOptional: step.isOptional === true,
  });
  if (reserved.type === 'stopped') return reserved;
  const { maxOutputTokens, ...money } = reserved;
  const fitting = money.limited === null ? request : { ...request, maxOutputTokens };
  const call = { ...money, request: fitting, counted, promptTokens, decision, isSent: false };
  try {
    return await makeCall(turn, step, call);
  } catch (error) {
    // Does nothing if the end of the call is in the log: then it is settled. Otherwise a sent call counts in full.
    reserved.settle(call.isSent ? null : 0);
    throw error;
  }
}

/** The route was chosen before the limit was raised or made the answer shorter, so its reason says so. */
function withMoney<Reason extends { readonly text: string }>(
  reason: Reason,
  { raisedUsd, limited }: Pick<PreparedCall, 'raisedUsd' | 'limited'>,
): Reason {
  const raised = raisedUsd === 0 ? [] : [`The spending limit was raised by ${moneyText(raisedUsd)} for it.`];
  const shorter = limited === null ? [] : [limitedText(limited)];
  return { ...reason, text: [reason.text, ...raised, ...shorter].join(' ') };
}

/** Until a model has been seen at work. */
const GUESSED_OUTPUT_TOKENS = 400;

/**
 * What the model usually writes in a step of the conversation, in this session or in this home; null: unknown, or
 * another kind of call.
 */
function usualTokensOf({ options, steps }: CallingTurn, { purpose, model }: StepRequest): number | null {
  if (purpose !== 'act' && purpose !== 'plan') return null;
  const { id } = model.info;
  return steps.trajectory().models[id]?.outputTokens ?? usualOutput(options.routing.numbers.priors?.[id]?.[purpose]);
}

/** The turn ends if the hard rules allow the step nowhere. No other model is tried. */
function notRouted({ text }: Decision): CallOutcome {
  return { type: 'stopped', stop: { reason: 'gave-up', text: `No model may run this step. ${text}` } };
}

interface PreparedCall extends Pick<GrantedMoney, 'settle' | 'raisedUsd' | 'limited'> {
  readonly request: ModelRequest;
  readonly counted: number | null;
  readonly promptTokens: number;
  readonly decision: Decision;
  isSent: boolean;
}

async function makeCall(turn: CallingTurn, step: StepRequest, call: PreparedCall): Promise<CallOutcome> {
  const { info, provider } = step.model;
  const { journal } = turn.dependencies;
  const { request, counted, promptTokens, settle, limited } = call;
  const callId = journal.newId('call');
  turn.steps.last += 1;
  const [requestBlob] = await Promise.all([
    journal.putText(requestPieces(request)),
    turn.log.append(routeEvent(withMoney(call.decision, call), { callId, info, reason: withMoney(step.reason, call) })),
  ]);
  await turn.log.append({
    type: 'model-call-started',
    callId,
    step: turn.steps.last,
    purpose: step.purpose,
    stage: step.stage,
    provider: info.provider,
    model: info.id,
    request: requestBlob,
    promptTokens: counted,
    promptBytes: promptBytes(request),
    ...(step.askedBy === undefined ? {} : { askedBy: step.askedBy }),
    ...(step.cut === undefined || step.cut.length === 0 ? {} : { cut: step.cut }),
  });
  const tooLong = promptTokens + LEAST_OUTPUT_TOKENS > info.contextTokens;
  call.isSent = !tooLong;
  const { machine } = turn.dependencies;
  const metered = tooLong || leavesMachine(info) ? undefined : machine.meter?.start();
  const sleptBefore = machine.sleptMs();
  const answered = tooLong
    ? contextFull(promptTokens, info)
    : await withReason({ ...sendReason(info), step: turn.steps.last }, () =>
        readStream((signal) => provider.stream(request, signal), callId, pushTo(turn), turn.signal),
      );
  const read = withoutSleep(answered, machine.sleptMs() - sleptBefore);
  const count = { bytes: promptBytes(request), tokens: counted };
  const { totalMs, queuedMs } = read.ended.timings;
  const energy = (await metered?.stop(Math.max(0, totalMs - queuedMs))) ?? null;
  return closeCall(turn, { callId, info, count, energy, settle, limited }, read);
}

/**
 * Removes the sleep of the machine from the timings of a call. A phase longer than the rest becomes null, because the
 * sleep may be part of it.
 */
export function withoutSleep(read: ReadStream, slept: number): ReadStream {
  const sleptMs = Math.round(slept);
  if (sleptMs <= 0) return read;
  const { timings } = read.ended;
  const totalMs = Math.max(0, timings.totalMs - sleptMs);
  const known = (ms: number | null): number | null => (ms === null || ms > totalMs ? null : ms);
  const { prefillMs, decodeMs } = timings;
  const awake = { ...timings, totalMs, prefillMs: known(prefillMs), decodeMs: known(decodeMs), sleptMs };
  return { ...read, ended: { ...read.ended, timings: awake } };
}

/** For the record of what leaves: some servers on this machine pass on what they get. */
function sendReason(info: ModelInfo): SendReason {
  return { model: info.id, ...(leavesMachine(info) ? { passesOn: true } : {}) };
}

/** Does not count waiting for the engine as time of the turn. */
function pushTo(turn: CallingTurn): (transient: Transient) => void {
  const { journal } = turn.dependencies;
  return (transient) => {
    if (transient.type === 'call-progress') {
      turn.limits.noteWaiting(transient.phase === 'waiting' ? journal.now() : null);
    }
    journal.push(transient);
  };
}

/** The model's own token count, taken once per call and written into its event. */
async function countTokens(turn: CallingTurn, step: StepRequest): Promise<number | null> {
  turn.log.check();
  try {
    return await withReason(sendReason(step.model.info), () =>
      step.model.provider.countTokens(step.request, turn.signal),
    );
  } catch (error) {
    // The exact count is optional. Without it, the estimate is used, which is on the safe side.
    noteFailure('The tokens of a prompt were not counted', error);
    return null;
  }
}

async function closeCall(
  turn: CallingTurn,
  call: {
    readonly callId: string;
    readonly info: ModelInfo;
    readonly count: { readonly bytes: number; readonly tokens: number | null };
    readonly energy: Energy | null;
  } & Pick<PreparedCall, 'settle' | 'limited'>,
  read: ReadStream,
): Promise<CallOutcome> {
  const { callId, info, count } = call;
  const { ended, parts } = read;
  const error = ended.error === null ? null : worthTrying(ended.error);
  const price = info.price;
  const costUsd = costOf(ended.usage, price);
  if (ended.timings.queuedMs > 0 && !turn.dependencies.effects.replaying) {
    await turn.log.close({ type: 'engine-waited', callId, waitedMs: ended.timings.queuedMs });
  }
  await turn.log.close({
    type: 'model-call-ended',
    callId,
    parts: [...parts],
    stopReason: ended.stopReason,
    usage: ended.usage,
    evaluatedTokens: ended.evaluatedTokens,
    timings: ended.timings,
    price,
    costUsd,
    error,
    ...toldBy(ended, call.energy),
  });
  call.settle(isBillKnown(ended) ? costUsd : null);
  if (count.tokens !== null) turn.prompt.tokens.calibrate(count.bytes, count.tokens);
  turn.limits.noteWaiting(null);
  turn.limits.noteStep(ended);
  if (ended.stopReason === 'cancelled') turn.abort();
  turn.log.check();
  await noteDifferences(turn, info, ended);
  await noteSleep(turn, ended.timings);
  if (error !== null) return { type: 'failed', error, partial: textOf({ parts }).trim() };
  if (read.repeated) {
    await turn.log.append({
      type: 'notice-added',
      level: 'warning',
      code: 'repetition-stopped',
      text: 'The answer kept repeating itself, so it was stopped.',
    });
  }
  const isCut = ended.stopReason === 'length' || read.repeated;
  const { evaluatedTokens, timings } = ended;
  const measured = {
    promptTokens: promptTokensOf(ended.usage),
    evaluatedTokens,
    outputTokens: ended.usage.output,
    timings,
    ...(ended.engine?.drafts === undefined ? {} : { drafts: ended.engine.drafts }),
    ...(ended.engine === undefined ? {} : { backend: ended.engine.backend }),
  };
  return {
    type: 'answered',
    callId,
    parts,
    complete: !isCut,
    repeated: read.repeated,
    measured,
    ...(ended.cutCall === undefined ? {} : { cutCall: ended.cutCall }),
    ...(isCut && !read.repeated && call.limited !== null ? { cutByMoney: limitedText(call.limited) } : {}),
  };
}

/** Fields that only some providers report. */
function toldBy(
  { model, engine, logprobs, cutCall }: StreamEnded,
  energy: Energy | null,
): Pick<EventOf<'model-call-ended'>, 'answeredBy' | 'engine' | 'energy' | 'sureness' | 'cutCall'> {
  const sureness = surenessOf(logprobs);
  return {
    ...(model === undefined ? {} : { answeredBy: model }),
    ...(engine === undefined ? {} : { engine }),
    ...(energy === null ? {} : { energy }),
    ...(sureness === null ? {} : { sureness }),
    ...(cutCall === undefined ? {} : { cutCall }),
  };
}

/**
 * Limits the output to the room left in the context window. Some engines silently drop the start of the prompt when it
 * overflows.
 */
function fitOutput(request: ModelRequest, promptTokens: number, info: ModelInfo): ModelRequest {
  const left = info.contextTokens - promptTokens;
  if (request.maxOutputTokens <= left || left < LEAST_OUTPUT_TOKENS) return request;
  return { ...request, maxOutputTokens: left };
}

/** False for a call that broke off with estimated usage, because its bill may be higher. */
function isBillKnown({ usage, stopReason, error }: StreamEnded): boolean {
  const hasBrokenOff = error !== null || stopReason === 'cancelled';
  return !(usage.estimated && hasBrokenOff) || promptTokensOf(usage) + usage.output === 0;
}

function contextFull(promptTokens: number, info: ModelInfo): ReadStream {
  const message = `The prompt has ${promptTokens} tokens, but the context of ${info.label} holds only ${info.contextTokens}.`;
  const ended: StreamEnded = {
    type: 'ended',
    stopReason: 'error',
    usage: { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: false },
    evaluatedTokens: 0,
    timings: { queuedMs: 0, prefillMs: 0, decodeMs: 0, totalMs: 0 },
    error: { code: 'context-full', message, retryable: false },
  };
  return { parts: [], ended, repeated: false };
}
