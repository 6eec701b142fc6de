import { z } from 'zod';
import { AppError, messageOf } from '@shared/errors.ts';
import type { ComposioDefinition } from '@shared/tools/composio.ts';
import { composioKeyName } from '@shared/tools/composio.ts';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { jsonIn } from '@shared/text/json-in.ts';
import { sleep } from '../../lib/async/abort.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import type { ToolResult } from '../define.ts';
import type { ConnectedCallWays } from '../connected/connected-tool.ts';
import type { ConnectOptions, McpConnection } from '../mcp/mcp-connection.ts';
import { connectMcp } from '../mcp/mcp-connection.ts';
import { definitionsIn } from '../servers/tool-pins.ts';
import { serverText } from '../values/tool-results.ts';
import type { ServiceAccounts } from './composio-accounts.ts';
import { createAccounts } from './composio-accounts.ts';
import type { ComposioApi } from './composio-api.ts';
import { createComposioApi } from './composio-api.ts';
import type { ComposioSession, KeptSession } from './composio-session.ts';
import { itemsOf, openSession, pathOf } from './composio-session.ts';
import type { ConnectionLink } from './connection-links.ts';
import { linksIn } from './connection-links.ts';

export interface ComposioOptions extends Omit<ConnectOptions, 'definition'> {
  readonly definition: ComposioDefinition;
  readonly kept: KeptSession;
  readonly pollMs?: number;
}

const defaultConnectMs = 20_000;
const callMs = 10 * 60_000;

/**
 * A session of Composio's tool router, reached by its API or by its MCP server. The session lists the names and schemas
 * of its tools. Accounts are always connected through the API.
 */
export async function connectComposio(options: ComposioOptions, signal: AbortSignal): Promise<McpConnection> {
  const { definition, secrets, name } = options;
  const key = secrets[composioKeyName] ?? '';
  const api = createComposioApi({
    url: definition.url,
    key,
    fetch: options.fetch,
    timeoutMs: options.connectMs ?? defaultConnectMs,
  });
  const session = await openSession(api, definition, options.kept, signal);
  const { pollMs } = options;
  const accounts = createAccounts({ name, api, session, definition, ...(pollMs === undefined ? {} : { pollMs }) });
  const reached =
    definition.mode === 'mcp'
      ? await byMcp(options, session, key, signal)
      : await byApi({ api, session, onChanged: options.onChanged }, signal);
  return {
    ...reached,
    accounts,
    call: async (tool, input, how) => {
      const result = await reached.call(tool, input, how);
      const links = linksIn(resultData(result));
      const settled = links.length === 0 ? result : await connectAll(name, { accounts, links, result }, how);
      return { status: settled.status, output: settled.output, ...logOf(result) };
    },
  };
}

async function byMcp(
  options: ComposioOptions,
  { mcpUrl }: ComposioSession,
  key: string,
  signal: AbortSignal,
): Promise<McpConnection> {
  if (mcpUrl === '') {
    throw new AppError('refused', `The MCP server of the session is not at ${options.definition.url}. It got no key.`, {
      hint: 'Use the mode "native" for this server.',
    });
  }
  const { fetch: reach } = options;
  // A redirect would take the key along.
  const strict: typeof fetch = (input, init) => reach(input, { ...init, redirect: 'error' });
  const definition: ServerDefinition = { kind: 'http', url: mcpUrl, headers: [composioKeyName], staysHere: false };
  return connectMcp({ ...options, definition, secrets: { [composioKeyName]: key }, fetch: strict }, signal);
}

interface ApiParts {
  readonly api: ComposioApi;
  readonly session: ComposioSession;
  readonly onChanged: () => void;
}

const listedToolSchema = z.object({
  slug: z.string(),
  name: z.string().optional(),
  description: z.string().default(''),
  input_parameters: z.record(z.string(), z.unknown()),
  output_parameters: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(z.string()).default([]),
});

async function byApi({ api, session, onChanged }: ApiParts, signal: AbortSignal): Promise<McpConnection> {
  const state = { listed: definitionsIn([]), isOpen: true };
  const close = (): void => {
    state.isOpen = false;
    onChanged();
  };
  const list = async (stop: AbortSignal): Promise<void> => {
    const path = pathOf(session.id, '/tools');
    const what = 'Composio did not list the tools of the session';
    const items = await itemsOf(api, { path, query: { limit: '500' }, what }, stop);
    state.listed = definitionsIn(items.map(asDefinition));
  };
  await list(signal);
  return {
    server: `Composio, session ${session.id.slice(0, 60)}`,
    tools: () => state.listed.tools,
    leftOut: () => state.listed.leftOut,
    call: async (tool, input, { signal: stop }) => {
      const path = pathOf(session.id, '/execute');
      const body = { tool_slug: tool, arguments: input };
      try {
        const answer = await api({ method: 'POST', path, body, timeoutMs: callMs }, stop);
        // The session may have ended. The next call checks, and makes a new one if so.
        if (answer.type === 'refused' && answer.status === 404) close();
        if (answer.type === 'ok') return resultOf(answer.body);
        if (answer.type === 'refused') {
          const end = answer.mayHaveRun ? 'It may have done some of it.' : 'It did nothing.';
          return { status: answer.mayHaveRun ? 'unknown' : 'error', output: `${answer.text} ${end}` };
        }
        return answer.wasSent
          ? {
              status: 'unknown',
              output: `Composio went away before it answered (${answer.text}). It may have done some of it.`,
            }
          : { status: 'error', output: `Composio was not reached, and nothing was sent: ${answer.text}.` };
      } catch {
        return { status: 'cancelled', output: 'It was cancelled. Composio may have done some of it.' };
      }
    },
    refresh: list,
    isOpen: () => state.isOpen,
    close: async () => {
      state.isOpen = false;
    },
  };
}

/** A tool that the session lists, in the form that is approved and kept. Its tags are the service's own words. */
function asDefinition(item: unknown): unknown {
  const parsed = listedToolSchema.safeParse(item);
  if (!parsed.success) return null;
  const { slug, name, description, input_parameters: inputSchema, output_parameters: outputSchema, tags } = parsed.data;
  const hints = tags.filter((tag) => tag.endsWith('Hint'));
  return {
    name: slug,
    ...(name === undefined || name === slug ? {} : { title: name }),
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(hints.length === 0 ? {} : { annotations: Object.fromEntries(hints.map((hint) => [hint, true])) }),
  };
}

const answerSchema = z.object({
  data: z.unknown().optional(),
  error: z.string().nullable().default(null),
  log_id: z.string().optional(),
});

function resultOf(body: unknown): ToolResult {
  const parsed = answerSchema.safeParse(body);
  if (!parsed.success) return { status: 'error', output: `Composio answered in an unknown form: ${jsonText(body)}` };
  const { data, error, log_id: log } = parsed.data;
  const kept = { data: { answer: data, ...(log === undefined ? {} : { log }) } };
  if (error === null) return { status: 'ok', output: jsonText(data), ...kept };
  const rest = isRecord(data) && Object.keys(data).length > 0 ? `\n${jsonText(data)}` : '';
  const number = log === undefined ? '' : ` (log ${log})`;
  return { status: 'error', output: `Composio says: ${error}${number}${rest}`, ...kept };
}

function jsonText(value: unknown): string {
  return serverText(typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? ''));
}

/** A result as data: from the API, or parsed from the text of the MCP server. */
function resultData({ data, output }: ToolResult): unknown {
  if (isRecord(data) && 'answer' in data) return data.answer;
  // A text in words has links, too; those are for the model to tell.
  return output.includes('redirect_url') ? jsonIn(output) : null;
}

/** The id under which Composio keeps the call. Of the answer itself only the text is kept. */
function logOf({ data }: ToolResult): Pick<ToolResult, 'data'> {
  return isRecord(data) && typeof data.log === 'string' ? { data: { log: data.log } } : {};
}

interface Pending {
  readonly accounts: ServiceAccounts;
  readonly links: readonly ConnectionLink[];
  readonly result: ToolResult;
}

/** Shows each link to the user and waits for the account or an answer. Never rejects. */
async function connectAll(
  name: string,
  { accounts, links, result }: Pending,
  how: ConnectedCallWays,
): Promise<ToolResult> {
  const lines: string[] = [];
  for (const link of links) {
    const what = link.toolkit ?? 'an account';
    const said = await connectOne(name, accounts, link, how).catch((error: unknown) => messageOf(error));
    if (how.signal.aborted)
      return { status: 'cancelled', output: `It was cancelled while ${what} was being connected.` };
    lines.push(`${what}: ${said}`);
  }
  return { ...result, output: [result.output, ...lines].join('\n') };
}

/** After the user says that an account is connected, the service may take a moment to notice. */
const graceMs = 15_000;

async function connectOne(
  name: string,
  accounts: ServiceAccounts,
  { url, toolkit }: ConnectionLink,
  { signal, askToConnect }: ConnectedCallWays,
): Promise<string> {
  const byHand = toolkit === null ? '' : ` It can be done later by: dewpoint tools connect ${name} ${toolkit}`;
  if (askToConnect === undefined) return `nobody could be asked to connect it.${byHand}`;
  const stop = childAbort(signal);
  try {
    let problem = '';
    const settled =
      toolkit === null
        ? null
        : accounts.connected(toolkit, stop.signal).then(
            () => 'allow' as const,
            (error: unknown) => {
              problem = ` ${messageOf(error)}`;
              return 'deny' as const;
            },
          );
    const answer = await askToConnect({ server: name, toolkit, url }, settled);
    if (answer === 'deny') return `it was not connected.${problem}${byHand}`;
    if (answer === 'nobody') return `there was nobody to connect it.${byHand}`;
    if (settled === null) return 'the person says that it is connected.';
    const end = await Promise.race([settled, sleep(graceMs, stop.signal).then(() => 'deny' as const)]);
    return end === 'allow' ? 'connected.' : `the person says that it is connected, but Composio does not.${problem}`;
  } finally {
    stop.abort();
    stop.release();
  }
}
