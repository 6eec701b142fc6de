import { presetValues } from '@shared/tools/preset-values.ts';
import { serverDefinitionSchema } from '@shared/tools/server-definition.ts';
import { isRecord } from '@shared/unknown-value.ts';
import type { ForeignCallWays } from '../../src/main/tools/foreign/foreign-tool.ts';
import { connectMcp } from '../../src/main/tools/mcp/mcp-connection.ts';

/**
 * The client under test of the protocol's conformance suite, a process of its own for each scenario: Dewpoint's way to a
 * server, and a person who says yes to each form as it stands. The suite gives the address, and the scenario by the environment.
 */
const url = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const { signal } = new AbortController();

const how: ForeignCallWays = {
  signal,
  onProgress: () => undefined,
  door: {
    form: async (_message, form) => ({ action: 'accept', values: presetValues(form) }),
    link: async () => 'accept',
  },
};

const connection = await connectMcp(
  {
    name: 'conformance',
    definition: serverDefinitionSchema.parse({ kind: 'http', url }),
    secrets: {},
    fetch,
    start: () => Promise.reject(new Error('Nothing is started for an address.')),
    version: '1',
    onChanged: () => undefined,
  },
  signal,
);
for (const { name, input } of wantedCalls()) {
  const { status, output } = await connection.call(name, input, how);
  console.log(name, status, output);
}
await connection.close();

interface WantedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** As the scenario says; else each tool once, with the least that its schema asks for. */
function wantedCalls(): readonly WantedCall[] {
  const context: unknown = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  const given = isRecord(context) && Array.isArray(context.toolCalls) ? context.toolCalls : null;
  if (given !== null)
    return given.flatMap((one: unknown) =>
      isRecord(one) && isRecord(one.arguments) ? [{ name: String(one.name), input: one.arguments }] : [],
    );
  const tools = connection.tools();
  if (scenario === 'json-schema-2020-12-preservation') {
    const [focal] = tools.filter(({ name }) => name !== 'json_schema_echo');
    return [{ name: 'json_schema_echo', input: { schema: focal?.inputSchema ?? {} } }];
  }
  return tools.map(({ name, inputSchema }) => ({ name, input: leastInput(inputSchema) }));
}

function leastInput({ properties, required }: Readonly<Record<string, unknown>>): WantedCall['input'] {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const known = isRecord(properties) ? properties : {};
  return Object.fromEntries(
    names.filter((name) => typeof name === 'string').map((name) => [name, leastValue(known[name])]),
  );
}

function leastValue(property: unknown): unknown {
  const type = isRecord(property) ? property.type : null;
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  return type === 'object' ? {} : 'x';
}
