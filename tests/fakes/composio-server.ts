import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { isRecord } from '../../src/shared/unknown-value.ts';
import type { FakeComposioTool } from './composio-tools.ts';
import {
  appTools,
  manageTool,
  multiTool,
  schemasTool,
  searchTool,
  toolkitNames,
  withoutAccounts,
  workbenchTools,
} from './composio-tools.ts';

type Json = Readonly<Record<string, unknown>>;

interface Account {
  readonly id: string;
  readonly toolkit: string;
  readonly user: string;
  status: string;
}

interface FakeSession {
  readonly id: string;
  readonly user: string;
  readonly body: Json;
}

/** What goes wrong at a step: an error with its status and body, or a broken connection. */
export type Trouble =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'breaks'
  | 'hangs';

/** `create`, `session`, `tools`, `toolkits`, `execute`, `link`, `search`. */
export type Step = string;

export interface FakeComposio {
  readonly url: string;
  readonly key: string;
  /** Every request: its method and path, and the body that was sent. */
  readonly requests: { readonly method: string; readonly path: string; readonly body: Json }[];
  readonly accounts: Account[];
  readonly sessions: Map<string, FakeSession>;
  readonly issues: { readonly title: string; readonly user: string }[];
  readonly sent: string[];
  /** Each entry makes its step fail once. */
  readonly troubles: { readonly step: Step; readonly trouble: Trouble }[];
  /** What the next tool runs meet, in order. When the list is empty, they work. */
  readonly executions: (Trouble | 'works')[];
  /** Ends the sign-in of a toolkit: the person signs in, or does not. */
  readonly signIn: (toolkit: string, status?: string) => void;
  readonly connect: (user: string, toolkit: string) => void;
  /** Another address for the MCP server of new sessions. Null: its own address. */
  mcpUrl: string | null;
  readonly close: () => Promise<void>;
}

/** The documented part of Composio's API that tool router sessions use, with accounts, tools and an issue tracker. */
export async function startFakeComposio(): Promise<FakeComposio> {
  const state: FakeComposio = {
    url: '',
    key: 'ak_fake',
    requests: [],
    accounts: [],
    sessions: new Map(),
    issues: [],
    sent: [],
    troubles: [],
    executions: [],
    signIn: (toolkit, status = 'ACTIVE') => {
      const account = state.accounts.findLast((one) => one.toolkit === toolkit && one.status === 'INITIATED');
      if (account === undefined) throw new Error(`Nobody asked to connect ${toolkit}.`);
      account.status = status;
    },
    connect: (user, toolkit) => {
      state.accounts.push({ id: `ca_${state.accounts.length + 1}`, toolkit, user, status: 'ACTIVE' });
    },
    mcpUrl: null,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = createServer((request, response) => void respond(state, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return Object.assign(state, { url: `http://127.0.0.1:${port}` });
}

const refusal = (status: number, message: string, fix = 'Read the reference.'): Trouble => ({
  status,
  body: { error: { message, status, request_id: 'req_17', suggested_fix: fix, slug: 'E', code: 1 } },
});

async function respond(state: FakeComposio, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const address = new URL(request.url ?? '', state.url);
  const text = Buffer.concat(chunks).toString('utf8');
  const parsed: unknown = text === '' ? {} : JSON.parse(text);
  const body = isRecord(parsed) ? parsed : {};
  const { method = 'GET' } = request;
  state.requests.push({ method, path: `${address.pathname}${address.search}`, body });
  const say = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
  if (request.headers['x-api-key'] !== state.key) {
    fail(refusal(401, 'Invalid API key: it was not found.', 'Use a key of your project.'), say, response);
    return;
  }
  const isMcp = /^\/tool_router\/([^/]+)\/mcp$/.exec(address.pathname);
  if (isMcp !== null) {
    await answerMcp(state, isMcp[1] ?? '', { method, address, text, request }, response);
    return;
  }
  const step = stepOf(method, address.pathname);
  const at = state.troubles.findIndex((one) => one.step === step);
  const met = step === 'execute' ? state.executions.shift() : undefined;
  const trouble = at === -1 ? met : state.troubles.splice(at, 1)[0]?.trouble;
  if (trouble !== undefined && trouble !== 'works') {
    fail(trouble, say, response);
    return;
  }
  const answer = answerTo(state, { step, address, body });
  if ('trouble' in answer) fail(answer.trouble, say, response);
  else say(step === 'create' || step === 'link' ? 201 : 200, answer.value);
}

function fail(
  trouble: Trouble,
  say: (status: number, value: unknown, headers?: Readonly<Record<string, string>>) => void,
  response: ServerResponse,
): void {
  if (trouble === 'hangs') return;
  if (trouble === 'breaks') response.destroy();
  else say(trouble.status, trouble.body, trouble.headers);
}

function stepOf(method: string, path: string): Step {
  if (path === '/api/v3.1/tool_router/session' && method === 'POST') return 'create';
  const [, , step] = /^\/api\/v3\.1\/tool_router\/session\/([^/]+)(?:\/([a-z_]+))?$/.exec(path) ?? [];
  if (/^\/api\/v3\.1\/connected_accounts\/[^/]+$/.test(path)) return 'account';
  return path.startsWith('/api/v3.1/tool_router/session/') ? (step ?? 'session') : 'nothing';
}

interface Asked {
  readonly step: Step;
  readonly address: URL;
  readonly body: Json;
}
type Answer = { readonly value: unknown } | { readonly trouble: Trouble };

const known = ['user_id', 'toolkits', 'tools', 'tags', 'auth_configs', 'connected_accounts', 'manage_connections'];
const knownToo = ['workbench', 'preload', 'search', 'execute', 'multi_account', 'experimental'];

function answerTo(state: FakeComposio, asked: Asked): Answer {
  const { step, address, body } = asked;
  if (step === 'create') return create(state, body);
  const id = address.pathname.split('/').at(step === 'account' ? 4 : 5) ?? '';
  if (step === 'account') {
    const account = state.accounts.find((one) => one.id === id);
    if (account === undefined) return { trouble: refusal(404, 'The connected account was not found.') };
    return { value: accountBody(account) };
  }
  const session = state.sessions.get(id);
  if (session === undefined) return { trouble: refusal(404, 'The session was not found.') };
  switch (step) {
    case 'session':
      return { value: sessionBody(state, session) };
    case 'tools':
      return { value: page(toolsOf(session).map(toolBody), address) };
    case 'toolkits':
      return { value: page(toolkitsOf(state, session, address), address) };
    case 'link':
      return link(state, session, String(body.toolkit));
    case 'search':
      return { value: searchBody(state, session, body) };
    case 'execute':
      return execute(state, session, String(body.tool_slug), isRecord(body.arguments) ? body.arguments : {});
    default:
      return { trouble: refusal(404, 'There is no such path.') };
  }
}

function create(state: FakeComposio, body: Json): Answer {
  const strange = Object.keys(body).filter((key) => !known.includes(key) && !knownToo.includes(key));
  if (strange.length > 0 || typeof body.user_id !== 'string')
    return { trouble: refusal(400, `The request is not valid: ${strange.join(', ')}`) };
  const session = { id: `trs_${state.sessions.size + 1}`, user: body.user_id, body };
  state.sessions.set(session.id, session);
  return { value: sessionBody(state, session) };
}

function sessionBody(state: FakeComposio, { id, user, body }: FakeSession): unknown {
  return {
    session_id: id,
    mcp: { type: 'http', url: state.mcpUrl ?? `${state.url}/tool_router/${id}/mcp` },
    tool_router_tools: toolsOf({ id, user, body }).map(({ slug }) => slug),
    config: {
      user_id: user,
      execute: {},
      search: {},
      preload: { tools: isRecord(body.preload) ? body.preload.tools : [] },
      workbench: body.workbench,
      premium_usage: false,
    },
    config_version: 1,
    warnings: [],
  };
}

function isOn(part: unknown, name: string): boolean {
  return !isRecord(part) || part[name] !== false;
}

function allowed({ body }: FakeSession, toolkit: string): boolean {
  const { toolkits } = body;
  return !isRecord(toolkits) || !Array.isArray(toolkits.enable) || toolkits.enable.includes(toolkit);
}

function toolsOf(session: FakeSession): readonly FakeComposioTool[] {
  const { body } = session;
  const direct = isRecord(body.preload) && body.preload.tools === 'all';
  return [
    ...(isOn(body.search, 'enable') ? [searchTool, schemasTool] : []),
    ...(isOn(body.execute, 'enable_multi_execute') ? [multiTool] : []),
    ...(isOn(body.manage_connections, 'enable') ? [manageTool] : []),
    ...(isOn(body.workbench, 'enable') ? workbenchTools : []),
    ...(direct ? appTools.filter(({ toolkit }) => allowed(session, toolkit)) : []),
  ];
}

function toolBody({ slug, name, description, toolkit, tags, input }: FakeComposioTool): unknown {
  return {
    slug,
    name,
    description,
    toolkit: { slug: toolkit, name: toolkit, logo: '' },
    input_parameters: input,
    output_parameters: { type: 'object', properties: {} },
    no_auth: false,
    available_versions: ['1'],
    version: '1',
    scopes: [],
    scope_requirements: null,
    tags,
    is_deprecated: false,
    deprecated: {
      displayName: name,
      version: '1',
      available_versions: ['1'],
      is_deprecated: false,
      toolkit: { logo: '' },
    },
  };
}

/** Pages hold two items by default and three at most, so that tests see several pages. */
function page(items: readonly unknown[], address: URL): unknown {
  const size = Math.min(Number(address.searchParams.get('limit') ?? '2'), 3);
  const from = Number(address.searchParams.get('cursor') ?? '0');
  const next = from + size;
  return {
    items: items.slice(from, next),
    next_cursor: next < items.length ? String(next) : null,
    total_pages: Math.ceil(items.length / size),
    current_page: from / size + 1,
    total_items: items.length,
  };
}

function accountBody({ id, toolkit, user, status }: Account): unknown {
  const auth = { id: 'ac_1', auth_scheme: 'OAUTH2', is_composio_managed: true, is_disabled: false };
  const at = '2026-11-25T00:00:00Z';
  return {
    id,
    word_id: null,
    alias: null,
    toolkit: { slug: toolkit },
    auth_config: auth,
    user_id: user,
    status,
    status_reason: null,
    created_at: at,
    updated_at: at,
    state: { authScheme: 'OAUTH2', val: { status: 'ACTIVE', access_token: 'REDACTED' } },
    data: {},
    params: {},
    is_disabled: false,
    test_request_endpoint: '',
  };
}

function accountOf(state: FakeComposio, session: FakeSession, toolkit: string): Account | undefined {
  const own = state.accounts.filter((one) => one.toolkit === toolkit && one.user === session.user);
  return own.find(({ status }) => status === 'ACTIVE') ?? own.at(-1);
}

function toolkitsOf(state: FakeComposio, session: FakeSession, address: URL): readonly unknown[] {
  const asked = address.searchParams.getAll('toolkits').flatMap((one) => one.split(','));
  const onlyConnected = address.searchParams.get('is_connected') === 'true';
  return Object.entries(toolkitNames)
    .filter(([slug]) => allowed(session, slug) && (asked.length === 0 || asked.includes(slug)))
    .map(([slug, name]) => ({ slug, name, account: accountOf(state, session, slug) }))
    .filter(({ account }) => !onlyConnected || account?.status === 'ACTIVE')
    .map(({ slug, name, account }) => ({
      slug,
      name,
      enabled: true,
      is_no_auth: withoutAccounts.includes(slug),
      composio_managed_auth_schemes: ['OAUTH2'],
      meta: { logo: 'https://logos.example.org/x.svg', description: name },
      connected_account:
        account === undefined
          ? null
          : {
              id: account.id,
              user_id: account.user,
              status: account.status,
              created_at: '2026-11-25T00:00:00Z',
              auth_config: { id: 'ac_1', auth_scheme: 'OAUTH2', is_composio_managed: true },
            },
    }));
}

function newLink(state: FakeComposio, { user }: FakeSession, toolkit: string) {
  const id = `ca_${state.accounts.length + 1}`;
  state.accounts.push({ id, toolkit, user, status: 'INITIATED' });
  return {
    link_token: `lk_${id}`,
    redirect_url: `https://connect.example.org/link/lk_${id}`,
    connected_account_id: id,
  };
}

function link(state: FakeComposio, session: FakeSession, toolkit: string): Answer {
  if (!(toolkit in toolkitNames)) return { trouble: refusal(400, `There is no toolkit ${toolkit}.`) };
  return { value: newLink(state, session, toolkit) };
}

function searchBody(state: FakeComposio, session: FakeSession, { queries }: Json): unknown {
  const list: readonly unknown[] = Array.isArray(queries) ? queries : [];
  const found = appTools.filter(({ slug, toolkit }) => allowed(session, toolkit) && slug.includes('CREATE'));
  return {
    success: true,
    error: null,
    results: list.map((query, index) => ({
      index: index + 1,
      use_case: isRecord(query) ? String(query.use_case) : '',
      primary_tool_slugs: found.map(({ slug }) => slug),
      related_tool_slugs: [],
      toolkits: found.map(({ toolkit }) => toolkit),
      recommended_plan_steps: ['Create the issue.'],
      known_pitfalls: [],
    })),
    tool_schemas: Object.fromEntries(
      found.map(({ slug, toolkit, input }) => [
        slug,
        { tool_slug: slug, toolkit, hasFullSchema: true, input_schema: input },
      ]),
    ),
    toolkit_connection_statuses: [...new Set(found.map(({ toolkit }) => toolkit))].map((toolkit) => {
      const isActive = accountOf(state, session, toolkit)?.status === 'ACTIVE';
      const status_message = isActive ? 'Connected.' : 'Not connected: use the tool for connections.';
      return { toolkit, description: toolkit, has_active_connection: isActive, status_message };
    }),
    next_steps_guidance: ['Connect what is not connected, then run the tools.'],
    session: { id: 'flow', generate_id: false, instructions: 'Pass it on.' },
    time_info: { current_time_utc: '2026-11-25T00:00:00Z', current_time_utc_epoch_seconds: 1, message: '' },
  };
}

let logs = 0;

function done(data: unknown, error: string | null = null): Answer {
  logs += 1;
  return { value: { data, error, log_id: `log_${logs}` } };
}

function execute(state: FakeComposio, session: FakeSession, slug: string, input: Json): Answer {
  if (![...toolsOf(session), ...appTools].some((tool) => tool.slug === slug))
    return { trouble: refusal(404, `The tool ${slug} was not found.`) };
  switch (slug) {
    case searchTool.slug:
      return done(searchBody(state, session, input));
    case schemasTool.slug:
      return done({
        tool_schemas: Object.fromEntries(appTools.map((tool) => [tool.slug, { input_schema: tool.input }])),
      });
    case manageTool.slug:
      return done(manage(state, session, input));
    case multiTool.slug: {
      const tools: readonly unknown[] = Array.isArray(input.tools) ? input.tools : [];
      const results = tools.map((tool, index) => {
        const inner = isRecord(tool) ? tool : {};
        const given = isRecord(inner.arguments) ? inner.arguments : {};
        const { data, error } = runApp(state, session, String(inner.tool_slug), given);
        return { index, tool_slug: inner.tool_slug, response: { successful: error === null, data, error }, error };
      });
      const failed = results.filter(({ error }) => error !== null).length;
      const counts = { total_count: results.length, success_count: results.length - failed, error_count: failed };
      return done({ results, ...counts }, failed === 0 ? null : `${failed} out of ${results.length} tools failed`);
    }
    default: {
      const { data, error } = runApp(state, session, slug, input);
      return done(data, error);
    }
  }
}

function manage(state: FakeComposio, session: FakeSession, { toolkits }: Json): unknown {
  const asked: readonly unknown[] = Array.isArray(toolkits) ? toolkits : [];
  const results = asked.map((one) => {
    const toolkit = String(one);
    if (accountOf(state, session, toolkit)?.status === 'ACTIVE') return [toolkit, { toolkit, status: 'active' }];
    const { redirect_url } = newLink(state, session, toolkit);
    return [toolkit, { toolkit, status: 'initiated', redirect_url, instruction: 'Show the link.' }];
  });
  return { message: 'See the results.', results: Object.fromEntries(results) };
}

function runApp(state: FakeComposio, session: FakeSession, slug: string, input: Json) {
  const tool = appTools.find((one) => one.slug === slug);
  if (tool === undefined) return { data: {}, error: `The tool ${slug} was not found.` };
  if (accountOf(state, session, tool.toolkit)?.status !== 'ACTIVE')
    return { data: {}, error: `No connected account was found for ${tool.toolkit}.` };
  state.sent.push(`${slug} ${JSON.stringify(input)}`);
  if (slug !== 'GITHUB_CREATE_AN_ISSUE') return { data: { ok: true }, error: null };
  state.issues.push({ title: String(input.title), user: session.user });
  const html_url = `https://github.example.org/${String(input.owner)}/${String(input.repo)}/issues/${state.issues.length}`;
  return { data: { number: state.issues.length, html_url, title: input.title }, error: null };
}

interface McpRequest {
  readonly method: string;
  readonly address: URL;
  readonly text: string;
  readonly request: IncomingMessage;
}

/** The MCP endpoint of a session, served by the reference package. */
async function answerMcp(
  state: FakeComposio,
  id: string,
  { method, address, text, request }: McpRequest,
  response: ServerResponse,
): Promise<void> {
  const session = state.sessions.get(id);
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'composio', version: '1.0.0' });
    if (session === undefined) return server;
    for (const { slug, description, input } of toolsOf(session)) {
      server.registerTool(slug, { description, inputSchema: fromJsonSchema({ ...input }) }, async (given) => {
        const answer = execute(state, session, slug, isRecord(given) ? given : {});
        const value = 'value' in answer && isRecord(answer.value) ? answer.value : { error: 'It failed.' };
        const said = { successful: value.error === null, ...value };
        return { content: [{ type: 'text', text: JSON.stringify(said) }], isError: value.error !== null };
      });
    }
    return server;
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value);
  const asked = new Request(address, { method, headers, ...(text === '' ? {} : { body: text }) });
  const answer = await handler.fetch(asked);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  // A stream of notifications stays open until its client leaves.
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
}
