import { jsonIn } from '@shared/text/json-in.ts';
import type { ModelRequest } from '../define.ts';
import { schemaForWire } from './wire-schema.ts';

/** The schema of an answer that is exactly one call of one of the tools. */
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

/**
 * Reads a call that was forced by this schema. Null if the answer was cut off, or the server did not enforce the
 * schema.
 */
export function callIn(text: string): { readonly name: string; readonly input: unknown } | null {
  const call = jsonIn(text);
  if (typeof call !== 'object' || call === null || !('tool' in call) || !('input' in call)) return null;
  return typeof call.tool === 'string' ? { name: call.tool, input: call.input } : null;
}
