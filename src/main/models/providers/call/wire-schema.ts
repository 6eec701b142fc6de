/** A JSON Schema without `$schema`, which some services refuse. */
export function schemaForWire(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}
