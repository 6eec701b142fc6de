type Schema = Readonly<Record<string, unknown>>;

/**
 * The schema of one call of one of the tools: `{"tool": NAME, "input": {…}}`, with the input by the tool's own
 * schema.
 */
export function toolCallSchema(tools: readonly { readonly name: string; readonly inputSchema: Schema }[]): Schema {
  const inputs = tools.map((tool, index) => [
    `tool${index}`,
    withMovedReferences(tool.inputSchema, `#/$defs/tool${index}`),
  ]);
  return {
    $defs: Object.fromEntries(inputs),
    anyOf: tools.map((tool, index) => ({
      type: 'object',
      properties: { tool: { const: tool.name }, input: { $ref: `#/$defs/tool${index}` } },
      required: ['tool', 'input'],
      additionalProperties: false,
    })),
  };
}

/** The schema as part of a larger document. Its own references are adjusted to its new place. */
function withMovedReferences(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withMovedReferences(item, base));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' && inner.startsWith('#')
        ? base + inner.slice(1)
        : withMovedReferences(inner, base),
    ]),
  );
}
