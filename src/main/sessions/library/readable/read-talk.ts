import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import { rememberedLines } from '@shared/projects/memory-line.ts';
import { followCalls, type TalkCall } from './follow-calls.ts';

/** Something that the person gave with a message. */
export interface TalkFile {
  readonly name: string;
  /** Null: it is no picture. */
  readonly picture: { readonly blob: BlobRef; readonly mediaType: string } | null;
}

export type TalkItem =
  | { readonly type: 'message'; readonly text: string; readonly at: number; readonly files: readonly TalkFile[] }
  /** What a model said before it called tools. */
  | { readonly type: 'words'; readonly text: string }
  | { readonly type: 'call'; readonly call: TalkCall }
  /** Tasks that a restore took out of the conversation. They were paid for. */
  | { readonly type: 'set-aside'; readonly tasks: number; readonly costUsd: number | null }
  | { readonly type: 'check'; readonly command: string; readonly passed: boolean; readonly summary: string }
  | {
      readonly type: 'end';
      readonly reason: string;
      readonly text: string;
      readonly failure: string | null;
      /** Lines of the memory that were of use, without those forgotten since. */
      readonly memory: readonly string[];
      readonly seconds: number;
      /** Null: the price of a call is not known. */
      readonly costUsd: number | null;
      readonly models: readonly string[];
    };

interface Turn {
  readonly startedAt: number;
  costUsd: number | null;
  readonly models: Set<string>;
}

/** Purposes whose text is for the person. The others are asked for one decision. */
const spoken = new Set(['act', 'answer', 'plan', 'advise', 'review']);

/** The talk in the order of the log: messages, words, calls, checks and ends. `isShown`: whether an event is part of it. */
export async function readTalk(
  events: AsyncIterable<SessionEvent>,
  isShown: (seq: number) => boolean,
): Promise<readonly TalkItem[]> {
  const items: TalkItem[] = [];
  const calls = new Map<string, EventOf<'model-call-started'>>();
  const tools = followCalls();
  const withdrawn = new Set<string>();
  const messages: { readonly id: string; readonly item: TalkItem }[] = [];
  let turn: Turn = newTurn(0);
  for await (const event of events) {
    const add = (item: TalkItem): void => {
      if (isShown(event.seq)) items.push(item);
    };
    const call = tools.take(event);
    if (call !== null) add({ type: 'call', call });
    switch (event.type) {
      case 'user-message-added': {
        const files = (event.attachments ?? []).map((file): TalkFile => {
          const { name, blob } = file;
          return { name, picture: file.kind === 'image' ? { blob, mediaType: file.mediaType } : null };
        });
        const item: TalkItem = { type: 'message', text: event.text, at: event.at, files };
        messages.push({ id: event.messageId, item });
        add(item);
        break;
      }
      case 'message-dropped':
        if (event.withdrawn === true) withdrawn.add(event.messageId);
        break;
      case 'turn-started':
        turn = newTurn(event.at);
        break;
      case 'model-call-started':
        calls.set(event.callId, event);
        break;
      case 'model-call-ended': {
        const call = calls.get(event.callId);
        turn.costUsd = event.costUsd === null || turn.costUsd === null ? null : turn.costUsd + event.costUsd;
        if (call === undefined) break;
        turn.models.add(call.model);
        const text = event.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
        if (spoken.has(call.purpose) && text.trim() !== '') add({ type: 'words', text: text.trim() });
        break;
      }
      case 'check-ended':
        add({ type: 'check', command: event.command, passed: event.passed, summary: event.summary });
        break;
      case 'turn-ended':
        if (isShown(event.seq)) items.push(endOf(event, turn));
        else setAside(items, turn);
        break;
      default:
    }
  }
  const gone = new Set(messages.filter(({ id }) => withdrawn.has(id)).map(({ item }) => item));
  return withoutRepeats(items.filter((item) => !gone.has(item)));
}

/** What one restore took back is told once. */
function setAside(items: TalkItem[], { costUsd }: Turn): void {
  const last = items.at(-1);
  if (last?.type !== 'set-aside') items.push({ type: 'set-aside', tasks: 1, costUsd });
  else {
    const both = costUsd === null || last.costUsd === null ? null : last.costUsd + costUsd;
    items[items.length - 1] = { type: 'set-aside', tasks: last.tasks + 1, costUsd: both };
  }
}

function newTurn(startedAt: number): Turn {
  return { startedAt, costUsd: 0, models: new Set() };
}

function endOf(event: EventOf<'turn-ended'>, { startedAt, costUsd, models }: Turn): TalkItem {
  const { reason, text, failure, memory } = event;
  const seconds = Math.max(0, event.at - startedAt) / 1000;
  return {
    type: 'end',
    reason,
    text,
    failure: failure?.message ?? null,
    memory: rememberedLines(memory),
    seconds,
    costUsd,
    models: [...models],
  };
}

/** The last words of a turn stand in its end, too. They are shown once. */
function withoutRepeats(items: readonly TalkItem[]): readonly TalkItem[] {
  return items.filter((item, at) => {
    if (item.type !== 'words') return true;
    const end = items.slice(at + 1).find(({ type }) => type !== 'check' && type !== 'call');
    return end?.type !== 'end' || end.text.trim() !== item.text;
  });
}
