import { z } from 'zod';
import { isRecord } from '@shared/unknown-value.ts';
import { jsonIn } from '@shared/text/json-in.ts';

/** The one secret of a Composio source: the header that carries the key of a project there. */
export const composioKeyName = 'x-api-key';
export const composioAddress = 'https://backend.composio.dev';

const toolkitSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'Use the short names of toolkits in small letters, such as github.');

/** Sessions of Composio's tool router, for one user. Exactly this is what a person says yes to. */
export const composioDefinitionSchema = z
  .strictObject({
    kind: z.literal('composio'),
    /** Whose accounts at services are used. The name is sent to Composio. */
    user: z.string().min(1).max(200).default('default'),
    /** Where its API is. */
    url: z
      .url({ protocol: /^https?$/, error: 'Use an address that begins with https://.' })
      .refine(isSafeForKeys, { error: 'Use https://. A key is sent there.' })
      .default(composioAddress),
    /** `native`: by its API. `mcp`: by the MCP server of the session. */
    mode: z.enum(['native', 'mcp']).default('native'),
    /** The only toolkits it may use; none: all of them. */
    toolkits: z.array(toolkitSchema).max(50).default([]),
    /** Its real tools, each with a definition and a yes of its own, in place of the tools that find and call them. */
    directTools: z.boolean().default(false),
    /** Code of the model may run on machines of Composio. */
    workbench: z.boolean().default(false),
    staysHere: z.literal(false).default(false),
  })
  .refine(({ directTools, toolkits }) => !directTools || toolkits.length > 0, {
    error: 'Name the toolkits whose tools are to be listed one by one.',
    path: ['toolkits'],
  });
export type ComposioDefinition = z.infer<typeof composioDefinitionSchema>;

/** Whether a key may go there unread by others: encrypted, or on this machine. */
function isSafeForKeys(url: string): boolean {
  try {
    const { protocol, hostname } = new URL(url);
    return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  } catch {
    return false;
  }
}

/** In one line, for people: all that decides what is reached and used. */
export function composioText({ url, user, mode, toolkits, directTools, workbench }: ComposioDefinition): string {
  const what = toolkits.length === 0 ? 'all toolkits' : toolkits.join(', ');
  const parts = [
    ...(directTools ? ['tools one by one'] : []),
    ...(mode === 'mcp' ? ['by MCP'] : []),
    ...(workbench ? ['with the remote workbench'] : []),
  ];
  return `Composio at ${url} for the user ${JSON.stringify(user)}: ${[what, ...parts].join(', ')}`;
}

/** An account at a service, as Composio has it for the user. */
export interface ToolkitConnection {
  readonly toolkit: string;
  readonly title: string;
  /** `none-needed`: the service wants no account. */
  readonly state: 'connected' | 'not-connected' | 'none-needed';
  /** What Composio calls its state, such as EXPIRED; null: there is no account. */
  readonly status: string | null;
}

/** A call that another call carries. */
export interface InnerCall {
  readonly tool: string;
  readonly input: unknown;
}

const deepest = 24;
/** More of them are shown as they stand in the arguments. */
const mostInner = 200;

/**
 * The calls that the arguments of a router's tool carry: wherever a `tool_slug` stands, also as JSON in a text, and also in
 * the arguments of such a call. What else stands beside them is no call.
 */
export function innerCallsOf(input: unknown): readonly InnerCall[] {
  const found: InnerCall[] = [];
  const look = (value: unknown, depth: number): void => {
    if (depth > deepest || found.length >= mostInner) return;
    if (typeof value === 'string') {
      if (/^\s*[[{]/.test(value) && value.includes('tool_slug')) look(jsonIn(value), depth + 1);
      return;
    }
    if (Array.isArray(value)) {
      for (const item of value) look(item, depth + 1);
      return;
    }
    if (!isRecord(value)) return;
    if (typeof value.tool_slug === 'string') found.push({ tool: value.tool_slug, input: value.arguments ?? {} });
    for (const inner of Object.values(value)) look(inner, depth + 1);
  };
  look(input, 0);
  return found;
}
