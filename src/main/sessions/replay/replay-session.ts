import { AppError } from '@shared/errors.ts';
import { LOG_VERSION, type EventOf, type SessionEvent } from '@shared/events/events.ts';
import { emptyMoney, reduceMoney } from '@shared/money/session-money.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { plainMask } from '../../lib/secrets/secret-patterns.ts';
import { emptySession } from '@shared/session/session-state.ts';
import type { QueuedMessage } from '../journal/queued-message.ts';
import type { Budget } from '../../money/budget.ts';
import type { SessionFences } from '../../safety/session-fences.ts';
import type { LanguageModel, StreamPart } from '../../models/providers/define.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { blobsOf } from '../blobs/event-blobs.ts';
import type { Effects, Journal } from '../journal/journal.ts';
import { createReplayJournal, type ReplayLog, type ReplayRecord } from './replay-journal.ts';
import { stateHash } from './state-hash.ts';
import type { ReplayReport } from '@shared/contract/sessions-contract.ts';

/** A recorded session, such as `SessionStore.view(id, 'whole')` returns. */
export interface RecordedSession {
  readonly sessionId: string;
  read(): AsyncIterable<SessionEvent>;
  /** Problems of the log, in words. */
  readonly problems: readonly string[];
}

/** Everything that runs a turn again. Nothing of it reaches a model, a network, a sandbox or the disk. */
export interface ReplayTurn {
  readonly journal: Journal;
  readonly effects: Effects;
  /** Answers in place of every provider of the recorded run. */
  readonly provider: LanguageModel;
  /** Returns a message exactly where the recorded engine took it. */
  readonly inbox: {
    take(): QueuedMessage | null;
    /** What was chosen anew, exactly where the recorded engine took it; null: nothing. */
    choice(): unknown;
  };
  readonly approver: { ask(question: { readonly approvalId: string }): Promise<'allow' | 'deny' | 'nobody'> };
  readonly budget: Budget;
  readonly fences: SessionFences;
  readonly started: EventOf<'turn-started'>;
  /** The message that began the turn. */
  readonly message: QueuedMessage;
  /** Aborts where the recorded turn was cancelled, and when the replay must stop. */
  readonly signal: AbortSignal;
}

/**
 * Runs the engine for one turn, from its first event after `user-message-added` to `turn-ended`. It may append
 * `turn-started` itself or leave that to the replay. It may reject once `signal` is aborted.
 */
export type RunReplayTurn = (turn: ReplayTurn) => Promise<void>;

/**
 * Throws AppError `log-version` for a session of an older log version. Its turns were recorded by an agent that did other
 * things, so a replay would only say where they differ.
 */
export async function refuseOlderLog(session: Pick<RecordedSession, 'read'>): Promise<void> {
  for await (const event of session.read()) {
    // A log without its beginning is damaged, which the replay reports.
    if (event.type !== 'session-created' || event.logVersion >= LOG_VERSION) return;
    throw new AppError(
      'log-version',
      'This session cannot be replayed: a test version from before the first release began it, and the agent has changed since.',
      {
        hint: 'All of it is kept, and you can still read, export and fork it. To have a session that can be replayed, send the task again in a new one.',
      },
    );
  }
}

/**
 * Runs a recorded session again, turn by turn, with the recorded replies and results. Compares every event of the
 * engine with the recorded one, and the folded states at the end. Also checks that the log is complete, and that every
 * blob it names exists and has the right hash. Turns that a crash ended are run up to where they stop.
 */
export async function replaySession(
  session: RecordedSession,
  blobs: Pick<Blobs, 'get'>,
  runTurn: RunReplayTurn,
): Promise<ReplayReport> {
  const events: SessionEvent[] = [];
  for await (const event of session.read()) events.push(event);
  const log = createReplayJournal(session.sessionId, events, blobs);
  const { journal, record } = log;
  for (const problem of session.problems) record.differs(`the log is damaged: ${problem}`);
  const missing = await findMissingBlob(events, blobs);
  if (missing !== null) record.differs(missing);
  await replayTurns(log, events, runTurn);
  const replayed = stateHash(journal.state(), journal.money());
  const recorded = hashOfEvents(events);
  const firstDifference = record.difference() ?? (replayed === recorded ? null : 'the folded states differ');
  return {
    matched: firstDifference === null,
    stateHash: replayed,
    recordedHash: recorded,
    events: events.length,
    firstDifference,
  };
}

/** Stops at the first turn that differs, because all later ones depend on it. */
async function replayTurns(log: ReplayLog, events: readonly SessionEvent[], runTurn: RunReplayTurn): Promise<void> {
  const { journal, record } = log;
  const effects = createReplayEffects(log);
  const provider = createReplayProvider(record);
  for (let started = record.toNextTurn(); started !== null; started = record.toNextTurn()) {
    const { messageId } = started;
    const signal = record.signal();
    const turn: ReplayTurn = {
      journal,
      effects,
      provider,
      inbox: createReplayInbox(record, events),
      approver: createReplayApprover(record),
      budget: createReplayBudget(record),
      fences: createReplayFences(record),
      started,
      message: recordedMessage(events, messageId),
      signal,
    };
    try {
      await runTurn(turn);
    } catch (error) {
      // The replay itself stopped the engine, so it may end in any way.
      if (record.stopped() === null) throw error;
    }
    if (record.stopped() === 'difference') return;
    record.endTurn();
    if (record.difference() !== null && record.stopped() !== 'crash') return;
  }
}

/** The hash of a log as it was recorded. */
function hashOfEvents(events: Iterable<SessionEvent>): string {
  let state = emptySession;
  let money = emptyMoney;
  for (const event of events) {
    state = reduceSession(state, event);
    money = reduceMoney(money, event);
  }
  return stateHash(state, money);
}

/** Returns the recorded result of an effect. Nothing runs. */
function createReplayEffects(log: ReplayLog): Effects {
  return {
    replaying: true,
    perform: async (toolCallId) => {
      const ended = log.record.find('tool-ended', (event) => event.toolCallId === toolCallId);
      if (!ended) {
        // The recorded run stopped inside of this effect. The next append stops the engine.
        return { status: 'unknown', output: '', full: null, exitCode: null, durationMs: 0, data: null };
      }
      const { status, output, full, exitCode, durationMs, waitedMs, reusedFrom, pictures } = ended;
      const data = await dataOf(log, ended);
      return { status, output, full, exitCode, durationMs, waitedMs, reusedFrom, pictures, data };
    },
  };
}

async function dataOf({ journal, record }: ReplayLog, ended: EventOf<'tool-ended'>): Promise<unknown> {
  if (!ended.dataBlob) return ended.data;
  const bytes = await journal.getBlob(ended.dataBlob);
  if (bytes === null) {
    record.differs(`event ${ended.seq}: the result of ${ended.tool} is no longer there`);
    return null;
  }
  return JSON.parse(Buffer.from(bytes).toString('utf8'));
}

/** Answers every call with the recorded answer, and token counts with the recorded counts. */
function createReplayProvider(record: ReplayRecord): LanguageModel {
  return {
    id: 'replay',
    countTokens: async () => record.find('model-call-started', () => true)?.promptTokens ?? null,
    stream: () => replayReply(record),
  };
}

async function* replayReply(record: ReplayRecord): AsyncGenerator<StreamPart> {
  const ended = record.find('model-call-ended', () => true);
  for (const part of ended?.parts ?? []) {
    if (part.type === 'text') yield { type: 'text-delta', text: part.text };
    if (part.type === 'reasoning') yield { type: 'reasoning-delta', text: part.text };
    if (part.type === 'reasoning' && part.by !== undefined) yield { type: 'reasoning', part };
    if (part.type === 'tool-call') yield { type: 'tool-call', call: part };
  }
  yield ended ? endOf(ended) : cutOff;
}

function endOf(event: EventOf<'model-call-ended'>): StreamPart {
  const { stopReason, usage, evaluatedTokens, timings, error, answeredBy, engine, cutCall } = event;
  // A probe relies on the recorded drafts. Findings of a model load are in the log already, so they are not repeated.
  const ended = {
    type: 'ended' as const,
    stopReason,
    usage,
    evaluatedTokens,
    timings,
    ...(answeredBy === undefined ? {} : { model: answeredBy }),
    ...(cutCall === undefined ? {} : { cutCall }),
    ...(engine?.drafts === undefined ? {} : { engine: { ...engine, findings: [], unloaded: [] } }),
  };
  return { ...ended, error: error === null ? null : { ...error, code: providerCode(error.code) } };
}

const providerCodes = [
  'rate-limit',
  'overloaded',
  'auth',
  'no-key',
  'no-credit',
  'blocked',
  'bad-request',
  'context-full',
  'network',
  'stalled',
  'cut',
  'engine-lost',
  'missing-model',
  'bad-model',
  'out-of-memory',
] as const;

function providerCode(code: string): (typeof providerCodes)[number] | 'internal' {
  return providerCodes.find((known) => known === code) ?? 'internal';
}

const cutOff: StreamPart = {
  type: 'ended',
  stopReason: 'cancelled',
  usage: { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: true },
  evaluatedTokens: null,
  timings: { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 0 },
  error: null,
};

/** The action in which a turn takes what was chosen anew. */
export const choiceAction = 'take_choice';

function createReplayInbox(record: ReplayRecord, events: readonly SessionEvent[]): ReplayTurn['inbox'] {
  const taken = new Set<string>();
  return {
    take: () => {
      const next = record.next();
      if (next?.type !== 'message-delivered' || taken.has(next.messageId)) return null;
      const { messageId } = next;
      taken.add(messageId);
      return recordedMessage(events, messageId);
    },
    choice: () => {
      const next = record.next();
      return next?.type === 'tool-started' && next.tool === choiceAction ? next.input : null;
    },
  };
}

function recordedMessage(events: readonly SessionEvent[], messageId: string): QueuedMessage {
  const added = events.find((event) => event.type === 'user-message-added' && event.messageId === messageId);
  if (added?.type !== 'user-message-added') return { messageId, text: '' };
  return { messageId, text: added.text, attachments: added.attachments };
}

function createReplayApprover(record: ReplayRecord): ReplayTurn['approver'] {
  return {
    ask: async ({ approvalId }) => {
      const answered = record.find('approval-answered', (event) => event.approvalId === approvalId);
      if (!answered || answered.by === 'nobody') return 'nobody';
      return answered.answer;
    },
  };
}

/** Refuses a call exactly where the log does. Reserves nothing. */
function createReplayBudget(record: ReplayRecord): Budget {
  return {
    reserve: async ({ worstUsd }) => {
      const next = record.next();
      const isRefused =
        next?.type === 'cap-reached' || (next?.type === 'output-limited' && (worstUsd ?? 0) > next.worstUsd);
      if (!isRefused) return { type: 'granted', settle: () => undefined };
      const { scope, limitUsd, spentUsd, heldUsd } = next;
      return { type: 'refused', cap: { scope, limitUsd, spentUsd, heldUsd, worstUsd: next.worstUsd } };
    },
    // Only asked for inside of an effect, which a replay does not run.
    left: async () => [],
    raise: async () => undefined,
    ask: async (capId) => {
      const answered = record.find('cap-answered', (event) => event.capId === capId);
      if (answered === null || answered.by !== 'person') return null;
      const { answer, raisedUsd } = answered;
      return answer === 'raise' ? { answer, usd: raisedUsd ?? 0 } : { answer };
    },
  };
}

/** A fence applies exactly where the log says so. The log has what was sent, and the replay plays the answer. */
function createReplayFences(record: ReplayRecord): SessionFences {
  return {
    check: async ({ request }) => {
      const next = record.next();
      if (next?.type !== 'call-fenced') return { type: 'free' };
      const { outcome, hits, text } = next;
      return { type: 'fenced', outcome, hits, request, text, manifest: null };
    },
    // A replay writes no files.
    hidden: { mask: plainMask, restore: (text) => ({ text, unknown: null }) },
  };
}

/** Names the first blob that is missing or does not match its name. Null: all are there. */
async function findMissingBlob(events: readonly SessionEvent[], blobs: Pick<Blobs, 'get'>): Promise<string | null> {
  const good = new Set<string>();
  for (const event of events) {
    for (const ref of blobsOf(event)) {
      if (good.has(ref.sha256)) continue;
      if ((await blobs.get(ref)) === null)
        return `event ${event.seq} (${event.type}): blob ${ref.sha256} is gone or damaged`;
      good.add(ref.sha256);
    }
  }
  return null;
}
