import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { presetValues } from '@shared/tools/preset-values.ts';
import { isRecord } from '@shared/unknown-value.ts';
import type { ConnectedCallWays } from '../../src/main/tools/connected/connected-tool.ts';
import { connectMcp, type McpConnection } from '../../src/main/tools/mcp/mcp-connection.ts';
import { browse, realSignIns, signInDefinition, tableSecrets } from '../../tests/fakes/sign-in-kit.ts';

/**
 * The client under test of the protocol's conformance suite, in a new process for each scenario: Dewpoint's connection
 * to a server, and a user who accepts each form as it is and signs in when asked. The suite gives the address as an
 * argument and the scenario in the environment.
 */
const url = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const given: unknown = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const context = isRecord(given) ? given : {};
const { signal } = new AbortController();
/** A user who is asked again and again stops. */
const mostSignIns = 2;

const how: ConnectedCallWays = {
  signal,
  onProgress: () => undefined,
  door: {
    form: async (_message, form) => ({ action: 'accept', values: presetValues(form) }),
    link: async () => 'accept',
    model: async () => ({ type: 'answered', model: 'made', text: 'Yes.', isWhole: true }),
  },
};

const name = 'conformance';
const home = mkdtempSync(join(tmpdir(), 'dewpoint-conformance-home-'));
const clientId = clientIdOf();
const definition = signInDefinition(url, clientId === null ? {} : { clientId });
const signIns = realSignIns(home, tableSecrets(), {
  clientSecret: async () => (typeof context.client_secret === 'string' ? context.client_secret : null),
});
try {
  await work(0);
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** Makes all wanted calls. If a sign-in is missing, or its rights are too few, the user signs in and it starts over. */
async function work(signedIn: number): Promise<void> {
  const again = async (why: string): Promise<void> => {
    if (signedIn === mostSignIns) throw new Error(why);
    await signIns.start(name, definition, {
      signal,
      onOpen: ({ url: address }) => void browse(address).catch(() => undefined),
    });
    return work(signedIn + 1);
  };
  let connection: McpConnection;
  try {
    connection = await connect();
  } catch (error) {
    return again(String(error));
  }
  try {
    for (const { name: tool, input } of wantedCalls(connection)) {
      const { status, output } = await connection.call(tool, input, how);
      console.log(tool, status, output);
      if (/wants more rights|needs you to sign in/u.test(output)) return await again(output);
    }
  } finally {
    await connection.close();
  }
}

function connect(): Promise<McpConnection> {
  return connectMcp(
    {
      name,
      definition,
      secrets: {},
      fetch,
      auth: signIns.forServer(name, definition),
      start: () => Promise.reject(new Error('Nothing is started for an address.')),
      version: '1',
      onChanged: () => undefined,
    },
    signal,
  );
}

/** The context of one scenario does not name its client document, so its address is written here. */
function clientIdOf(): string | null {
  if (scenario === 'auth/basic-cimd') return 'https://conformance-test.local/client-metadata.json';
  return typeof context.client_id === 'string' ? context.client_id : null;
}

interface WantedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The calls that the scenario names; else each tool once, with the least input that its schema allows. */
function wantedCalls(connection: McpConnection): readonly WantedCall[] {
  if (Array.isArray(context.toolCalls))
    return context.toolCalls.flatMap((one: unknown) =>
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
