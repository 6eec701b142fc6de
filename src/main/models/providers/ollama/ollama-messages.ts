import { textOf } from '@shared/models/model-messages.ts';
import type { ModelRequest } from '../define.ts';
import type { FittedTurn } from '../call/fit-history.ts';
import { fitHistory } from '../call/fit-history.ts';
import { callsSchema } from '../call/forced-tool-call.ts';
import { functionTool, schemaForWire } from '../call/wire-schema.ts';

export interface OllamaTarget {
  /** `ollama/MODEL`. Only its own thoughts are sent back to it. */
  readonly by: string;
  readonly images: boolean;
  readonly thinks: boolean;
  /** It has levels of thinking instead of on and off. */
  readonly hasLevels: boolean;
}

/** Ollama accepts any call id. Ids only connect calls with their results. */
const callId = { pattern: /^[\w-]{1,64}$/, length: 24 };

/** The part of a request to `/api/chat` that differs between calls. */
export function toOllamaWire(request: ModelRequest, target: OllamaTarget): Readonly<Record<string, unknown>> {
  const history = fitHistory(request.messages, { ...target, callId });
  const format = formatOf(request);
  return {
    messages: [
      ...(history.system === '' ? [] : [{ role: 'system', content: history.system }]),
      ...history.turns.flatMap((turn) => wireMessages(turn)),
    ],
    ...(format === null ? {} : { format }),
    ...(request.tools.length === 0 || request.output.type === 'tool-calls'
      ? {}
      : { tools: request.tools.map(functionTool) }),
    ...(target.thinks && request.effort !== undefined ? { think: thinkOf(request.effort, target.hasLevels) } : {}),
  };
}

/** Sampling options. None of them makes the server reload the model. */
export function samplingOf(request: ModelRequest): Readonly<Record<string, unknown>> {
  return {
    temperature: request.temperature,
    top_p: request.topP,
    num_predict: request.maxOutputTokens,
    ...(request.seed === null ? {} : { seed: request.seed }),
    ...(request.stop.length === 0 ? {} : { stop: [...request.stop] }),
  };
}

function thinkOf(effort: NonNullable<ModelRequest['effort']>, hasLevels: boolean): boolean | string {
  if (!hasLevels) return effort !== 'none';
  return effort === 'none' ? 'low' : effort === 'max' ? 'high' : effort;
}

function formatOf({ output, tools }: ModelRequest): unknown {
  switch (output.type) {
    case 'text':
      return null;
    case 'json-schema':
      return schemaForWire(output.schema);
    case 'choice':
      return { type: 'string', enum: [...output.options] };
    case 'tool-calls':
      return callsSchema(tools);
    default:
      return output satisfies never;
  }
}

function wireMessages(turn: FittedTurn): readonly unknown[] {
  if (turn.role === 'user') {
    const texts = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const images = turn.parts.flatMap((part) => (part.type === 'image' ? [part.data] : []));
    return [{ role: 'user', content: texts.join('\n\n'), ...(images.length === 0 ? {} : { images }) }];
  }
  const text = textOf(turn);
  const thinking = turn.parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const calls = turn.parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  return [
    {
      role: 'assistant',
      content: text,
      ...(thinking === '' ? {} : { thinking }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, name, input }, index) => ({
              id,
              function: { index, name, arguments: input },
            })),
          }),
    },
    ...turn.results.map(({ id, name, text: said }) => ({
      role: 'tool',
      content: said,
      tool_name: name,
      tool_call_id: id,
    })),
  ];
}
