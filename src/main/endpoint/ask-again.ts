import { z } from 'zod';
import type { AgainInput, EndpointCall, EndpointPush } from '@shared/contract/endpoint-contract.ts';
import { AppError, toFailure, type Failure } from '@shared/errors.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import { batchUsd } from '@shared/money/price-changes.ts';
import { costOf, noUsage, promptTokensOf } from '@shared/money/token-cost.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { messageSchema } from '@shared/models/model-messages.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import {
  amountUsedUp,
  compareAnswers,
  type AgainPush,
  type AskedAgain,
  type CallAnswer,
  type ExpectedAgain,
} from '@shared/comparisons/asked-again.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { diagnostics } from '../lib/log.ts';
import { sha256Of } from '../lib/sha256.ts';
import type { SessionFences } from '../safety/session-fences.ts';
import type { Blobs } from '../sessions/blobs/blob-store.ts';
import type { SessionStore } from '../sessions/store/session-store.ts';
import type { SessionView } from '../sessions/store/session-view.ts';
import { answerClient, type AnswerOptions, type ClientCall } from './answer-client.ts';
import type { KnownClient } from './client-keys.ts';
import type { ClientLog, ClientLogs } from './client-logs.ts';
import { readKeptAnswers } from './kept-answers.ts';

export interface AskAgainOptions extends AnswerOptions {
  readonly logs: ClientLogs;
  readonly store: Pick<SessionStore, 'view' | 'list' | 'folderOf'>;
  readonly blobs: Pick<Blobs, 'get'>;
  /** The fences of today for what the session recorded. Rejects if its folder is gone. */
  readonly fencesOf: (view: SessionView, signal: AbortSignal) => Promise<SessionFences>;
}

/** Costs of these calls are listed under this name. No program can have it: it has no key. */
const client: KnownClient = {
  name: 'asked again',
  sha256: sha256Of('asked again'),
  mayLeave: true,
  createdAt: 0,
  lastUsedAt: null,
  logId: null,
};

const requestSchema = z.object({
  messages: z.array(messageSchema).min(1),
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }),
  ),
  output: z.discriminatedUnion('type', [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('tool-calls') }),
    z.object({ type: z.literal('json-schema'), schema: z.record(z.string(), z.unknown()) }),
    z.object({ type: z.literal('choice'), options: z.array(z.string()) }),
  ]),
  prefill: z.string().nullable(),
  stop: z.array(z.string()),
  temperature: z.number(),
  topP: z.number(),
  seed: z.number().nullable(),
  maxOutputTokens: z.number(),
  cacheKey: z.string(),
});
type RecordedRequest = z.infer<typeof requestSchema>;

interface RecordedCall {
  readonly started: EventOf<'model-call-started'>;
  readonly ended: EventOf<'model-call-ended'>;
}

type AskInput = AgainInput & {
  /** Stops before a call that would pass it. Null: only the limits of the settings hold. */
  readonly maxUsd: number | null;
};

interface AskWork {
  readonly push: (push: AgainPush) => void;
  readonly signal: AbortSignal;
}

/**
 * Asks another model each recorded request of sessions, one after the other, and pushes one row for each. Nothing is
 * run and no file is touched: what a model calls is only compared. A request that the fences of today keep on this
 * machine is not sent. A session that fails does not stop the others; the amount and the signal do. Throws `not-found`
 * for an unknown model, and `cancelled` on abort.
 */
export async function askAgain(options: AskAgainOptions, input: AskInput, { push, signal }: AskWork): Promise<void> {
  const info = await knownModel(options, input.model, signal);
  const log = await options.logs.of(client);
  let leftUsd: number | null = input.maxUsd;
  for (const sessionId of await sessionsOf(options.store, input)) {
    let isCut = false;
    let failure: Failure | null = null;
    const one: OneSession = {
      sessionId,
      info,
      log,
      leftUsd: () => leftUsd,
      push: (row) => {
        // What a call of unknown cost took may be all that was left.
        if (leftUsd !== null && row.isKept !== true) leftUsd -= row.again.costUsd ?? leftUsd;
        isCut ||= row.again.type === 'not-asked' && row.again.isLimit === true;
        push({ type: 'call', sessionId, row });
      },
    };
    // What was kept costs nothing, and counts.
    const isUsedUp = leftUsd !== null && leftUsd <= 0 && leavesMachine(info) && !input.isResuming;
    try {
      if (isUsedUp) isCut = true;
      else await askSession(options, input, one, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure = toFailure(error);
    }
    // Nothing that comes after it could be kept either.
    const isFull = failure?.code === 'disk-full';
    push({ type: 'session', sessionId, failure, isCut: isCut || isFull });
    if (isFull) return;
  }
}

/** Those that were named, each once, or those of the period, latest first. Nobody knows when an unreadable one worked. */
async function sessionsOf(store: Pick<SessionStore, 'list'>, { which }: AgainInput): Promise<readonly string[]> {
  if ('sessionIds' in which) return [...new Set(which.sessionIds)];
  // Archived ones and those of agents, too: all of them cost. The time of one that cannot be read is 0.
  const all = (await store.list()).filter(({ lastAt }) => lastAt >= which.since || lastAt === 0);
  return all.map(({ id }) => id);
}

interface OneSession {
  readonly sessionId: string;
  readonly info: ModelInfo;
  readonly log: ClientLog;
  readonly leftUsd: () => number | null;
  readonly push: (row: AskedAgain) => void;
}

async function askSession(
  options: AskAgainOptions,
  { which, model, isResuming }: AskInput,
  { sessionId, info, log, leftUsd, push }: OneSession,
  signal: AbortSignal,
): Promise<void> {
  const { store } = options;
  const view = await store.view(sessionId);
  const calls = await recordedCalls(view.read(), which);
  // One call by itself, or a period, replaces no answer outside of it.
  const isNew = !isResuming && 'sessionIds' in which && which.callId === undefined;
  const kept = await readKeptAnswers(store.folderOf(sessionId), model, isNew);
  let fences: SessionFences | null = null;
  for (const call of calls) {
    signal.throwIfAborted();
    const before = answerBefore(call);
    const { step, purpose, callId } = call.started;
    const known = isResuming ? kept.all.get(callId) : undefined;
    if (known !== undefined) {
      push({ step, purpose, before, again: known, isKept: true });
      continue;
    }
    const left = leftUsd();
    if (left !== null && left <= 0 && leavesMachine(info)) {
      push({ step, purpose, before, again: { type: 'not-asked', why: amountUsedUp, costUsd: 0, isLimit: true } });
      continue;
    }
    // What stays on this machine needs no fence, and then the folder may be gone.
    fences ??= leavesMachine(info) ? await options.fencesOf(view, signal) : options.fences;
    const one: OneCall = { call, before, info, log, leftUsd: left };
    const again: AskedAgain['again'] = await askOne({ ...options, fences }, one, signal);
    try {
      if (again.type === 'answered') await kept.add(callId, again);
    } finally {
      // It was paid for, so it is shown even if it cannot be kept.
      push({ step, purpose, before, again });
    }
  }
}

/** What `askAgain` would ask, and its price for as many tokens as were recorded. */
export async function expectAgain(
  options: Pick<AskAgainOptions, 'models' | 'store'>,
  input: AgainInput,
  signal: AbortSignal,
): Promise<ExpectedAgain> {
  const info = await knownModel(options, input.model, signal);
  const sessions = await sessionsOf(options.store, input);
  const sums = { calls: 0, promptTokens: 0, outputTokens: 0, kept: 0, unread: 0 };
  let costUsd: number | null = 0;
  for (const sessionId of sessions) {
    signal.throwIfAborted();
    try {
      const calls = await recordedCalls((await options.store.view(sessionId)).read(), input.which);
      const kept = await readKeptAnswers(options.store.folderOf(sessionId), input.model);
      for (const { started, ended } of calls) {
        const isKept = kept.all.has(started.callId);
        if (isKept) sums.kept += 1;
        if (isKept && input.isResuming) continue;
        // Another model has read nothing of it before.
        const usage = { ...noUsage, freshInput: promptTokensOf(ended.usage), output: ended.usage.output };
        const cost = costOf(usage, info.price);
        costUsd = costUsd === null || cost === null ? null : costUsd + cost;
        sums.calls += 1;
        sums.promptTokens += usage.freshInput;
        sums.outputTokens += usage.output;
      }
    } catch (error) {
      signal.throwIfAborted();
      // With one session there is nothing else to tell.
      if (sessions.length === 1) throw error;
      sums.unread += 1;
      diagnostics.warn('What asking a session again would take was not counted', error);
    }
  }
  const rates = { costUsd, batchUsd: batchUsd(info.provider, costUsd) };
  return { sessions: sessions.length, ...sums, ...rates, isSent: leavesMachine(info) };
}

async function knownModel(
  { models }: Pick<AskAgainOptions, 'models'>,
  model: string,
  signal: AbortSignal,
): Promise<ModelInfo> {
  const info = await models.info(model, signal);
  if (info !== null) return info;
  throw new AppError('not-found', `The model "${model}" was not found.`, { hint: 'dewpoint models list' });
}

/** Calls that ended with an answer, or one of them. Those of tool servers are not the agent's. */
async function recordedCalls(
  events: AsyncIterable<SessionEvent>,
  which: AgainInput['which'],
): Promise<readonly RecordedCall[]> {
  const callId = 'sessionIds' in which ? which.callId : undefined;
  const since = 'since' in which ? which.since : 0;
  const open = new Map<string, EventOf<'model-call-started'>>();
  const calls: RecordedCall[] = [];
  for await (const event of events) {
    if (event.type === 'history-copied') calls.length = 0;
    if (event.type === 'model-call-started' && event.askedBy === undefined) open.set(event.callId, event);
    if (event.type !== 'model-call-ended' || event.callId !== (callId ?? event.callId)) continue;
    const started = open.get(event.callId);
    if (started !== undefined && started.at >= since && event.error === null) calls.push({ started, ended: event });
  }
  return calls;
}

function answerBefore({ started, ended }: RecordedCall): CallAnswer {
  const { usage, timings, costUsd, parts } = ended;
  const called = parts.find((part) => part.type === 'tool-call');
  return {
    model: started.stage.model,
    ...calledBy(called ?? null),
    promptTokens: promptTokensOf(usage),
    outputTokens: usage.output,
    seconds: (timings.totalMs - timings.queuedMs) / 1000,
    costUsd,
  };
}

function calledBy(
  call: { readonly name: string; readonly input?: unknown } | null,
): Pick<CallAnswer, 'tool' | 'target'> {
  if (call === null) return { tool: null, target: null };
  const path = fieldOf(call.input, 'path');
  return { tool: call.name, target: typeof path === 'string' ? path : (JSON.stringify(call.input) ?? '') };
}

interface OneCall {
  readonly call: RecordedCall;
  readonly before: CallAnswer;
  readonly info: ModelInfo;
  readonly log: ClientLog;
  readonly leftUsd: number | null;
}

async function askOne(
  options: AskAgainOptions,
  { call, before, info, log, leftUsd }: OneCall,
  signal: AbortSignal,
): Promise<AskedAgain['again']> {
  const bytes = await options.blobs.get(call.started.request);
  if (bytes === null) return notAsked('what it sent is not stored any more');
  const request = requestSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  const messages = await withImages(options.blobs, request.messages);
  if (messages === null) return notAsked('an image of it is not stored any more');
  const hasImages = messages.some(({ parts }) => parts.some(({ type }) => type === 'image'));
  if (hasImages && info.capabilities.images !== true) return notAsked('it has an image, which this model does not see');
  const asked = sameForm({ ...request, messages }, info);
  if (asked === null) return notAsked('it was asked in a form that this model does not take');
  const pushes: EndpointPush[] = [];
  const push = (one: EndpointPush): void => void pushes.push(one);
  const limit = leftUsd === null ? {} : { maxUsd: leftUsd };
  await answerClient(options, { client, log, push, signal, ...limit, ...asked });
  const last = pushes.at(-1);
  if (last?.type === 'failed')
    return { ...notAsked(last.message, last.costUsd), ...(last.code === 'limit' ? { isLimit: true } : {}) };
  if (last?.type !== 'ended') return notAsked('no answer came');
  const answer: CallAnswer = {
    model: info.id,
    ...calledBy(pushes.find((one) => one.type === 'call') ?? null),
    promptTokens: promptTokensOf(last.usage),
    outputTokens: last.usage.output,
    seconds: last.seconds,
    costUsd: last.costUsd,
  };
  return { type: 'answered', agreement: compareAnswers(before, answer), ...answer };
}

const notAsked = (why: string, costUsd: number | null = 0): AskedAgain['again'] => ({
  type: 'not-asked',
  why,
  costUsd,
});

/**
 * The recorded request for this model: as it is where the model is held to a form by a grammar, as the recorded one was.
 * Otherwise as a call with tools of its own. Null: it does not take that form.
 */
function sameForm(request: RecordedRequest, info: ModelInfo): Pick<ClientCall, 'call' | 'request'> | null {
  const { messages, tools, output, stop, maxOutputTokens, prefill } = request;
  const { grammar, tools: isNative } = info.capabilities;
  const call: EndpointCall = {
    model: info.id,
    messages,
    tools,
    toolChoice: tools.length === 0 ? 'none' : 'auto',
    schema: output.type === 'json-schema' ? output.schema : null,
    stop,
    // As certain as the model can be, so that the same question gives the same answer where the model allows it.
    temperature: 0,
    topP: null,
    seed: 1,
    maxOutputTokens,
    effort: null,
  };
  if (prefill !== null && !info.capabilities.prefill) return null;
  if (grammar && (!isNative || prefill !== null || output.type !== 'text')) {
    return { call, request: { ...request, model: info.name } };
  }
  return prefill !== null || output.type === 'choice' ? null : { call };
}

/** A stored request names its images by their hash. Null: one is gone. */
async function withImages(blobs: Pick<Blobs, 'get'>, messages: readonly Message[]): Promise<Message[] | null> {
  const whole: Message[] = [];
  for (const { role, parts } of messages) {
    const found: Part[] = [];
    for (const part of parts) {
      if (part.type !== 'image' || part.data !== '' || part.blob === undefined) {
        found.push(part);
        continue;
      }
      const bytes = await blobs.get(part.blob);
      if (bytes === null) return null;
      found.push({ ...part, data: Buffer.from(bytes).toString('base64') });
    }
    whole.push({ role, parts: found });
  }
  return whole;
}
