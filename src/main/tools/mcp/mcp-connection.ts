import type {
  Client,
  JsonSchemaValidator,
  RequestOptions,
  SubscriptionFilter,
  Transport,
} from '@modelcontextprotocol/client';
import { AppError, messageOf } from '@shared/errors.ts';
import { isSocketAddress, type ServerDefinition } from '@shared/tools/server-definition.ts';
import { definitionsIn, type ListedTools, type ToolDefinitionText } from '../servers/tool-pins.ts';
import type { ServerTasks } from '@shared/tools/task-list.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { z } from 'zod';
import type { OpenSocket } from '../../lib/net/net-socket.ts';
import type { ServiceAccounts } from '../composio/composio-accounts.ts';
import type { ToolResult } from '../define.ts';
import type { ServerAuth } from '../sign-in/server-sign-ins.ts';
import type { ForeignCallWays } from '../foreign/foreign-tool.ts';
import type { KeptWay } from './kept-way.ts';
import { readCallResult } from './call-result.ts';
import { cappedFetch } from './capped-fetch.ts';
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
import type { StartServer } from './server-process.ts';
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

/** A server that answers. */
export interface McpConnection {
  /** What it calls itself, and the revision of the protocol that both speak. */
  readonly server: string;
  /** As it listed them last; it may list others at any time. */
  readonly tools: () => readonly ToolDefinitionText[];
  /** How many it listed that are not looked at. */
  readonly leftOut: () => number;
  /** Those of them that are no tools as the protocol has them, by their names. */
  readonly unusable?: () => readonly string[];
  /** Never rejects. */
  readonly call: (tool: string, input: Readonly<Record<string, unknown>>, how: ForeignCallWays) => Promise<ToolResult>;
  /** The result of a call that was made before and became this task: nothing is called. Never rejects; `refused` and `unknown`: it may be asked for again. */
  readonly askTask?: (taskId: string, how: ForeignCallWays) => Promise<ToolResult>;
  /** What it works on beside its answers. */
  readonly tasks?: {
    readonly list: (signal: AbortSignal) => Promise<ServerTasks>;
    readonly stop: (taskId: string, signal: AbortSignal) => Promise<void>;
  };
  /** Set where it works through accounts of the person at services. */
  readonly accounts?: ServiceAccounts;
  /** What it has for the person; absent: nothing but tools. */
  readonly material?: ServerMaterial;
  readonly refresh: (signal: AbortSignal) => Promise<void>;
  readonly isOpen: () => boolean;
  readonly close: () => Promise<void>;
}

export interface ConnectOptions {
  readonly name: string;
  readonly definition: ServerDefinition;
  /** The values of its variables or headers, by their names. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Absent: no address of WebSockets is reached. */
  readonly openSocket?: OpenSocket;
  /** What an address is signed in by; null: nothing. */
  readonly auth?: ServerAuth | null;
  readonly start: StartServer;
  readonly version: string;
  /** What is known of it from before; absent: it is asked each time. */
  readonly way?: KeptWay;
  readonly onChanged: () => void;
  /** What it has for the person may be another by now. */
  readonly onOffers?: () => void;
  /** How long it may take to answer at the start; tests make it short. */
  readonly connectMs?: number;
}

const defaultConnectMs = 20_000;
/** A server may write a book as its error. */
const longestWhy = 600;
/** Whoever calls ends it by the signal: how long a person thinks about a question of the server is not counted there. */
const callMs = 24 * 60 * 60_000;

/**
 * Connects to a server and asks for its tools. It speaks the newest revision that both know. What the server asks for
 * while it works on a call goes to whoever called (`server-questions.ts`). The package is loaded here and not at the start,
 * for most sessions have no server.
 */
export async function connectMcp(options: ConnectOptions, signal: AbortSignal): Promise<McpConnection> {
  try {
    const isKnown = (await options.way?.isOld()) === true;
    const known = isKnown ? await open(options, 'old', signal).catch(() => null) : null;
    if (known !== null) return known;
    return await open(options, 'newest', signal).catch((error: unknown) => {
      if (!mayBeOld(options.definition, error) || signal.aborted) throw error;
      // What it says to that counts less.
      return open(options, 'old', signal).catch(() => {
        throw error;
      });
    });
  } catch (error) {
    throw connectError(options, error, null);
  }
}

/**
 * An address of before 2025 takes no messages: they go where its stream of events says. Some old programs end, or say
 * nothing any more, when they are asked what they do not know: they are started again and not asked.
 */
function mayBeOld({ kind }: ServerDefinition, error: unknown): boolean {
  if (error instanceof SilentServer) return true;
  return kind === 'http' && [400, 404, 405].some((status) => status === fieldOf(error, 'status'));
}

class SilentServer extends AppError {}

type McpPackage = typeof import('@modelcontextprotocol/client');

async function open(options: ConnectOptions, way: 'newest' | 'old', signal: AbortSignal): Promise<McpConnection> {
  const mcp = await import('@modelcontextprotocol/client');
  const { definition } = options;
  const connectMs = options.connectMs ?? defaultConnectMs;
  const client = new mcp.Client(
    { name: 'dewpoint', version: options.version },
    {
      capabilities: ownCapabilities,
      versionNegotiation: { mode: way === 'newest' ? 'auto' : 'legacy', probe: { timeoutMs: connectMs } },
      // What a result looks like is its server's affair: no schema of a stranger runs here.
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
    throw explained ?? (transport === null ? error : connectError(options, error, transport));
  }
  const live: Live = {
    client,
    calls,
    tasks,
    listed: () => state.listed,
    endedFor: () => transport?.endedFor() ?? null,
  };
  return {
    server: nameOf(client),
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

/** Null: it is reached by HTTP. */
function pipesOf(
  { name, definition, secrets, start, openSocket }: ConnectOptions,
  { signal, connectMs }: { readonly signal: AbortSignal; readonly connectMs: number },
): ProcessTransport | null {
  if (definition.kind === 'stdio')
    return createProcessTransport((onOutput) => start({ name, definition, env: secrets, onOutput }, signal), connectMs);
  if (definition.kind !== 'http' || !isSocketAddress(definition)) return null;
  if (openSocket === undefined) throw new AppError('bad-input', `No WebSocket is opened for ${name}.`);
  const server = { url: new URL(definition.url), headers: secrets, open: openSocket };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
  return createProcessTransport((onOutput) => connectSocket({ ...server, signal: limit }, onOutput), connectMs);
}

/** A server says itself how long to wait: none at all would keep this program busy. */
function reconnectLater(reconnect: () => void, delayMs: number): () => void {
  const timer = setTimeout(reconnect, Math.max(delayMs, 1_000));
  return () => clearTimeout(timer);
}

/** Nobody reads a result by its type: `readCallResult` looks at each part. */
const anything: JsonSchemaValidator<never> = (input) => ({
  valid: true,
  data: input as never,
  errorMessage: undefined,
});

function nameOf(client: Client): string {
  const server = client.getServerVersion();
  const named = server === undefined ? 'a server without a name' : `${server.name} ${server.version}`;
  return `${named.slice(0, 100)}, MCP ${client.getNegotiatedProtocolVersion() ?? 'of unknown version'}`;
}

function connectError(
  { name, definition }: ConnectOptions,
  error: unknown,
  transport: ProcessTransport | null,
): AppError {
  if (error instanceof AppError) return error;
  const why = transport?.endedFor() ?? whyOf(error);
  const needsKey = definition.kind === 'http' && /\b40[13]\b|unauthori[sz]ed|forbidden/iu.test(why);
  const hint = needsKey
    ? `It does not take the key that it was given. Set another: dewpoint tools secret ${name} Authorization`
    : definition.kind === 'http'
      ? 'Check its address, and whether it runs.'
      : 'Check its command and its arguments.';
  const said = transport?.said() ?? '';
  const printed = said === '' ? '' : ` It printed: ${said.slice(-600)}`;
  const Kind = transport?.isSilent() === true ? SilentServer : AppError;
  return new Kind('network', `The tool server ${name} could not be used: ${why}.${printed}`, { hint });
}

/** A stack that overflowed is the client package's, which looks into all that it gets. */
function whyOf(error: unknown): string {
  return error instanceof RangeError ? 'what it sent is nested too deep' : messageOf(error).slice(0, longestWhy);
}

interface Call {
  readonly auth: ConnectOptions['auth'] | undefined;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** It was made before and became this task, which is asked for. */
  readonly taskId?: string;
}

interface Live {
  readonly client: Client;
  readonly calls: OpenCalls;
  readonly tasks: TaskServer;
  readonly listed: () => ListedTools;
  readonly endedFor: () => string | null;
}

/** Between two words of progress; what comes faster nobody can read. */
const progressMs = 50;

/** Whether it is to be called as a task. In the revision of 2026 the server decides by itself. */
function isTask(client: Client, { asTasks }: ListedTools, tool: string): boolean {
  const requests = fieldOf(client.getServerCapabilities()?.tasks, 'requests');
  const canBe = fieldOf(fieldOf(requests, 'tools'), 'call') !== undefined;
  return canBe && client.getProtocolEra() !== 'modern' && asTasks.has(tool);
}

/** How long a server may take to say that it will tell. */
const listenMs = 20_000;
const anyResult = z.record(z.string(), z.unknown());

function createTaskServer(client: Client, ways: Pick<TaskServer, 'isOpen' | 'answer' | 'becomes'>): TaskServer {
  const followed: TaskServer['followed'] = new Map();
  // Of the revisions of 2025 and 2026.
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
      // Whoever cannot be listened to is looked at all the same.
      client.listen(filter, { signal, timeout: listenMs }).catch(() => undefined);
    },
    followed,
    ...ways,
  };
}

async function callTool(
  { client, calls, tasks, listed, endedFor }: Live,
  { tool, input, taskId, auth }: Call,
  { signal, onProgress, door, folder = null, noteTask }: ForeignCallWays,
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
      // It did nothing: it wants addresses opened first, and is called again then, this one time.
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
  /** Why its program ended; null: it runs, or there is none. */
  readonly endedFor: string | null;
  readonly auth: ConnectOptions['auth'] | undefined;
  /** It was only asked for: what is not known for good is an end of it. */
  readonly isLeft: boolean;
}

async function failedCall(error: unknown, { signal, endedFor, auth, isLeft }: CallEnd): Promise<ToolResult> {
  if (signal.aborted) return { status: 'cancelled', output: 'It was cancelled. The server may have done some of it.' };
  if (error instanceof LostTask) {
    const output = `What became of it is not known: ${error.message}.`;
    return { status: isLeft && error.isFinal ? 'error' : 'unknown', output };
  }
  // Refused before it was looked at: nothing was done.
  const refusal = error instanceof AppError ? error : await auth?.explain(error);
  if (refusal instanceof AppError) {
    const output = `${refusal.message} ${refusal.hint ?? ''} Nothing was done.`;
    return { status: isLeft ? 'refused' : 'error', output };
  }
  const why = endedFor ?? whyOf(error);
  if (/timed? ?out/iu.test(why)) return { status: 'timed-out', output: `The server did not answer: ${why}` };
  // Sent, and no answer came: nobody knows whether it was done.
  if (endedFor !== null || /clos|not running|terminated|socket|ECONN|fetch failed/iu.test(why))
    return { status: 'unknown', output: `The server went away before it answered (${why}).` };
  return { status: 'error', output: `The call ended with an error: ${why}` };
}

/** In our words: what the server says of it is its own. */
function withNotes(result: ToolResult, notes: readonly string[]): ToolResult {
  const told = [...new Set(notes)].map((note) => `(${note})`);
  return told.length === 0 ? result : { ...result, output: [result.output, ...told].join('\n') };
}
