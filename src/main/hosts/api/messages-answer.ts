import type Anthropic from '@anthropic-ai/sdk';
import type { StopReason } from '@shared/events/call-events.ts';
import type { AnswerWriter, AskedAnswer, EndedPush, SaidPush, WireFailure } from './wire-api.ts';
import { collect, collected, event } from './wire-api.ts';

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

const named = (data: Event): string => event(data, data.type);

/** Writes an answer as Anthropic Messages. No reasoning: its blocks need a signature that Dewpoint cannot make. */
export function messagesAnswer({ call, id }: AskedAnswer): AnswerWriter {
  const said = collected();
  let index = -1;
  let isTextOpen = false;
  const closeText = (): string => {
    if (!isTextOpen) return '';
    isTextOpen = false;
    return named({ type: 'content_block_stop', index });
  };
  const text = (words: string): string => {
    let lines = '';
    if (!isTextOpen) {
      index += 1;
      isTextOpen = true;
      lines = named({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
    }
    return lines + named({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: words } });
  };
  const toolUse = (push: Extract<SaidPush, { type: 'call' }>): string => {
    const before = closeText();
    index += 1;
    const block = { type: 'tool_use', id: push.id, name: push.name, input: {} };
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(push.input) };
    return [
      before,
      named({ type: 'content_block_start', index, content_block: block }),
      named({ type: 'content_block_delta', index, delta }),
      named({ type: 'content_block_stop', index }),
    ].join('');
  };
  const head = { id: `msg_${id}`, type: 'message', role: 'assistant', model: call.model } as const;
  return {
    pause: named({ type: 'ping' }),
    start: () => {
      const usage = { input_tokens: 0, output_tokens: 0 };
      const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
      return named({ type: 'message_start', message });
    },
    said: (push) => {
      collect(said, push);
      if (push.type === 'text') return push.text === '' ? '' : text(push.text);
      return push.type === 'call' ? toolUse(push) : '';
    },
    end: (ended) => {
      const delta = { stop_reason: stopReason(ended.stopReason), stop_sequence: null };
      return [
        closeText(),
        named({ type: 'message_delta', delta, usage: usageOf(ended) }),
        named({ type: 'message_stop' }),
      ].join('');
    },
    broken: (failure) => event(anthropicError(failure), 'error'),
    whole: (ended) => ({
      ...head,
      model: ended.model,
      content: [
        ...(said.text === '' ? [] : [{ type: 'text', text: said.text }]),
        ...said.calls.map(({ id: callId, name, input }) => ({ type: 'tool_use', id: callId, name, input })),
      ],
      stop_reason: stopReason(ended.stopReason),
      stop_sequence: null,
      usage: usageOf(ended),
    }),
  };
}

function stopReason(reason: StopReason): Anthropic.Message['stop_reason'] {
  switch (reason) {
    case 'tool-calls':
      return 'tool_use';
    case 'length':
    case 'repetition':
      return 'max_tokens';
    case 'stop-sequence':
      return 'stop_sequence';
    default:
      return 'end_turn';
  }
}

function usageOf({ usage }: EndedPush): object {
  return {
    input_tokens: usage.freshInput,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
    output_tokens: usage.output,
  };
}

const types: Partial<Readonly<Record<WireFailure['code'], string>>> = {
  'wrong-key': 'authentication_error',
  'not-allowed': 'permission_error',
  forbidden: 'permission_error',
  fenced: 'permission_error',
  'unknown-model': 'not_found_error',
  'not-found': 'not_found_error',
  'too-large': 'request_too_large',
  busy: 'rate_limit_error',
  limit: 'rate_limit_error',
  'rate-limit': 'rate_limit_error',
  unavailable: 'overloaded_error',
  failed: 'api_error',
};

export function anthropicError({ code, message }: WireFailure): object {
  return { type: 'error', error: { type: types[code] ?? 'invalid_request_error', message } };
}
