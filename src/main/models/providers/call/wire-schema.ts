/** A JSON Schema as services take it: without the address of its dialect, which some refuse. */
export function schemaForWire(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}
