import type { SearchKind } from '@shared/contract/search-answer.ts';
import type { SessionEvent } from '@shared/events/events.ts';

/** One text of a log that can be found. */
export interface SearchText {
  readonly kind: SearchKind;
  /** The row of the conversation that contains it: a message, a call, a tool call or a turn. Null for the title. */
  readonly ref: string | null;
  readonly text: string;
}

/** Limits in characters: for texts of people and models, and for outputs, of which both ends are kept. */
const writtenLimit = 32_768;
const outputLimit = 4096;

/** The texts of an event that the user may search for. Most events have none. */
export function searchTexts(event: SessionEvent): readonly SearchText[] {
  return textsOf(event).filter(({ text }) => text.trim() !== '');
}

function textsOf(event: SessionEvent): readonly SearchText[] {
  switch (event.type) {
    case 'session-created':
    case 'session-renamed':
      return [{ kind: 'title', ref: null, text: event.title }];
    case 'user-message-added':
      return [{ kind: 'message', ref: event.messageId, text: event.text.slice(0, writtenLimit) }];
    case 'model-call-ended': {
      const said = event.parts.flatMap((part) => (part.type === 'text' || part.type === 'reasoning' ? part.text : []));
      return [{ kind: 'answer', ref: event.callId, text: said.join('\n').slice(0, writtenLimit) }];
    }
    case 'tool-started':
      return [{ kind: 'call', ref: event.toolCallId, text: inputText(event.label, event.input) }];
    case 'tool-ended':
      return [{ kind: 'output', ref: event.toolCallId, text: bothEnds(event.output, outputLimit) }];
    case 'turn-ended':
      return [{ kind: 'answer', ref: event.turnId ?? null, text: event.text.slice(0, writtenLimit) }];
    default:
      return [];
  }
}

/** The values in the arguments of a call, without field names. */
function inputText(label: string, input: unknown): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [];
  const texts = values.flatMap((value: unknown) => (typeof value === 'string' ? value : []));
  return [...new Set([label, ...texts])].join('\n').slice(0, writtenLimit);
}

function bothEnds(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit / 2)}\n…\n${text.slice(-limit / 2)}`;
}
