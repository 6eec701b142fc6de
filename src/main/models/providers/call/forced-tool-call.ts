import { jsonIn } from '@shared/text/json-in.ts';
import type { ModelRequest } from '../define.ts';
import { schemaForWire } from './wire-schema.ts';

/** One call of one of the tools, as the whole answer of a model that is held to a JSON Schema. */
export function callsSchema(tools: ModelRequest['tools']): Readonly<Record<string, unknown>> {
  return { anyOf: tools.map(callSchema) };
}

function callSchema({ name, inputSchema }: ModelRequest['tools'][number]): unknown {
  return {
    type: 'object',
    properties: { tool: { type: 'string', enum: [name] }, input: schemaForWire(inputSchema) },
    required: ['tool', 'input'],
  };
}

/** A call that was forced by the schema above; null where it ended before its end, or the server held to nothing. */
export function callIn(text: string): { readonly name: string; readonly input: unknown } | null {
  const call = jsonIn(text);
  if (typeof call !== 'object' || call === null || !('tool' in call) || !('input' in call)) return null;
  return typeof call.tool === 'string' ? { name: call.tool, input: call.input } : null;
}
