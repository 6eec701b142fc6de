import { z } from 'zod';
import type { LeftTask } from '@shared/events/tool-events.ts';
import type { ForeignToolSpec } from '@shared/tools/foreign-tool-spec.ts';
import { innerCallsOf } from '@shared/tools/composio.ts';
import { runsApart } from '@shared/tools/own-tool.ts';
import { memo } from '../../lib/memo.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { NetworkDecision } from '../../sandbox/network/network-decision.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { AskToConnect, ServerDoor, Tool, ToolContext, ToolResult } from '../define.ts';
import { schemaCheck } from './schema-check.ts';

export interface ForeignCallWays {
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** Absent: there is nobody who could connect an account. */
  readonly askToConnect?: AskToConnect;
  /** Of the session, for tools that run beside its commands; absent: outside of any session. */
  readonly sandbox?: Sandbox;
  /** Hears of each connection that a tool made or wanted to make. */
  readonly onNetwork?: (decision: NetworkDecision) => void;
  /** Answers what a server asks meanwhile; absent: nobody does. */
  readonly door?: ServerDoor;
  /** Of a program that was kept: what it may call. */
  readonly programDoor?: ToolContext['programDoor'];
  /** Writes down that the server works on the call as this task; it is not followed before. */
  readonly noteTask?: ((taskId: string) => Promise<void>) | undefined;
  /** The folder that the session works in, for a server that can read it. */
  readonly folder?: string | null;
}

/** How a call reaches its server. Never rejects. */
export type CallForeignTool = (
  spec: ForeignToolSpec,
  input: Readonly<Record<string, unknown>>,
  how: ForeignCallWays,
) => Promise<ToolResult>;

/** Where foreign tools come from while sessions run; the same for all of them. */
export interface ForeignTools {
  /**
   * What is approved and switched on at this moment, the longest approved first: what comes later stands behind, so that
   * the beginning of a prompt stays as it was. Starts no server.
   */
  readonly offered: () => Promise<readonly ForeignToolSpec[]>;
  readonly call: CallForeignTool;
  /**
   * The result of a call that a crash had cut off while its server worked on it: the server is asked for it, and called for
   * nothing. `refused` and `unknown`: it may be asked for again. Never rejects.
   */
  readonly askTask?: (spec: ForeignToolSpec, task: LeftTask, how: ForeignCallWays) => Promise<ToolResult>;
  /**
   * What is to be known of them before the work begins, a line for each server that works through accounts of the person:
   * which are connected. Asks those servers. Never rejects.
   */
  readonly told?: (signal: AbortSignal) => Promise<readonly string[]>;
  /** The text of a program that was kept, as it is approved now; null: it is not. Never rejects. */
  readonly programText?: (spec: ForeignToolSpec) => Promise<string | null>;
}

/** A tool with the time since which it stands among the others. */
export interface OfferedTool {
  readonly spec: ForeignToolSpec;
  readonly at: number;
}

/** One kind of places that foreign tools come from. */
export interface ToolSource extends Pick<ForeignTools, 'call' | 'askTask' | 'told' | 'programText'> {
  readonly offered: () => Promise<readonly OfferedTool[]>;
}

/** Tools of servers and tools from files as one list, in the order in which they came. */
export function joinToolSources(servers: ToolSource, own: ToolSource): ForeignTools {
  return {
    offered: async () => inOrder([...(await servers.offered()), ...(await own.offered())]),
    call: (spec, input, how) => (spec.own === undefined ? servers : own).call(spec, input, how),
    ...(servers.askTask === undefined ? {} : { askTask: servers.askTask }),
    ...(servers.told === undefined ? {} : { told: servers.told }),
    ...(own.programText === undefined ? {} : { programText: own.programText }),
  };
}

function inOrder(tools: readonly OfferedTool[]): readonly ForeignToolSpec[] {
  const sorted = [...tools].sort((left, right) => left.at - right.at || (left.spec.name < right.spec.name ? -1 : 1));
  return sorted.map(({ spec }) => spec);
}

const longest = 64;

/** Code and JSON of the usual kind. */
const bytesPerToken = 3.5;

/** What a definition takes of a prompt, estimated. */
export const definitionTokens = memo(
  ({ name, description, inputSchema }: Pick<ForeignToolSpec, 'name' | 'description' | 'inputSchema'>): number =>
    Math.ceil(Buffer.byteLength(JSON.stringify({ name, description, inputSchema })) / bytesPerToken),
);

/**
 * A name that every service takes: letters, digits, `_` and `-`, at most 64. Where something had to be changed or cut, it
 * ends in a hash of the whole name, so that two tools never get the same one.
 */
export function foreignToolName(server: string, tool: string): string {
  const plain = `${server}__${tool.replaceAll(/[^A-Za-z0-9_-]/gu, '_')}`;
  if (plain.length <= longest && plain === `${server}__${tool}`) return plain;
  const end = `_${sha256Of(JSON.stringify([server, tool])).slice(0, 8)}`;
  return plain.slice(0, longest - end.length) + end;
}

/** The spec as a tool of the loop. `call` null: in a replay, which answers from its log. */
export function createForeignTool(spec: ForeignToolSpec, call: CallForeignTool | null): Tool {
  return {
    name: spec.name,
    description: spec.description,
    // One that reaches nothing is a command of the session's: what it changes is seen, and can be undone.
    access: spec.own !== undefined && !runsApart(spec.own) ? 'execute' : 'network',
    input: { jsonSchema: spec.inputSchema, check: schemaCheck(spec.inputSchema) },
    foreign: spec,
    ...(spec.own?.isProgram === true ? { isProgram: true, isLong: true } : {}),
    label: (input) => `${spec.server}: ${calledText(spec, input)}`,
    run: (input, context) => runForeign(spec, call, { input, context }),
  };
}

/** What is called: of a router the tools that its arguments name. */
export function calledText({ tool, isRouter }: ForeignToolSpec, input: unknown): string {
  const names = isRouter === true ? innerCallsOf(input).map((inner) => inner.tool) : [];
  if (names.length === 0) return tool;
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${more} (by ${tool})`;
}

const mostNamed = 5;

async function runForeign(
  spec: ForeignToolSpec,
  call: CallForeignTool | null,
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
