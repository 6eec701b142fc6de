import { AppError, messageOf } from '@shared/errors.ts';
import type { ProjectTools, ServerDefinition, ToolServerSettings } from '@shared/tools/server-definition.ts';
import { projectWord } from '@shared/tools/server-definition.ts';
import { innerCallsOf } from '@shared/tools/composio.ts';
import { abortable } from '../../lib/async/abort.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { withReason, withReasonOnly } from '../../lib/net/send-reason.ts';
import { isThisMachine } from '../../lib/net/this-machine.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { LeftTask } from '@shared/events/tool-events.ts';
import type { ToolResult } from '../define.ts';
import type { ConnectedToolSpec } from '../connected/connected-tool-spec.ts';
import { connectComposio } from '../composio/composio-connection.ts';
import { keptSessionIn } from '../composio/composio-session.ts';
import type { CallConnectedTool, OfferedTool, ToolSource } from '../connected/connected-tool.ts';
import { connectedToolName } from '../connected/connected-tool.ts';
import type { ConnectOptions, McpConnection } from '../mcp/mcp-connection.ts';
import { heldReach, type HeldReachOptions } from '../mcp/kept-place.ts';
import { createKeptReach, type KeptReach } from './kept-reach.ts';
import { keptWayIn } from '../mcp/kept-way.ts';
import { connectMcp } from '../mcp/mcp-connection.ts';
import { wholeText } from '../values/tool-results.ts';
import type { ServerSignIns } from '../sign-in/server-sign-ins.ts';
import { ownOf, type ProjectWords } from './project-words.ts';
import { createKeptOffers, createServerLibrary, type KeptOffers, type ServerLibrary } from './server-library.ts';
import type { ToolPin, ToolPins } from './tool-pins.ts';
import { hashOfTool } from './tool-pins.ts';
import { orNoted } from '../../lib/log.ts';
import { createRefusedHosts, secretsOf, startWait } from './server-start.ts';
import { createStandingApproval } from './standing-approval.ts';
import { hashOfServer, isApproved, isServerOn, isToolOn } from './server-switches.ts';

/**
 * The tool servers of this home. Each runs once for all sessions, from its first call until it is idle or Dewpoint
 * ends.
 */
export interface ToolServers {
  /** The tools that are on in a project. Null: a session without one. `folder`: where the session works. */
  readonly forProject: (projectPath: string | null, folder?: string) => ToolSource;
  /** The running server, or a new one. Rejects if it is not approved exactly as it is, or does not answer. */
  readonly connect: (name: string, signal: AbortSignal) => Promise<McpConnection>;
  readonly running: (name: string) => McpConnection | null;
  /** Why the last start failed. Null: it did not. */
  readonly problem: (name: string) => string | null;
  /** When the server answered last, also in earlier runs. */
  readonly reach: KeptReach['of'];
  /** Hosts that the server asked for in this run and may not reach. */
  readonly refused: (name: string) => readonly string[];
  /** Ends the server. The next call starts it again. */
  readonly stop: (name: string) => Promise<void>;
  /** Ends a server that is being removed, and drops what it listed. */
  readonly forget: (name: string) => Promise<void>;
  /** Resources and prompts of the servers in a project. Null: a session without a project. */
  readonly library: (projectPath: string | null) => ServerLibrary;
  readonly dispose: () => Promise<void>;
}

export interface ToolServersOptions
  extends
    Pick<ConnectOptions, 'fetch' | 'openSocket' | 'start' | 'version' | 'connectMs'>,
    Pick<ProjectWords, 'projects'>,
    HeldReachOptions {
  readonly servers: () => Readonly<Record<string, ToolServerSettings>>;
  readonly pins: ToolPins;
  /** Files that belong to a server are kept here. */
  readonly folder: string;
  /** The value of a variable or header of a server. Null: it is not set. */
  readonly secret: (server: string, variable: string) => Promise<string | null>;
  readonly signIns: Pick<ServerSignIns, 'forServer'>;
  readonly now: () => number;
  /** A server without calls for this long is ended. */
  readonly idleMs?: number;
  /** Pause between two checks of an account that is being connected. Tests make it short. */
  readonly pollMs?: number;
}

interface Running {
  readonly sha256: string;
  readonly connection: Promise<McpConnection>;
  open: McpConnection | null;
  idle: NodeJS.Timeout | null;
  calls: number;
}

const defaultIdleMs = 15 * 60_000;

export function createToolServers(options: ToolServersOptions): ToolServers {
  const kept = createKeptOffers(options.folder);
  const reach = createKeptReach(options.folder, options.now);
  const pool = createPool(options, kept, reach);
  const connect: ToolServers['connect'] = async (name, signal) => (await pool.reach(name, signal)).connection;
  return {
    connect,
    running: pool.running,
    problem: reach.problem,
    reach: reach.of,
    refused: pool.refused,
    stop: pool.stop,
    dispose: pool.dispose,
    forget: async (name) => {
      await pool.stop(name);
      await Promise.all([kept.drop(name), reach.drop(name)]);
    },
    library: (projectPath) =>
      createServerLibrary({
        servers: () => usableServers(options, ownOf(options, projectPath)),
        hashOf: (name, { definition }) => hashOfServer(name, definition),
        kept,
        connect: (name, signal) => connect(name, signal).finally(() => pool.rest(name)),
      }),
    forProject: (projectPath, folder) => {
      const own = (): ProjectTools => ownOf(options, projectPath);
      return {
        offered: () => offeredTools(options, own(), pool.running),
        call: (spec, input, how) => {
          const seen = spec.readsFiles ? (folder ?? null) : null;
          return callTool(options, pool, { own: own(), spec, input, how: { ...how, folder: seen } });
        },
        askTask: async (spec, task, how) => {
          const seen = spec.readsFiles ? (folder ?? null) : null;
          return callTool(options, pool, { own: own(), spec, input: {}, task, how: { ...how, folder: seen } });
        },
        told: (signal) => toldOfAccounts(options, pool, own(), signal),
        lasting: createStandingApproval(options),
      };
    },
  };
}

interface Call {
  readonly own: ProjectTools;
  readonly spec: ConnectedToolSpec;
  readonly input: Parameters<CallConnectedTool>[1];
  readonly how: Parameters<CallConnectedTool>[2];
  /** Set for an earlier call: the server is only asked for this task. */
  readonly task?: LeftTask;
}

function callTool(options: ToolServersOptions, pool: Pool, call: Call): Promise<ToolResult> {
  return withReason({ server: call.spec.server }, () => callApproved(options, pool, call));
}

async function callApproved(options: ToolServersOptions, pool: Pool, call: Call): Promise<ToolResult> {
  const { own, spec, input, how, task } = call;
  try {
    const pin = await pinOf(options, own, spec);
    const one = await pool.reach(spec.server, how.signal);
    const live = await one.connection;
    const sha256 = sha256Of(JSON.stringify([one.sha256, pin.sha256]));
    const refused = differenceFrom(pin, spec, live) ?? (await refusedInner(options, { own, spec, input }, live));
    if (refused !== null) return refused;
    if (task === undefined) {
      const noteTask = async (taskId: string): Promise<void> => how.door?.noteTask?.({ taskId, sha256 });
      const result = await callIn(one, () => live.call(spec.tool, input, { ...how, noteTask }));
      await pool.reached.called(spec.server, one.sha256, result);
      return result;
    }
    const { askTask } = live;
    if (task.sha256 === sha256 && askTask !== undefined) return await callIn(one, () => askTask(task.taskId, how));
    return { status: 'error', output: `${spec.server} is not what it was when it was called. It was not asked.` };
  } catch (error) {
    if (how.signal.aborted) return { status: 'cancelled', output: 'It was cancelled. Nothing was sent.' };
    return { status: task === undefined ? 'error' : 'refused', output: wholeText(error) };
  } finally {
    pool.rest(spec.server);
    await noteUse(options, spec);
  }
}

async function callIn(one: Running, call: () => Promise<ToolResult>): Promise<ToolResult> {
  one.calls += 1;
  try {
    return await call();
  } finally {
    one.calls -= 1;
  }
}

/** The running servers, at most one of each. */
interface Pool extends Pick<ToolServers, 'running' | 'refused' | 'stop' | 'dispose'> {
  readonly reach: (name: string, signal: AbortSignal) => Promise<Running>;
  readonly reached: KeptReach;
  /** Restarts the timer that ends an idle server. */
  readonly rest: (name: string) => void;
}

function createPool(options: ToolServersOptions, kept: KeptOffers, reached: KeptReach): Pool {
  const running = new Map<string, Running>();
  const refused = createRefusedHosts();
  const stopped = new AbortController();
  const stop = async (name: string): Promise<void> => {
    const one = running.get(name);
    if (one === undefined) return;
    running.delete(name);
    if (one.idle !== null) clearTimeout(one.idle);
    await (await one.connection.catch(() => null))?.close();
  };
  const rest = (name: string): void => {
    const one = running.get(name);
    if (one === undefined) return;
    if (one.idle !== null) clearTimeout(one.idle);
    one.idle = setTimeout(() => void (one.calls === 0 ? stop(name) : rest(name)), options.idleMs ?? defaultIdleMs);
    one.idle.unref();
  };
  const start = (name: string, definition: ServerDefinition, sha256: string): Running => {
    const onOffers = (): void => {
      if (one.open !== null) void kept.refresh(name, sha256, one.open, stopped.signal);
    };
    const onRefused = refused.startOf(name);
    // It runs for all sessions, so what it sends by itself belongs to none of them.
    const opened = withReasonOnly({ server: name }, () => secretsOf(options, name, definition)).then((secrets) =>
      connectServer(
        options,
        { name, definition, secrets, onChanged: () => forget(), onOffers, onRefused },
        stopped.signal,
      ),
    );
    const connection = opened.then(
      async (open) => {
        one.open = open;
        rest(name);
        forget();
        onOffers();
        await reached.started(name, sha256);
        return open;
      },
      async (error: unknown) => {
        if (running.get(name) === one) running.delete(name);
        if (!stopped.signal.aborted) await reached.notStarted(name, sha256, error);
        throw error;
      },
    );
    const one: Running = { sha256, connection, open: null, idle: null, calls: 0 };
    // A server that went away by itself is dropped, so that the next call starts another.
    const forget = (): void => {
      if (one.open !== null && !one.open.isOpen() && running.get(name) === one) running.delete(name);
    };
    running.set(name, one);
    return one;
  };
  return {
    running: (name) => running.get(name)?.open ?? null,
    reached,
    refused: refused.of,
    stop,
    rest,
    dispose: async () => {
      stopped.abort();
      await Promise.all([...running.keys()].map(stop));
    },
    reach: async (name, signal) => {
      const { definition } = approvedServer(options, name);
      const sha256 = hashOfServer(name, definition);
      const known = running.get(name);
      if (known !== undefined && known.sha256 !== sha256) await stop(name);
      if (stopped.signal.aborted) throw new AppError('cancelled', 'Dewpoint is ending.');
      const one = running.get(name) ?? start(name, definition, sha256);
      // The signal ends only this wait. The start goes on for the next caller.
      await abortable(one.connection, signal);
      return one;
    },
  };
}

/** A server that is switched on nowhere is never started. */
function approvedServer({ servers, projects }: ToolServersOptions, name: string): ToolServerSettings {
  const all = servers();
  const server = Object.hasOwn(all, name) ? all[name] : undefined;
  if (server === undefined) throw new AppError('not-found', `There is no tool server ${name}.`);
  const isOn = server.isOn || Object.values(projects()).some((own) => projectWord(own, name) === true);
  if (!isOn) throw new AppError('refused', `The tool server ${name} is switched off.`);
  if (isApproved(name, server)) return server;
  throw new AppError('refused', `The tool server ${name} was not approved as it is now, so it was not started.`, {
    hint: `Look at it and approve it: dewpoint tools approve ${name}`,
  });
}

/** The servers that are on in a project and approved as they are. */
function usableServers(
  { servers }: ToolServersOptions,
  own: ProjectTools,
): readonly (readonly [string, ToolServerSettings])[] {
  return Object.entries(servers()).filter(
    ([name, server]) => isServerOn(server, own, name) && isApproved(name, server),
  );
}

async function offeredTools(
  options: ToolServersOptions,
  own: ProjectTools,
  running: ToolServers['running'],
): Promise<readonly OfferedTool[]> {
  const found: OfferedTool[] = [];
  for (const [name, server] of usableServers(options, own)) {
    // The list of servers reports an unreadable file. Its tools are not offered.
    const pins = await options.pins.of(name).catch(orNoted('The approved tools of a server were not read', []));
    const live = running(name);
    for (const pin of pins) {
      if (!isToolOn(server, own, name, pin.definition.name) || isChanged(pin, live)) continue;
      found.push({ spec: specOf(name, server.definition, pin), at: pin.approvedAt });
    }
  }
  return found;
}

/** A change is known only while the server runs. */
function isChanged(pin: ToolPin, live: McpConnection | null): boolean {
  const now = live?.tools().find(({ name }) => name === pin.definition.name);
  return live !== null && (now === undefined || hashOfTool(now) !== pin.sha256);
}

function specOf(
  server: string,
  definition: ServerDefinition,
  { definition: tool, isReading }: ToolPin,
): ConnectedToolSpec {
  return {
    name: connectedToolName(server, tool.name),
    server,
    tool: tool.name,
    description: tool.description === '' ? (tool.title ?? tool.name) : tool.description,
    inputSchema: tool.inputSchema,
    leaves: !definition.staysHere,
    // A container sees no project folder, and a remote address sees no folder of this machine.
    readsFiles:
      definition.kind === 'stdio' ? definition.where === 'host' : isThisMachine(new URL(definition.url).hostname),
    ...(definition.kind === 'composio' ? { isRouter: true } : {}),
    // A router carries other calls, so it never counts as only reading.
    ...(isReading === true && definition.kind !== 'composio' ? { reads: true } : {}),
  };
}

async function pinOf(
  { pins, servers }: ToolServersOptions,
  own: ProjectTools,
  { server: name, tool }: ConnectedToolSpec,
): Promise<ToolPin> {
  const server = servers()[name];
  const pin = (await pins.of(name)).find(({ definition }) => definition.name === tool);
  // A server that is removed or not approved is reported when it would be started.
  const isOff = server !== undefined && !(isServerOn(server, own, name) && isToolOn(server, own, name, tool));
  if (pin !== undefined && !isOff) return pin;
  throw new AppError('refused', `The tool ${tool} of ${name} is switched off. Nothing was sent.`);
}

/** Refuses the call if the definition has changed since it was approved. */
function differenceFrom(pin: ToolPin, { server, tool }: ConnectedToolSpec, live: McpConnection): ToolResult | null {
  const now = live.tools().find(({ name }) => name === tool);
  if (now !== undefined && hashOfTool(now) === pin.sha256) return null;
  const what = now === undefined ? 'its server has it no more' : 'its definition changed since it was approved';
  return {
    status: 'refused',
    output: `${server}: ${tool} is off: ${what}. Nothing was sent. Go on without it; the person can look at it with "dewpoint tools approve ${server}".`,
  };
}

/**
 * A router carries calls of other tools. If one of them is switched off, or is listed by the session and not approved
 * as it is, nothing is sent.
 */
async function refusedInner(
  { pins, servers }: ToolServersOptions,
  { own, spec, input }: Pick<Call, 'own' | 'spec' | 'input'>,
  live: McpConnection,
): Promise<ToolResult | null> {
  const { server: name, isRouter } = spec;
  const server = servers()[name];
  if (isRouter !== true || server === undefined) return null;
  const all = await pins.of(name);
  const whyNot = (tool: string): string | null => {
    const slug = tool.toUpperCase();
    const isOn = [tool, slug].every((one) => isToolOn(server, own, name, one));
    if (!isOn) return 'is switched off';
    const listed = live.tools().find((one) => one.name.toUpperCase() === slug);
    const pin = listed && all.find(({ definition }) => definition.name === listed.name);
    return listed === undefined || pin?.sha256 === hashOfTool(listed) ? null : 'was not approved as it is now';
  };
  const { calls, problem } = innerCallsOf(input);
  if (problem !== null)
    return { status: 'refused', output: `${name}: ${problem}. Nothing was sent. Make fewer, plain calls.` };
  for (const { tool } of calls) {
    const why = whyNot(tool);
    if (why !== null)
      return { status: 'refused', output: `${name}: ${tool} ${why}. Nothing was sent, no other call either.` };
  }
  return null;
}

/** Longest wait for the list of connected accounts at the start of the work. */
const toldMs = 5_000;

async function toldOfAccounts(
  options: ToolServersOptions,
  pool: Pool,
  own: ProjectTools,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const offered = await offeredTools(options, own, pool.running);
  const names = [...new Set(offered.flatMap(({ spec }) => (spec.isRouter === true ? [spec.server] : [])))];
  const tell = async (name: string): Promise<readonly string[]> => {
    const child = childAbort(signal, { ms: toldMs, reason: () => new Error(`it took more than ${toldMs / 1000} s`) });
    try {
      const { accounts } = await (await pool.reach(name, child.signal)).connection;
      return accounts === undefined ? [] : [await accounts.told(child.signal)];
    } catch (error) {
      return [`${name}: what is connected is not known. ${messageOf(error)}`];
    } finally {
      child.release();
      pool.rest(name);
    }
  };
  return (await Promise.all(names.map(tell))).flat();
}

function connectServer(
  options: ToolServersOptions,
  server: Pick<ConnectOptions, 'name' | 'definition' | 'secrets' | 'onChanged' | 'onOffers' | 'onRefused'>,
  signal: AbortSignal,
): Promise<McpConnection> {
  const { name, definition } = server;
  const auth = options.signIns.forServer(name, definition);
  const sha256 = hashOfServer(name, definition);
  const way = keptWayIn(options.folder, name, sha256, options.now);
  const reach = heldReach(options, { name, definition, sha256 });
  const wait = options.connectMs === undefined ? startWait(definition) : {};
  if (definition.kind !== 'composio')
    return connectMcp({ ...options, ...wait, ...server, ...reach, auth, way }, signal);
  const kept = keptSessionIn(options.folder, name, definition);
  return connectComposio({ ...options, ...server, definition, kept }, signal);
}

async function noteUse({ pins, now }: ToolServersOptions, { server, tool }: ConnectedToolSpec): Promise<void> {
  const at = now();
  await pins
    .change(server, (all) => all.map((pin) => (pin.definition.name === tool ? { ...pin, lastUsedAt: at } : pin)))
    .catch(orNoted('When a tool was used was not saved', undefined));
}
