import { z } from 'zod';
import type { LeftTask } from '@shared/events/tool-events.ts';
import type { ConnectedToolSpec } from './connected-tool-spec.ts';
import { innerCallsOf } from '@shared/tools/composio.ts';
import { runsApart } from '@shared/tools/own-tool.ts';
import { memo } from '../../lib/memo.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { NetworkDecision } from '../../sandbox/network/network-decision.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { AskToConnect, ServerDoor, Tool, ToolContext, ToolResult } from '../define.ts';
import { schemaCheck } from './schema-check.ts';

export interface ConnectedCallWays {
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** Absent: nobody could connect an account. */
  readonly askToConnect?: AskToConnect;
  /** The session's sandbox, for tools that run beside its commands. Absent outside of sessions. */
  readonly sandbox?: Sandbox;
  /** Called with each connection that a tool made or tried to make. */
  readonly onNetwork?: (decision: NetworkDecision) => void;
  /** Answers the server's questions during the call. Absent: nobody answers them. */
  readonly door?: ServerDoor;
  /** Only for kept programs: the tools that they may call. */
  readonly programDoor?: ToolContext['programDoor'];
  /** Logs which task of the server the call became. The task is followed only after that. */
  readonly noteTask?: ((taskId: string) => Promise<void>) | undefined;
  /** The folder that the session works in, for servers that can read it. */
  readonly folder?: string | null;
}

/** How a call reaches its server. Never rejects. */
export type CallConnectedTool = (
  spec: ConnectedToolSpec,
  input: Readonly<Record<string, unknown>>,
  how: ConnectedCallWays,
) => Promise<ToolResult>;

/** A yes to all calls of one tool of one server, until the server or the definition of the tool changes. */
export interface StandingApproval {
  /** A hash of the server and of the definition that the user approved. Null: this tool is none of those. Never rejects. */
  readonly coverOf: (spec: ConnectedToolSpec) => Promise<string | null>;
  readonly isAllowed: (spec: ConnectedToolSpec, cover: string) => Promise<boolean>;
  readonly allow: (spec: ConnectedToolSpec, cover: string) => Promise<void>;
}

/** Where connected tools come from. All sessions share it. */
export interface ConnectedTools {
  /**
   * The tools that are approved and switched on now, in the order of approval. New ones come last, so that the
   * beginning of a prompt does not change. Starts no server.
   */
  readonly offered: () => Promise<readonly ConnectedToolSpec[]>;
  readonly call: CallConnectedTool;
  /**
   * The result of a call that became a task and was cut off by a crash. It only asks the server for that task and never
   * calls the tool again. `refused` and `unknown`: it may be asked for again. Never rejects.
   */
  readonly askTask?: (spec: ConnectedToolSpec, task: LeftTask, how: ConnectedCallWays) => Promise<ToolResult>;
  /**
   * Facts for the start of the work: one line for each server that uses the user's accounts, with those that are
   * connected. Asks those servers. Never rejects.
   */
  readonly told?: (signal: AbortSignal) => Promise<readonly string[]>;
  /** The user's lasting yes to calls of a tool. Absent: each call is asked about. */
  readonly lasting?: StandingApproval;
  /** The text of a kept program as it is approved now. Null: it is not approved. Never rejects. */
  readonly programText?: (spec: ConnectedToolSpec) => Promise<string | null>;
}

/** A tool, and the time from which it is in the list. */
export interface OfferedTool {
  readonly spec: ConnectedToolSpec;
  readonly at: number;
}

/** One source of connected tools: servers, or files. */
export interface ToolSource extends Pick<ConnectedTools, 'call' | 'askTask' | 'told' | 'programText' | 'lasting'> {
  readonly offered: () => Promise<readonly OfferedTool[]>;
}

/** Tools of servers and tools from files as one list, ordered by the time from which they are in it. */
export function joinToolSources(servers: ToolSource, own: ToolSource): ConnectedTools {
  return {
    offered: async () => inOrder([...(await servers.offered()), ...(await own.offered())]),
    call: (spec, input, how) => (spec.own === undefined ? servers : own).call(spec, input, how),
    ...(servers.askTask === undefined ? {} : { askTask: servers.askTask }),
    ...(servers.told === undefined ? {} : { told: servers.told }),
    ...(servers.lasting === undefined ? {} : { lasting: servers.lasting }),
    ...(own.programText === undefined ? {} : { programText: own.programText }),
  };
}

function inOrder(tools: readonly OfferedTool[]): readonly ConnectedToolSpec[] {
  const sorted = [...tools].sort((left, right) => left.at - right.at || (left.spec.name < right.spec.name ? -1 : 1));
  return sorted.map(({ spec }) => spec);
}

const longest = 64;

/** A usual value for code and JSON. */
const bytesPerToken = 3.5;

/** Estimated size of a definition in a prompt, in tokens. */
export const definitionTokens = memo(
  ({ name, description, inputSchema }: Pick<ConnectedToolSpec, 'name' | 'description' | 'inputSchema'>): number =>
    Math.ceil(Buffer.byteLength(JSON.stringify({ name, description, inputSchema })) / bytesPerToken),
);

/**
 * A name that every service accepts: letters, digits, `_` and `-`, at most 64. A changed or shortened name ends in a
 * hash of the whole name, so that two tools never get the same name.
 */
export function connectedToolName(server: string, tool: string): string {
  const plain = `${server}__${tool.replaceAll(/[^A-Za-z0-9_-]/gu, '_')}`;
  if (plain.length <= longest && plain === `${server}__${tool}`) return plain;
  const end = `_${sha256Of(JSON.stringify([server, tool])).slice(0, 8)}`;
  return plain.slice(0, longest - end.length) + end;
}

/** The spec as a tool of the loop. `call` is null in a replay, which answers from its log. */
export function createConnectedTool(spec: ConnectedToolSpec, call: CallConnectedTool | null): Tool {
  return {
    name: spec.name,
    description: spec.description,
    // A tool that runs in the session's own sandbox is a command: its changes are visible and can be undone.
    access: spec.own !== undefined && !runsApart(spec.own) ? 'execute' : 'network',
    input: { jsonSchema: spec.inputSchema, check: schemaCheck(spec.inputSchema) },
    connected: spec,
    ...(spec.own?.isProgram === true ? { isProgram: true, isLong: true } : {}),
    label: (input) => `${spec.server}: ${calledText(spec, input)}`,
    run: (input, context) => runConnected(spec, call, { input, context }),
  };
}

/** The name of the called tool. For a router: the tools that its arguments name. */
export function calledText({ tool, isRouter }: ConnectedToolSpec, input: unknown): string {
  const names = isRouter === true ? innerCallsOf(input).calls.map((inner) => inner.tool) : [];
  if (names.length === 0) return tool;
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${more} (by ${tool})`;
}

const mostNamed = 5;

async function runConnected(
  spec: ConnectedToolSpec,
  call: CallConnectedTool | null,
  { input, context }: { readonly input: unknown; readonly context: ToolContext },
): Promise<ToolResult> {
  if (call === null) return { status: 'error', output: `${spec.tool} of ${spec.server} cannot be reached.` };
  const parsed = z.record(z.string(), z.unknown()).safeParse(input);
  if (!parsed.success) return { status: 'error', output: 'The arguments are not an object.' };
  const encoder = new TextEncoder();
  return call(spec, parsed.data, {
    signal: context.signal,
    ...(context.askToConnect === undefined ? {} : { askToConnect: context.askToConnect }),
    onProgress: (text) => context.emit('stdout', encoder.encode(`${text}\n`)),
    sandbox: context.sandbox,
    ...(context.onNetwork === undefined ? {} : { onNetwork: context.onNetwork }),
    ...(context.serverDoor === undefined ? {} : { door: context.serverDoor }),
    ...(context.programDoor === undefined ? {} : { programDoor: context.programDoor }),
  });
}
