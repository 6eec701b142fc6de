import type { EndpointCall } from '@shared/contract/endpoint-contract.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { textMessage, textOf } from '@shared/models/model-messages.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { maxOutputTokens } from '@shared/models/prompt-room.ts';
import { schemaParameters } from '../agent/prompt/tool-descriptions.ts';
import { sha256Of } from '../lib/sha256.ts';
import type { ModelRequest, ToolSpec } from '../models/providers/define.ts';

/** A call as a request for one model, or why that model cannot answer it. */
export type ClientRequest =
  | { readonly ok: true; readonly request: ModelRequest; readonly answerTool: string | null }
  | { readonly ok: false; readonly message: string };

interface ToolForm {
  readonly tools: readonly ToolSpec[];
  readonly output: ModelRequest['output'];
  /** Added to the system text. */
  readonly system: string;
  /** The tool with which a model that must answer with a call answers in words. */
  readonly answerTool: string | null;
}

const words: ModelRequest['output'] = { type: 'text' };

/**
 * A request for one model with the settings of its profile. What the model cannot do is refused, never tried in another
 * way.
 */
export function clientRequest(call: EndpointCall, info: ModelInfo, clientId: string): ClientRequest {
  const no = (message: string): ClientRequest => ({ ok: false, message });
  if (
    call.messages.some(({ parts }) => parts.some(({ type }) => type === 'image')) &&
    info.capabilities.images !== true
  )
    return no(`${info.label} does not see images.`);
  const form = toolForm(call, info);
  if (typeof form === 'string') return no(form);
  if (call.schema !== null && form.tools.length > 0)
    return no('Tools and a response format cannot be asked for at once.');
  const canHold = info.capabilities.grammar || info.capabilities.schema === true || info.where === 'cloud';
  if (call.schema !== null && !canHold) return no(`${info.label} cannot be held to a JSON Schema.`);
  const { driving } = info;
  const effort = info.capabilities.reasoning === true ? (call.effort ?? info.effort) : undefined;
  const system = [driving?.systemText ?? '', form.system].filter((text) => text !== '').join('\n\n');
  return {
    ok: true,
    answerTool: form.answerTool,
    request: {
      model: info.name,
      messages: withSystem(call.messages, system),
      tools: form.tools,
      output: call.schema === null ? form.output : { type: 'json-schema', schema: call.schema },
      prefill: null,
      stop: call.stop,
      // The usual defaults of such APIs, unless the probe of the model found better ones.
      temperature: call.temperature ?? driving?.temperature ?? (info.where === 'cloud' ? 1 : 0.7),
      topP: call.topP ?? driving?.topP ?? 0.95,
      seed: call.seed,
      maxOutputTokens: Math.min(call.maxOutputTokens ?? maxOutputTokens(info), info.contextTokens),
      cacheKey: conversationOf(call, clientId),
      ...(effort === undefined ? {} : { effort }),
    },
  };
}

/** Identified by its first words, so that a growing conversation keeps its place in the engine's cache. */
export function conversationOf({ messages }: EndpointCall, clientId: string): string {
  const user = messages.findIndex(({ role }) => role === 'user');
  const opening = messages.slice(0, user === -1 ? 1 : user + 1).map((message) => `${message.role}\n${textOf(message)}`);
  return `endpoint:${clientId.slice(0, 12)}:${sha256Of(opening.join('\n\n')).slice(0, 16)}`;
}

/** A text says why the model cannot be asked this. */
function toolForm(call: EndpointCall, info: ModelInfo): ToolForm | string {
  const { toolChoice, tools } = call;
  const { tools: isNative, grammar } = info.capabilities;
  if (tools.length === 0 || toolChoice === 'none') return { tools: [], output: words, system: '', answerTool: null };
  const named = typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  if (named.length === 0) return 'The tool that has to be called is not among the tools.';
  const isForced = toolChoice !== 'auto';
  if (isNative && !isForced) return { tools: named, output: words, system: '', answerTool: null };
  if (!grammar) {
    return isNative
      ? `${info.label} chooses by itself whether it calls a tool; use the tool choice "auto".`
      : `${info.label} cannot call tools.`;
  }
  const answerTool = isForced ? null : freeName(tools);
  const told = answerTool === null ? named : [...named, answerSpec(answerTool)];
  const lines = told.map(({ name, description, inputSchema }) =>
    `${name}(${schemaParameters(inputSchema)}): ${description}`.trim(),
  );
  const how =
    answerTool === null
      ? 'Answer with one call: {"tool": "NAME", "input": {}}'
      : `Answer with one call: {"tool": "NAME", "input": {}}. To say something in words, call ${answerTool}.`;
  return { tools: told, output: { type: 'tool-calls' }, system: `Tools:\n${lines.join('\n')}\n\n${how}`, answerTool };
}

function freeName(tools: readonly ToolSpec[]): string {
  const names = new Set(tools.map(({ name }) => name));
  return ['answer', 'answer_user', 'answer_in_words'].find((name) => !names.has(name)) ?? 'dewpoint_answer';
}

function answerSpec(name: string): ToolSpec {
  return {
    name,
    description: 'Answers the user in words. Use it when no other tool is needed, or when you have their results.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
  };
}

/** Adds a text after the client's own system text, in one system message. */
function withSystem(messages: readonly Message[], text: string): readonly Message[] {
  if (text === '') return messages;
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [textMessage('system', text), ...messages];
  const parts: Part[] = [...first.parts, { type: 'text', text: `\n\n${text}` }];
  return [{ role: 'system', parts }, ...rest];
}
