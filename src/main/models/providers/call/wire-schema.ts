import type { ModelRequest } from '../define.ts';

/** A JSON Schema without `$schema`, which some services refuse. */
export function schemaForWire(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

/** A tool in the form of Chat Completions, which Ollama takes, too. */
export function functionTool({ name, description, inputSchema }: ModelRequest['tools'][number]) {
  return { type: 'function' as const, function: { name, description, parameters: schemaForWire(inputSchema) } };
}
