import { z } from 'zod';
import { isRecord } from '@shared/unknown-value.ts';
import { unescapeText } from '@shared/safety/fence-text.ts';

/** The one secret of a Composio source: the header with the project's key. */
export const composioKeyName = 'x-api-key';
export const composioAddress = 'https://backend.composio.dev';

const toolkitSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'Use the short names of toolkits in small letters, such as github.');

/** A Composio tool router session for one user. The user approves exactly this. */
export const composioDefinitionSchema = z
  .strictObject({
    kind: z.literal('composio'),
    /** The user whose service accounts are used. The name is sent to Composio. */
    user: z.string().min(1).max(200).default('default'),
    /** The address of its API. */
    url: z
      .url({ protocol: /^https?$/, error: 'Use an address that begins with https://.' })
      .refine(isSafeForKeys, { error: 'Use https://. A key is sent there.' })
      .default(composioAddress),
    /** `native`: through its API. `mcp`: through the session's MCP server. */
    mode: z.enum(['native', 'mcp']).default('native'),
    /** The only toolkits that it may use. Empty: all of them. */
    toolkits: z.array(toolkitSchema).max(50).default([]),
    /**
     * Offers its real tools, each with its own definition and approval, instead of the tools that find and call them.
     */
    directTools: z.boolean().default(false),
    /** Code of the model may run on Composio's machines. */
    workbench: z.boolean().default(false),
    staysHere: z.literal(false).default(false),
  })
  .refine(({ directTools, toolkits }) => !directTools || toolkits.length > 0, {
    error: 'Name the toolkits whose tools are to be listed one by one.',
    path: ['toolkits'],
  });
export type ComposioDefinition = z.infer<typeof composioDefinitionSchema>;

/** Whether others cannot read a key on the way: the address is encrypted, or on this machine. */
function isSafeForKeys(url: string): boolean {
  try {
    const { protocol, hostname } = new URL(url);
    return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  } catch {
    return false;
  }
}

/** One line for people, with everything that decides what is reached and used. */
export function composioText({ url, user, mode, toolkits, directTools, workbench }: ComposioDefinition): string {
  const what = toolkits.length === 0 ? 'all toolkits' : toolkits.join(', ');
  const parts = [
    ...(directTools ? ['tools one by one'] : []),
    ...(mode === 'mcp' ? ['by MCP'] : []),
    ...(workbench ? ['with the remote workbench'] : []),
  ];
  return `Composio at ${url} for the user ${JSON.stringify(user)}: ${[what, ...parts].join(', ')}`;
}

/** The user's account at a service, as Composio reports it. */
export interface ToolkitConnection {
  readonly toolkit: string;
  readonly title: string;
  /** `none-needed`: the service needs no account. */
  readonly state: 'connected' | 'not-connected' | 'none-needed';
  /** Composio's name of the state, such as EXPIRED; null when there is no account. */
  readonly status: string | null;
}

/** A call inside another call. */
export interface InnerCall {
  readonly tool: string;
  readonly input: unknown;
}

/** More than anybody reads. */
const mostInner = 200;
const deepest = 64;

export interface InnerCalls {
  readonly calls: readonly InnerCall[];
  /** Why there may be more calls than these. Such a call must not be made. Null: these are all. */
  readonly problem: string | null;
}

/**
 * The calls inside the arguments of a router's tool: wherever there is a `tool_slug`, also in JSON inside a text,
 * however often it is escaped, and also in the arguments of such a call. Other arguments are no calls.
 */
export function innerCallsOf(input: unknown): InnerCalls {
  const calls: InnerCall[] = [];
  let problem: string | null = null;
  const look = (value: unknown, depth: number): void => {
    if (depth > deepest) problem ??= 'its arguments are too deep to be checked';
    if (problem !== null) return;
    if (typeof value === 'string') {
      if (!/^\s*[[{"]/.test(value)) return;
      const json = parsed(value);
      if (json !== undefined) look(json, depth + 1);
      else if (unescapeText(value).includes('tool_slug')) problem = 'it holds calls in a text that is not quite JSON';
      return;
    }
    if (Array.isArray(value)) {
      for (const item of value) look(item, depth + 1);
      return;
    }
    if (!isRecord(value)) return;
    if (typeof value.tool_slug === 'string') {
      if (calls.length === mostInner) problem = `it carries more than ${mostInner} calls`;
      else calls.push({ tool: value.tool_slug, input: value.arguments ?? {} });
    }
    for (const inner of Object.values(value)) look(inner, depth + 1);
  };
  look(input, 0);
  return { calls, problem };
}

/** Undefined: the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Most texts are no JSON.
    return undefined;
  }
}
