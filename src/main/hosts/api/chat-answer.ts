import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { StopReason } from '@shared/events/call-events.ts';
import type { AnswerWriter, AskedAnswer, EndedPush, WireFailure } from './wire-api.ts';
import { collect, collected, event, promptTokens } from './wire-api.ts';

/** Writes an answer in the form of Chat Completions. Reasoning goes into `reasoning_content`, as in most servers. */
export function chatAnswer({ call, id, at, wantsUsage }: AskedAnswer): AnswerWriter {
  const said = collected();
  const head = { id: `chatcmpl-${id}`, created: Math.floor(at / 1000) };
  const chunk = (
    delta: ChatCompletionChunk.Choice.Delta & { readonly reasoning_content?: string },
    finish: ChatCompletionChunk.Choice['finish_reason'] = null,
  ): string => event(chunkOf(head, call.model, { choices: [{ index: 0, delta, finish_reason: finish }] }));
  return {
    pause: ': waiting\n\n',
    start: () => chunk({ role: 'assistant', content: '' }),
    said: (push) => {
      const index = said.calls.length;
      collect(said, push);
      switch (push.type) {
        case 'text':
          return chunk({ content: push.text });
        case 'reasoning':
          return chunk({ reasoning_content: push.text });
        case 'call': {
          const written = { name: push.name, arguments: JSON.stringify(push.input) };
          return chunk({ tool_calls: [{ index, id: push.id, type: 'function', function: written }] });
        }
        default:
          return push satisfies never;
      }
    },
    end: (ended) => {
      const last = chunk({}, finishReason(ended.stopReason));
      const usage = wantsUsage ? event(chunkOf(head, ended.model, { choices: [], usage: chatUsage(ended) })) : '';
      return `${last}${usage}data: [DONE]\n\n`;
    },
    broken: (failure) => event(openaiError(failure)),
    whole: (ended): ChatCompletion => ({
      ...head,
      object: 'chat.completion',
      model: ended.model,
      choices: [
        {
          index: 0,
          finish_reason: finishReason(ended.stopReason),
          logprobs: null,
          message: {
            role: 'assistant',
            refusal: null,
            content: said.text === '' && said.calls.length > 0 ? null : said.text,
            ...(said.reasoning === '' ? {} : { reasoning_content: said.reasoning }),
            ...(said.calls.length === 0
              ? {}
              : {
                  tool_calls: said.calls.map(({ id: callId, name, input }) => ({
                    id: callId,
                    type: 'function' as const,
                    function: { name, arguments: JSON.stringify(input) },
                  })),
                }),
          },
        },
      ],
      usage: chatUsage(ended),
    }),
  };
}

function chunkOf(
  head: { readonly id: string; readonly created: number },
  model: string,
  rest: Pick<ChatCompletionChunk, 'choices' | 'usage'>,
): ChatCompletionChunk {
  return { ...head, object: 'chat.completion.chunk', model, ...rest };
}

function finishReason(reason: StopReason): ChatCompletion.Choice['finish_reason'] {
  if (reason === 'tool-calls') return 'tool_calls';
  return reason === 'length' || reason === 'repetition' ? 'length' : 'stop';
}

function chatUsage({ usage }: EndedPush): NonNullable<ChatCompletion['usage']> {
  const prompt = promptTokens(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'server_error',
};

const codes: Partial<Readonly<Record<WireFailure['code'], string>>> = {
  'wrong-key': 'invalid_api_key',
  'unknown-model': 'model_not_found',
  'too-long': 'context_length_exceeded',
  limit: 'insufficient_quota',
  'rate-limit': 'rate_limit_exceeded',
};

/** The error form of both OpenAI APIs. */
export function openaiError({ status, code, message }: WireFailure): object {
  const type = code === 'limit' ? 'insufficient_quota' : (types[status] ?? 'invalid_request_error');
  return { error: { message, type, param: null, code: codes[code] ?? code.replaceAll('-', '_') } };
}
