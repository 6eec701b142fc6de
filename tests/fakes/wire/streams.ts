import type { Usage } from '@shared/money/token-cost.ts';
import { toolCallStream } from '../chat-server.ts';

/**
 * Answers in the wire format of each service. All are synthetic: written by hand from the public API references, not
 * recorded. Each has the same content: a thought where the format has them, "I look. ", one call of `read_file` with
 * `{"path":"a.py"}`, and counts that include cached tokens.
 */
export interface WireFormat {
  readonly kind: string;
  /** The path after the server's address. */
  readonly basePath: string;
  readonly postPath: RegExp;
  readonly keyHeader: string;
  readonly body: string;
  /** If the stream is cut before this place, no call may be passed on. */
  readonly wholeFrom: number;
  readonly usage: Usage;
  readonly reasoning: string;
  /** An error in the middle of a stream that began without one. */
  readonly errorFrame: string;
  readonly errorBody: (message: string) => string;
  readonly contextFull: string;
  readonly list: string;
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${value.type}\n${data(value)}`;
const usage = { cacheWrite: 0, reasoning: 0, estimated: false };

const chatBody = toolCallStream();

const responseOf = (status: string, output: unknown[], counts: unknown): unknown => ({
  id: 'resp_1',
  object: 'response',
  model: 'm-2026-11-01',
  status,
  output,
  usage: counts,
});
const responsesEvents = [
  { type: 'response.created', response: responseOf('in_progress', [], null) },
  { type: 'response.output_item.added', output_index: 0, item: { id: 'rs_1', type: 'reasoning', summary: [] } },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: {
      id: 'rs_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'I think.' }],
      encrypted_content: 'gAAA',
    },
  },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: 'I look. ' },
  {
    type: 'response.function_call_arguments.delta',
    item_id: 'fc_1',
    output_index: 2,
    delta: '{"path":',
  },
  {
    type: 'response.output_item.done',
    output_index: 2,
    item: {
      id: 'fc_1',
      type: 'function_call',
      status: 'completed',
      call_id: 'c1',
      name: 'read_file',
      arguments: '{"path":"a.py"}',
    },
  },
  {
    type: 'response.completed',
    response: responseOf('completed', [], {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 17,
      output_tokens_details: { reasoning_tokens: 10 },
      total_tokens: 117,
    }),
  },
];
const responsesBody = responsesEvents.map(event).join('');

const anthropicEvents = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm-20261101',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 30, cache_creation_input_tokens: 10, cache_read_input_tokens: 60, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'I think.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'EqQB' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'I look. ' } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'c1', name: 'read_file', input: {} },
  },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"path":' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '"a.py"}' } },
  { type: 'content_block_stop', index: 2 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 17, output_tokens_details: { thinking_tokens: 10 } },
  },
  { type: 'message_stop' },
];
const anthropicBody = anthropicEvents.map(event).join('');

const geminiChunk = (parts: unknown[], finishReason?: string, counts?: unknown): string =>
  data({
    candidates: [
      { content: { role: 'model', parts }, index: 0, ...(finishReason === undefined ? {} : { finishReason }) },
    ],
    modelVersion: 'm-001',
    ...(counts === undefined ? {} : { usageMetadata: counts }),
  }).replaceAll('\n', '\r\n');
const geminiBody = [
  geminiChunk([{ text: 'I think.', thought: true }]),
  geminiChunk([{ text: 'I look. ' }]),
  geminiChunk([{ functionCall: { id: 'c1', name: 'read_file', args: { path: 'a.py' } }, thoughtSignature: 'AbCd' }]),
  geminiChunk([{ text: '' }], 'STOP', {
    promptTokenCount: 100,
    cachedContentTokenCount: 60,
    candidatesTokenCount: 7,
    thoughtsTokenCount: 10,
    totalTokenCount: 117,
  }),
].join('');

const openaiError = (message: string): string => JSON.stringify({ error: { message, type: 'invalid_request_error' } });
const openaiList = JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model' }, { id: 'text-embedding-3' }] });

export const wireFormats: readonly WireFormat[] = [
  {
    kind: 'openai-compatible',
    basePath: '/v1',
    postPath: /^\/v1\/chat\/completions$/,
    keyHeader: 'authorization',
    body: chatBody,
    wholeFrom: chatBody.indexOf('"finish_reason":"tool_calls"'),
    usage: { ...usage, freshInput: 40, cacheRead: 60, output: 7 },
    reasoning: '',
    errorFrame: data({ error: { message: 'the engine died', code: 500 } }),
    errorBody: openaiError,
    contextFull: "This model's maximum context length is 4096 tokens.",
    list: openaiList,
  },
  {
    kind: 'huggingface',
    basePath: '/v1',
    postPath: /^\/v1\/chat\/completions$/,
    keyHeader: 'authorization',
    body: chatBody,
    wholeFrom: chatBody.indexOf('"finish_reason":"tool_calls"'),
    usage: { ...usage, freshInput: 40, cacheRead: 60, output: 7 },
    reasoning: '',
    errorFrame: data({ error: { message: 'the engine died', code: 500 } }),
    errorBody: openaiError,
    contextFull: 'maximum context length is 4096 tokens',
    list: JSON.stringify({ data: [{ id: 'm', providers: [{ context_length: 9, supports_tools: true }] }] }),
  },
  {
    kind: 'openai',
    basePath: '/v1',
    postPath: /^\/v1\/responses$/,
    keyHeader: 'authorization',
    body: responsesBody,
    wholeFrom: responsesBody.length - 3,
    usage: { ...usage, freshInput: 40, cacheRead: 60, output: 17, reasoning: 10 },
    reasoning: 'I think.',
    errorFrame: event({ type: 'error', code: 'server_error', message: 'the engine died' }),
    errorBody: openaiError,
    contextFull: 'Your input exceeds the context window of this model.',
    list: openaiList,
  },
  {
    kind: 'anthropic',
    basePath: '',
    postPath: /^\/v1\/messages(\?|$)/,
    keyHeader: 'authorization',
    body: anthropicBody,
    wholeFrom: anthropicBody.length - 3,
    usage: { freshInput: 30, cacheRead: 60, cacheWrite: 10, output: 17, reasoning: 10, estimated: false },
    reasoning: 'I think.',
    errorFrame: event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    errorBody: (message) => JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
    contextFull: 'prompt is too long: 210000 tokens > 200000 maximum',
    list: JSON.stringify({
      data: [{ id: 'm', display_name: 'M', max_input_tokens: 9, type: 'model' }],
      has_more: false,
    }),
  },
  {
    kind: 'gemini',
    basePath: '/v1beta',
    postPath: /^\/v1beta\/models\/m:streamGenerateContent\?alt=sse$/,
    keyHeader: 'x-goog-api-key',
    body: geminiBody,
    wholeFrom: geminiBody.length - 4,
    usage: { ...usage, freshInput: 40, cacheRead: 60, output: 17, reasoning: 10 },
    reasoning: 'I think.',
    errorFrame: data({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
    errorBody: (message) => JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
    contextFull: 'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
    list: JSON.stringify({
      models: [
        { name: 'models/m', inputTokenLimit: 9, supportedGenerationMethods: ['generateContent'] },
        { name: 'models/embedding-001', supportedGenerationMethods: ['embedContent'] },
      ],
    }),
  },
];
