import type { CallEntry, Entry } from '../../recipes/conversation-entries.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import { conversationFilter } from '@shared/session/restore-state.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { textOf } from '@shared/models/model-messages.ts';
import type { TrimmedPart, Trimming } from '@shared/session/prompt-trimming.ts';
import { resultText } from './build-prompt.ts';
import type { Conversation } from './conversation.ts';
import { createConversation } from './conversation.ts';
import { withoutBlock } from './harness-facts.ts';

type Message = EventOf<'user-message-added'>;

/** How much of a text is used to identify it. */
const labelLength = 80;

/**
 * What one model call was not shown of the conversation up to it, in the order in which it was left out. A recipe
 * builds each question anew, so only attached files are trimmed there.
 */
export async function readShortenedResult(log: ShortenedLog, callId: string): Promise<readonly Trimming[]> {
  const fold = createFold();
  const isShown = await shownAt(log, callId);
  for await (const event of log.read()) {
    if (!isShown(event.seq)) continue;
    if (event.type === 'model-call-started' && event.callId === callId) {
      const rest = event.stage.strategy === 'loop' ? fold.trimmings : [];
      return [...(event.cut ?? []).map((one, index) => ofFile(fold, one, event.seq + index)), ...rest];
    }
    addEvent(fold, event);
  }
  return [];
}

interface ShortenedLog {
  readonly state: Pick<SessionState, 'restores'>;
  readonly read: () => AsyncIterable<SessionEvent>;
}

/** Which events were in the conversation when a call was made. */
async function shownAt({ state: { restores }, read }: ShortenedLog, callId: string): Promise<(seq: number) => boolean> {
  if (restores === undefined) return () => true;
  for await (const event of read())
    if (event.type === 'model-call-started' && event.callId === callId) return conversationFilter(restores, event.seq);
  return () => true;
}

interface Fold {
  readonly conversation: Conversation;
  /** A text that describes each call. */
  readonly labels: Map<string, string>;
  /** Calls that a model asked for. A model is not shown actions. */
  readonly asked: Set<string>;
  readonly messages: Map<string, Message>;
  /** By their place in the conversation. */
  readonly messageAt: Map<number, Message>;
  readonly summaryAt: Set<number>;
  trimmings: readonly Trimming[];
}

function createFold(): Fold {
  return {
    conversation: createConversation(),
    labels: new Map(),
    asked: new Set(),
    messages: new Map(),
    messageAt: new Map(),
    summaryAt: new Set(),
    trimmings: [],
  };
}

function addEvent(fold: Fold, event: SessionEvent): void {
  switch (event.type) {
    case 'user-message-added':
      fold.messages.set(event.messageId, event);
      fold.messageAt.set(event.seq, event);
      break;
    case 'message-delivered': {
      const message = fold.messages.get(event.messageId);
      if (message !== undefined) fold.messageAt.set(event.seq, message);
      break;
    }
    case 'tool-call-requested':
      fold.asked.add(event.toolCallId);
      break;
    case 'tool-started':
      fold.labels.set(event.toolCallId, event.label);
      break;
    case 'tool-ended':
      cut(fold, event);
      break;
    case 'observation-trimmed':
      shorten(fold, event);
      break;
    case 'context-compacted':
      sumUp(fold, event);
      break;
    default:
  }
  // Last, because trimmed entries are described by what was shown before.
  fold.conversation.add(event);
}

type CutFile = NonNullable<EventOf<'model-call-started'>['cut']>[number];

function ofFile(fold: Fold, { name, sha256, bytes, shownBytes }: CutFile, seq: number): Trimming {
  const from = [...fold.messages.values()].findLast(({ attachments = [] }) =>
    attachments.some(({ blob }) => blob.sha256 === sha256),
  );
  const part: TrimmedPart = { what: 'file', label: name, ref: from?.messageId ?? null, bytes };
  return { seq, why: 'attached', parts: [part], afterBytes: shownBytes };
}

function cut(fold: Fold, { full, output, toolCallId, seq, tool }: EventOf<'tool-ended'>): void {
  const afterBytes = bytesOf(output);
  if (full === null || full.bytes <= afterBytes || !fold.asked.has(toolCallId)) return;
  const label = fold.labels.get(toolCallId) ?? tool;
  const part: TrimmedPart = { what: 'result', label, ref: toolCallId, bytes: full.bytes };
  fold.trimmings = [...fold.trimmings, { seq, why: 'long', parts: [part], afterBytes }];
}

function shorten(fold: Fold, { toolCallId, afterTokens, seq }: EventOf<'observation-trimmed'>): void {
  const call = fold.conversation
    .entries()
    .flatMap((entry) => (entry.type === 'assistant' ? entry.calls : []))
    .find((one) => one.toolCallId === toolCallId);
  if (call === undefined || call.result === null) return;
  const shorter = { ...call, result: { ...call.result, keepTokens: afterTokens } };
  const afterBytes = bytesOf(resultText(shorter));
  fold.trimmings = [...fold.trimmings, { seq, why: 'room', parts: [resultPart(fold, call)], afterBytes }];
}

function sumUp(fold: Fold, { replacesUpToSeq, summary, seq }: EventOf<'context-compacted'>): void {
  const old = fold.conversation.entries().filter((entry) => entry.seq <= replacesUpToSeq);
  const parts = old.flatMap((entry) => partsOf(fold, entry));
  // Results that were shortened before are now part of the summary, in their short form.
  const gone = new Set(parts.flatMap(({ what, ref }) => (what === 'result' && ref !== null ? [ref] : [])));
  const left = fold.trimmings.filter(({ why, parts: [part] }) => why === 'summary' || !gone.has(part?.ref ?? ''));
  fold.trimmings = [...left, { seq, why: 'summary', parts, afterBytes: bytesOf(summary) }];
  fold.summaryAt.add(replacesUpToSeq);
}

function partsOf(fold: Fold, entry: Entry): readonly TrimmedPart[] {
  if (entry.type === 'assistant') return [answerPart(entry), ...entry.calls.map((call) => resultPart(fold, call))];
  const { seq, text } = entry;
  const label = beginningOf(withoutBlock(text));
  const bytes = bytesOf(text);
  if (fold.summaryAt.has(seq)) return [{ what: 'summary', label, ref: null, bytes }];
  const message = fold.messageAt.get(seq);
  if (message === undefined) return [{ what: 'note', label, ref: null, bytes }];
  const ref = message.messageId;
  const files = (message.attachments ?? []).map(({ name, blob }): TrimmedPart => ({
    what: 'file',
    label: name,
    ref,
    bytes: blob.bytes,
  }));
  return [{ what: 'message', label, ref, bytes }, ...files];
}

function answerPart({ parts }: Extract<Entry, { type: 'assistant' }>): TrimmedPart {
  const text = textOf({ parts });
  const calls = parts.map((part) => (part.type === 'tool-call' ? (part.raw ?? JSON.stringify(part.input) ?? '') : ''));
  return { what: 'answer', label: beginningOf(text), ref: null, bytes: bytesOf(text + calls.join('')) };
}

function resultPart(fold: Fold, call: CallEntry): TrimmedPart {
  const label = fold.labels.get(call.toolCallId) ?? call.tool;
  return { what: 'result', label, ref: call.toolCallId, bytes: bytesOf(resultText(call)) };
}

function beginningOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= labelLength ? line : `${line.slice(0, labelLength)} …`;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
