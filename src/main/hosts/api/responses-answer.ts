import type { AnswerWriter, AskedAnswer, EndedPush, SaidPush } from './wire-api.ts';
import { collect, collected, event, promptTokens } from './wire-api.ts';

interface Item {
  readonly id: string;
  readonly type: string;
  readonly status: string;
}

type Write = (type: string, data: object) => string;

/** Writes an answer as OpenAI Responses. Stores nothing for later calls. Leaves out reasoning, as OpenAI does. */
export function responsesAnswer(asked: AskedAnswer): AnswerWriter {
  const said = collected();
  let sequence = 0;
  const write: Write = (type, data) => {
    sequence += 1;
    return event({ type, sequence_number: sequence - 1, ...data }, type);
  };
  const items = writtenItems(asked.id, write);
  const begun = (status: string): object => responseOf(asked, { status, output: [], usage: null });
  return {
    pause: ': waiting\n\n',
    start: () =>
      write('response.created', { response: begun('in_progress') }) +
      write('response.in_progress', { response: begun('in_progress') }),
    said: (push) => {
      collect(said, push);
      if (push.type === 'text') return push.text === '' ? '' : items.addText(push.text);
      return push.type === 'call' ? items.addCall(push) : '';
    },
    end: (ended) => {
      const closed = items.closeText();
      const response = finished(asked, ended, items.output);
      return closed + write(isCut(ended) ? 'response.incomplete' : 'response.completed', { response });
    },
    broken: ({ message, code }) => {
      const error = { code: 'server_error', message };
      const response = { ...responseOf(asked, { status: 'failed', output: items.output, usage: null }), error };
      return write('error', { code, message, param: null }) + write('response.failed', { response });
    },
    whole: (ended) => {
      const texts = said.text === '' ? [] : [messageItem(`msg_${asked.id}_0`, said.text)];
      const calls = said.calls.map((push, index) => callItem(`fc_${asked.id}_${index + texts.length}`, push));
      return finished(asked, ended, [...texts, ...calls]);
    },
  };
}

/** The items of a streamed answer, in order. Each one opens, grows and closes. */
function writtenItems(answerId: string, write: Write) {
  const output: Item[] = [];
  let text: { readonly id: string; readonly at: number; words: string } | null = null;
  const openText = (): string => {
    const id = `msg_${answerId}_${output.length}`;
    text = { id, at: output.length, words: '' };
    const item = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    output.push(item);
    const place = { item_id: id, output_index: text.at, content_index: 0 };
    return (
      write('response.output_item.added', { output_index: text.at, item }) +
      write('response.content_part.added', { ...place, part: textPart('') })
    );
  };
  const closeText = (): string => {
    if (text === null) return '';
    const { id, at, words } = text;
    text = null;
    const item = messageItem(id, words);
    output[at] = item;
    const place = { item_id: id, output_index: at, content_index: 0 };
    return (
      write('response.output_text.done', { ...place, text: words, logprobs: [] }) +
      write('response.content_part.done', { ...place, part: textPart(words) }) +
      write('response.output_item.done', { output_index: at, item })
    );
  };
  return {
    output,
    closeText,
    addText: (words: string): string => {
      const opened = text === null ? openText() : '';
      if (text === null) return opened;
      text.words += words;
      const place = { item_id: text.id, output_index: text.at, content_index: 0 };
      return opened + write('response.output_text.delta', { ...place, delta: words, logprobs: [] });
    },
    addCall: (push: Extract<SaidPush, { type: 'call' }>): string => {
      const closed = closeText();
      const at = output.length;
      const item = callItem(`fc_${answerId}_${at}`, push);
      output.push(item);
      const place = { item_id: item.id, output_index: at };
      const opened = { ...item, status: 'in_progress', arguments: '' };
      return [
        closed,
        write('response.output_item.added', { output_index: at, item: opened }),
        write('response.function_call_arguments.delta', { ...place, delta: item.arguments }),
        write('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments }),
        write('response.output_item.done', { output_index: at, item }),
      ].join('');
    },
  };
}

const textPart = (text: string): object => ({ type: 'output_text', text, annotations: [], logprobs: [] });

function messageItem(id: string, text: string): Item {
  const item = { id, type: 'message', role: 'assistant', status: 'completed', content: [textPart(text)] };
  return item;
}

function callItem(
  id: string,
  { id: callId, name, input }: Extract<SaidPush, { type: 'call' }>,
): Item & { readonly name: string; readonly arguments: string; readonly call_id: string } {
  return { id, type: 'function_call', status: 'completed', call_id: callId, name, arguments: JSON.stringify(input) };
}

const isCut = ({ stopReason }: EndedPush): boolean => stopReason === 'length' || stopReason === 'repetition';

function finished(asked: AskedAnswer, ended: EndedPush, output: readonly Item[]): object {
  const status = isCut(ended) ? 'incomplete' : 'completed';
  const response = responseOf(asked, { status, output, usage: usageOf(ended) });
  return {
    ...response,
    model: ended.model,
    ...(isCut(ended) ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
  };
}

function usageOf({ usage }: EndedPush): object {
  const input = promptTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  };
}

function responseOf(
  { id, at, call }: AskedAnswer,
  state: { readonly status: string; readonly output: readonly Item[]; readonly usage: object | null },
): object {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: Math.floor(at / 1000),
    model: call.model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: false,
    previous_response_id: null,
    store: false,
    temperature: call.temperature,
    top_p: call.topP,
    max_output_tokens: call.maxOutputTokens,
    tool_choice: typeof call.toolChoice === 'object' ? { type: 'function', ...call.toolChoice } : call.toolChoice,
    tools: call.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict: false,
    })),
    ...state,
  };
}
