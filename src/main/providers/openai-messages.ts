import type OpenAI from 'openai';
import type { Message, Part } from '@shared/messages.ts';
import { textOf } from '@shared/messages.ts';
import type { ModelRequest } from './define.ts';

type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** Our request in the shape of Chat Completions. Reasoning of earlier answers is not sent back. */
export function toWire(request: ModelRequest): OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming {
  return {
    model: request.model,
    messages: request.messages.flatMap(toWireMessages),
    stream: true,
    stream_options: { include_usage: true },
    temperature: request.temperature,
    top_p: request.topP,
    max_tokens: request.maxOutputTokens,
    ...(request.seed === null ? {} : { seed: request.seed }),
    ...(request.stop.length === 0 ? {} : { stop: request.stop.slice(0, 4) }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toWireTool) }),
    ...responseFormat(request),
  };
}

function toWireTool(tool: ModelRequest['tools'][number]): OpenAI.Chat.Completions.ChatCompletionTool {
  return {
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: { ...tool.inputSchema } },
  };
}

function responseFormat(request: ModelRequest): Partial<OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming> {
  const { output } = request;
  switch (output.type) {
    case 'text':
    case 'tool-calls':
      return {};
    case 'json-schema':
      return {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { ...output.schema } } },
      };
    case 'choice': {
      const schema = { type: 'string', enum: [...output.options] };
      return { response_format: { type: 'json_schema', json_schema: { name: 'choice', schema } } };
    }
    default:
      return output satisfies never;
  }
}

function toWireMessages(message: Message): readonly WireMessage[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: textOf(message) }];
    case 'user':
      return [{ role: 'user', content: textOf(message) }];
    case 'assistant':
      return [assistantMessage(message)];
    case 'tool':
      return message.parts.flatMap((part) =>
        part.type === 'tool-result' ? [{ role: 'tool' as const, tool_call_id: part.id, content: part.text }] : [],
      );
    default:
      return message.role satisfies never;
  }
}

function assistantMessage(message: Message): WireMessage {
  const calls = message.parts.filter((part): part is Extract<Part, { type: 'tool-call' }> => part.type === 'tool-call');
  const text = textOf(message);
  if (calls.length === 0) return { role: 'assistant', content: text };
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function' as const,
      // Some servers refuse arguments that are not JSON, so a broken call is sent back as an empty object.
      function: { name: call.name, arguments: JSON.stringify(call.input ?? {}) },
    })),
  };
}
