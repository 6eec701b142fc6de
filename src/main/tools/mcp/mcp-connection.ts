import type {
  Client,
  JsonSchemaValidator,
  RequestOptions,
  SubscriptionFilter,
  Transport,
} from '@modelcontextprotocol/client';
import { AppError } from '@shared/errors.ts';
import { isSocketAddress, type ServerDefinition } from '@shared/tools/server-definition.ts';
import { definitionsIn, type ListedTools, type ToolDefinitionText } from '../servers/tool-pins.ts';
import type { ServerTasks } from '@shared/tools/task-list.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { z } from 'zod';
import type { OpenSocket } from '../../lib/net/net-socket.ts';
import type { ServiceAccounts } from '../composio/composio-accounts.ts';
import type { ToolResult } from '../define.ts';
import type { ServerAuth } from '../sign-in/server-sign-ins.ts';
import type { ConnectedCallWays } from '../connected/connected-tool.ts';
import type { KeptWay } from './kept-way.ts';
import { readCallResult } from './call-result.ts';
import { cappedFetch } from './capped-fetch.ts';
import { connectError, defaultConnectMs, longConnectMs, longestWhy, SilentServer, whyOf } from './connect-error.ts';
import { sieveLists, type ListSieve } from './sieve-lists.ts';
import { createServerMaterial, type ServerMaterial } from './server-material.ts';
import { createProcessTransport, type ProcessTransport } from './process-transport.ts';
import {
  answerServer,
  createOpenCalls,
  linksIn,
  openLinks,
  ownCapabilities,
  type OpenCalls,
} from './server-questions.ts';
import type { ServerStart, StartServer } from './server-process.ts';
import {
  callInTask,
  followLeftTask,
  followTask,
  LostTask,
  taskIn,
  wantedKeptMs,
  type TaskServer,
  type TaskWays,
} from './server-tasks.ts';
import { listTasks, stopTask } from './listed-tasks.ts';
import { connectSocket } from './socket-process.ts';
import { orNoted } from '../../lib/log.ts';

/** A connection to a running server. */
export interface McpConnection {
  /** The name and version of the server, and the revision of the protocol in use. */
  readonly server: string;
  /** The tools of the latest list. The list may change at any time. */
  readonly tools: () => readonly ToolDefinitionText[];
  /** How many listed tools are ignored. */
  readonly leftOut: () => number;
  /** Names of listed tools that are invalid by the protocol. */
  readonly unusable?: () => readonly string[];
  /** Never rejects. */
  readonly call: (
    tool: string,
    input: Readonly<Record<string, unknown>>,
    how: ConnectedCallWays,
  ) => Promise<ToolResult>;
  /**
   * The result of an earlier call that became this task. Does not call the tool. Never rejects. `refused` and
   * `unknown`: it may be asked for again.
   */
  readonly askTask?: (taskId: string, how: ConnectedCallWays) => Promise<ToolResult>;
  /** The tasks that the server works on. */
  readonly tasks?: {
    readonly list: (signal: AbortSignal) => Promise<ServerTasks>;
    readonly stop: (taskId: string, signal: AbortSignal) => Promise<void>;
  };
  /** Set if the server works with the user's accounts at services. */
  readonly accounts?: ServiceAccounts;
  /** Resources and prompts of the server. Absent: it has only tools. */
  readonly material?: ServerMaterial;
  readonly refresh: (signal: AbortSignal) => Promise<void>;
  readonly isOpen: () => boolean;
  readonly close: () => Promise<void>;
}

export interface ConnectOptions {
  readonly name: string;
  readonly definition: ServerDefinition;
  /** Values of its variables or headers, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Absent: WebSocket addresses cannot be reached. */
  readonly openSocket?: OpenSocket;
  /** How requests to the address are signed in. Null: not at all. */
  readonly auth?: ServerAuth | null;
  readonly start: StartServer;
  readonly version: string;
  /** What is known from an earlier connection. Absent: the protocol is found out each time. */
  readonly way?: KeptWay;
  readonly onChanged: () => void;
  /** Called when its resources or prompts may have changed. */
  readonly onOffers?: () => void;
  readonly onRefused?: NonNullable<ServerStart['onRefused']>;
  /** How long the server may take to answer at the start. Tests make it short. */
  readonly connectMs?: number;
}

/** Callers end a call by its signal. Their deadline excludes the time in which the user thinks about a question. */
const callMs = 24 * 60 * 60_000;

/**
 * Connects to a server and asks for its tools, in the newest revision that both know. Questions of the server during a
 * call go to the caller (`server-questions.ts`). The client package is loaded here and not at the start, because most
 * sessions have no server.
 */
export async function connectMcp(options: ConnectOptions, signal: AbortSignal): Promise<McpConnection> {
  try {
    const isKnown = (await options.way?.isOld()) === true;
    const known = isKnown
      ? await open(options, 'old', signal).catch(orNoted('A tool server did not answer as it did before', null))
      : null;
    if (known !== null) return known;
    return await open(options, 'newest', signal).catch((error: unknown) => {
      if (isKnown || !mayBeOld(options.definition, error) || signal.aborted) throw error;
      return open(options, 'old', signal).catch((second: unknown) => {
        // An answer of the first try says more than one of the second. Silence says nothing.
        throw error instanceof SilentServer ? second : error;
      });
    });
  } catch (error) {
    throw connectError(options, error, null);
  }
}

/**
 * Whether the error may come from an old server. An HTTP address from before 2025 takes no messages there: its event
 * stream names the address for them. Some old programs exit or go silent after an unknown question; they are started
 * again without it.
 */
function mayBeOld({ kind }: ServerDefinition, error: unknown): boolean {
  if (error instanceof SilentServer) return true;
  return kind === 'http' && [400, 404, 405].some((status) => status === fieldOf(error, 'status'));
}

type McpPackage = typeof import('@modelcontextprotocol/client');

async function open(options: ConnectOptions, way: 'newest' | 'old', signal: AbortSignal): Promise<McpConnection> {
  const mcp = await import('@modelcontextprotocol/client');
  const { definition } = options;
  const isSecond = way === 'old' && definition.kind === 'stdio';
  const connectMs = options.connectMs ?? (isSecond ? longConnectMs : defaultConnectMs);
  const client = new mcp.Client(
    { name: 'dewpoint', version: options.version },
    {
      capabilities: ownCapabilities,
      versionNegotiation: { mode: way === 'newest' ? 'auto' : 'legacy', probe: { timeoutMs: connectMs } },
      // No schema of a connected tool runs here, and the shape of a result is not checked.
      jsonSchemaValidator: { getValidator: () => anything },
      listChanged: {
        tools: { onChanged: (error, tools) => (error === null ? take(tools) : undefined) },
        resources: otherOffers(options),
        prompts: otherOffers(options),
      },
    },
  );
  const calls = createOpenCalls();
  const { inTask } = answerServer(client, { calls, definition, isSpecType: mcp.isSpecType });
  const state: { listed: ListedTools; isOpen: boolean } = { listed: definitionsIn([]), isOpen: true };
  const tasks = createTaskServer(client, { isOpen: () => state.isOpen, answer: inTask, becomes: calls.becomes });
  const take = (tools: unknown): void => {
    state.listed = definitionsIn(tools);
    options.onChanged();
  };
  client.onclose = () => {
    state.isOpen = false;
    for (const { wake } of tasks.followed.values()) wake();
    options.onChanged();
  };
  const list = async (stop: AbortSignal): Promise<void> => {
    const { tools } = await client.listTools(undefined, { signal: stop, timeout: connectMs });
    state.listed = definitionsIn(tools);
  };
  let sieve: ListSieve | null = null;
  const unusable = (): readonly string[] => sieve?.unusableTools() ?? [];
  const transport = pipesOf(options, { signal, connectMs });
  try {
    const reached = transport ?? addressTransport(mcp, options, way);
    const isOld = (): boolean => client.getProtocolEra() !== 'modern';
    sieve = sieveLists(reached, { isSpecType: mcp.isSpecType, isOld });
    await client.connect(reached, { signal, timeout: connectMs });
    await list(signal);
    if (way === 'old' || (definition.kind === 'stdio' && isOld())) await options.way?.keepOld();
  } catch (error) {
    await client.close().catch(() => undefined);
    await transport?.close();
    const explained = await options.auth?.explain(error);
    throw explained ?? (transport === null ? error : connectError({ ...options, connectMs }, error, transport));
  }
  const live: Live = {
    client,
    calls,
    tasks,
    listed: () => state.listed,
    endedFor: () => transport?.endedFor() ?? null,
  };
  return {
    server: serverName(client),
    tools: () => state.listed.tools,
    leftOut: () => state.listed.leftOut + unusable().length,
    unusable,
    call: (tool, input, how) => callTool(live, { tool, input, auth: options.auth }, how),
    askTask: (taskId, how) => callTool(live, { tool: '', input: {}, taskId, auth: options.auth }, how),
    tasks: { list: (stop) => listTasks(tasks, stop), stop: (taskId, stop) => stopTask(tasks, taskId, stop) },
    material: createServerMaterial(client),
    refresh: (stop) => list(stop).then(options.onOffers),
    isOpen: () => state.isOpen,
    close: async () => {
      await client.close().catch(() => undefined);
      await transport?.close();
    },
  };
}

function addressTransport(mcp: McpPackage, options: ConnectOptions, way: 'newest' | 'old'): Transport {
  const { definition, auth, secrets } = options;
  const capped = cappedFetch(options.fetch);
  const Way = way === 'newest' ? mcp.StreamableHTTPClientTransport : mcp.SSEClientTransport;
  const transport = new Way(new URL(definition.kind === 'http' ? definition.url : ''), {
    fetch: auth?.noting(capped) ?? capped,
    ...(auth ? { authProvider: auth.provider } : {}),
    requestInit: { headers: { ...secrets } },
    ...(way === 'newest' ? { reconnectionScheduler: reconnectLater } : {}),
  });
  return transport as Transport;
}

function otherOffers({ onOffers }: ConnectOptions) {
  return { autoRefresh: false, onChanged: () => onOffers?.() };
}

/** Null: the server is reached by HTTP. */
function pipesOf(
  { name, definition, secrets, start, openSocket, onRefused = () => undefined }: ConnectOptions,
  { signal, connectMs }: { readonly signal: AbortSignal; readonly connectMs: number },
): ProcessTransport | null {
  if (definition.kind === 'stdio')
    return createProcessTransport((onOutput) => start({ name, definition, env: secrets, onOutput, onRefused }, signal));
  if (definition.kind !== 'http' || !isSocketAddress(definition)) return null;
  if (openSocket === undefined) throw new AppError('bad-input', `No WebSocket is opened for ${name}.`);
  const server = { url: new URL(definition.url), headers: secrets, open: openSocket };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
  return createProcessTransport((onOutput) => connectSocket({ ...server, signal: limit }, onOutput));
}

/** The server chooses the delay. Without a minimum, a delay of zero would keep this program busy. */
function reconnectLater(reconnect: () => void, delayMs: number): () => void {
  const timer = setTimeout(reconnect, Math.max(delayMs, 1_000));
  return () => clearTimeout(timer);
}

/** Nothing relies on the type of a result: `readCallResult` checks each part. */
const anything: JsonSchemaValidator<never> = (input) => ({
  valid: true,
  data: input as never,
  errorMessage: undefined,
});

function serverName(client: Client): string {
  const server = client.getServerVersion();
  const named = server === undefined ? 'a server without a name' : `${server.name} ${server.version}`;
  return `${named.slice(0, 100)}, MCP ${client.getNegotiatedProtocolVersion() ?? 'of unknown version'}`;
}

interface Call {
  readonly auth: ConnectOptions['auth'] | undefined;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Set for an earlier call that became this task: only the task is asked for. */
  readonly taskId?: string;
}

interface Live {
  readonly client: Client;
  readonly calls: OpenCalls;
  readonly tasks: TaskServer;
  readonly listed: () => ListedTools;
  readonly endedFor: () => string | null;
}

/** Shortest time between two progress updates, because nobody can read faster ones. */
const progressMs = 50;

/** Whether the tool is called as a task. In the 2026 revision the server decides that itself. */
function isTask(client: Client, { asTasks }: ListedTools, tool: string): boolean {
  const requests = fieldOf(client.getServerCapabilities()?.tasks, 'requests');
  const canBe = fieldOf(fieldOf(requests, 'tools'), 'call') !== undefined;
  return canBe && client.getProtocolEra() !== 'modern' && asTasks.has(tool);
}

/** How long a server may take to confirm that it will send notices. */
const listenMs = 20_000;
const anyResult = z.record(z.string(), z.unknown());

function createTaskServer(client: Client, ways: Pick<TaskServer, 'isOpen' | 'answer' | 'becomes'>): TaskServer {
  const followed: TaskServer['followed'] = new Map();
  // The names in the 2025 and the 2026 revision.
  for (const method of ['notifications/tasks/status', 'notifications/tasks'])
    client.setNotificationHandler(method, { params: anyResult }, ({ taskId }) => followed.get(String(taskId))?.wake());
  return {
    get isModern() {
      return client.getProtocolEra() === 'modern';
    },
    get canCancel() {
      return this.isModern || fieldOf(client.getServerCapabilities()?.tasks, 'cancel') !== undefined;
    },
    get canList() {
      return !this.isModern && fieldOf(client.getServerCapabilities()?.tasks, 'list') !== undefined;
    },
    ask: (method, params, signal) => client.request({ method, params }, anyResult, { signal, timeout: callMs }),
    listen: (taskId, signal) => {
      const filter: SubscriptionFilter & { readonly taskIds: readonly string[] } = { taskIds: [taskId] };
      // Without notices, the task is still polled.
      client.listen(filter, { signal, timeout: listenMs }).catch(() => undefined);
    },
    followed,
    ...ways,
  };
}

async function callTool(
  { client, calls, tasks, listed, endedFor }: Live,
  { tool, input, taskId, auth }: Call,
  { signal, onProgress, door, folder = null, noteTask }: ConnectedCallWays,
): Promise<ToolResult> {
  const notes: string[] = [];
  let quietUntil = 0;
  const onprogress: RequestOptions['onprogress'] = ({ progress, total, message }) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + progressMs;
    const text = [`${progress}${total === undefined ? '' : ` of ${total}`}`, message ?? ''].join(' ').trim();
    onProgress(text.slice(0, longestWhy));
  };
  const params = { name: tool, arguments: { ...input } };
  const ways: TaskWays = {
    signal,
    onBegan: taskId === undefined ? noteTask : undefined,
    during: door?.whileTask ?? ((work) => work()),
    onStatus: (text) => onProgress(text.slice(0, longestWhy)),
  };
  const once = (): Promise<unknown> =>
    calls.during({ door, folder, notes }, async () => {
      if (taskId !== undefined) return followLeftTask(tasks, taskId, ways);
      if (isTask(client, listed(), tool))
        return callInTask(tasks, ways, (stop) =>
          client.request({ method: 'tools/call', params: { ...params, task: { ttl: wantedKeptMs } } }, anyResult, {
            signal: stop,
            timeout: callMs,
            onprogress,
          }),
        );
      const answer = await client.callTool(params, { signal, timeout: callMs, onprogress });
      const began = tasks.isModern ? taskIn(answer) : null;
      return began === null ? answer : followTask(tasks, began, ways);
    });
  try {
    const result = await once().catch(async (error: unknown) => {
      // The server did nothing yet: it wants links to be opened first. Then the tool is called once more.
      const links = linksIn(error);
      if (links.length === 0 || door === undefined || !(await openLinks(door, links))) throw error;
      return once();
    });
    return withNotes(readCallResult(result), notes);
  } catch (error) {
    return withNotes(
      await failedCall(error, { signal, endedFor: endedFor(), auth, isLeft: taskId !== undefined }),
      notes,
    );
  }
}

interface CallEnd {
  readonly signal: AbortSignal;
  /** Why its program was ended. Null: it runs, or there is no program. */
  readonly endedFor: string | null;
  readonly auth: ConnectOptions['auth'] | undefined;
  /** The call only asked for an earlier task. Then an outcome that can never be known counts as an error. */
  readonly isLeft: boolean;
}

async function failedCall(error: unknown, { signal, endedFor, auth, isLeft }: CallEnd): Promise<ToolResult> {
  if (signal.aborted) return { status: 'cancelled', output: 'It was cancelled. The server may have done some of it.' };
  if (error instanceof LostTask) {
    const output = `What became of it is not known: ${error.message}.`;
    return { status: isLeft && error.isFinal ? 'error' : 'unknown', output };
  }
  // The request was refused before the server worked on it.
  const refusal = error instanceof AppError ? error : await auth?.explain(error);
  if (refusal instanceof AppError) {
    const output = `${refusal.message} ${refusal.hint ?? ''} Nothing was done.`;
    return { status: isLeft ? 'refused' : 'error', output };
  }
  const why = endedFor ?? whyOf(error);
  if (/timed? ?out/iu.test(why)) return { status: 'timed-out', output: `The server did not answer: ${why}` };
  // The request was sent but not answered, so the outcome is unknown.
  if (endedFor !== null || /clos|not running|terminated|socket|ECONN|fetch failed/iu.test(why))
    return { status: 'unknown', output: `The server went away before it answered (${why}).` };
  return { status: 'error', output: `The call ended with an error: ${why}` };
}

/** Adds notes in Dewpoint's words, separate from the words of the server. */
function withNotes(result: ToolResult, notes: readonly string[]): ToolResult {
  const told = [...new Set(notes)].map((note) => `(${note})`);
  return told.length === 0 ? result : { ...result, output: [result.output, ...told].join('\n') };
}
