import { z } from 'zod';
import { canonicalHost } from '@shared/safety/host-name.ts';
import { composioDefinitionSchema, composioKeyName, composioText } from './composio.ts';

/** A name that may begin the name of a tool at every service: no underscore, so that `server__tool` has one reading. */
export const serverNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,23}$/, 'Use 1 to 24 small letters, digits and hyphens, beginning with a letter.');

const variableSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
const headerSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/);

/** A public host by its one spelling, so that what is shown is what is let through. */
const hostSchema = z.string().refine((name) => canonicalHost(name) === name, {
  error: 'Give exact names of public hosts, in small letters, such as api.example.org.',
});

/** It does not pass on what it gets: the person's own word. Without it, fences hold for it as for a cloud model. */
const staysHere = z.boolean().default(false);

/** How a tool server is reached or started: exactly this is what a person says yes to. Values of secrets are never here. */
export const serverDefinitionSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('http'),
    url: z.url({
      protocol: /^(?:https?|wss?)$/,
      error: 'Use an address that begins with https://, http://, wss:// or ws://.',
    }),
    /** Names of headers whose values lie in the key store. */
    headers: z.array(headerSchema).max(20).default([]),
    /** Of a client that was registered where people sign in, or the address of a document that describes one. */
    clientId: z
      .string()
      .regex(/^[\x21-\x7e]{1,2000}$/, 'A client id has no spaces and at most 2,000 characters.')
      .optional(),
    staysHere,
  }),
  z
    .strictObject({
      kind: z.literal('stdio'),
      command: z.string().min(1).max(4096),
      args: z.array(z.string().max(8192)).max(100).default([]),
      /** Names of variables; their values lie in the key store, or in Dewpoint's own environment. */
      env: z.array(variableSchema).max(50).default([]),
      /** `container`: in a folder of its own, with no network but `hosts`. `host`: on this machine, with all that its user may do. */
      where: z.enum(['container', 'host']).default('container'),
      /** What it may reach from its container, by name, on ports 80 and 443; none by default. */
      hosts: z.array(hostSchema).max(50).default([]),
      staysHere,
    })
    .refine(({ where, hosts }) => where === 'container' || hosts.length === 0, {
      error: 'A program on this machine cannot be held to hosts. Leave them out, or run it in a container.',
    }),
  composioDefinitionSchema,
]);
export type ServerDefinition = z.infer<typeof serverDefinitionSchema>;

/** Under which the secret of a client of one's own is kept; it is no header. */
export const clientSecretName = 'client_secret';

/** A connection that stays open and is no HTTP; there is no sign-in for it, only headers. */
export function isSocketAddress(definition: ServerDefinition): boolean {
  return definition.kind === 'http' && /^wss?:/iu.test(definition.url);
}

/** The headers or variables whose values are kept apart from it. */
export function secretNames(definition: ServerDefinition): readonly string[] {
  if (definition.kind === 'composio') return [composioKeyName];
  return definition.kind === 'http' ? definition.headers : definition.env;
}

/** A server as the settings keep it. */
export const toolServerSchema = z.strictObject({
  definition: serverDefinitionSchema,
  /** Of the definition that a person said yes to; null: nobody has, and nothing of it is started or reached. */
  approved: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .default(null),
  isOn: z.boolean().default(true),
  /** Its tools that are switched off, by the server's own names. */
  off: z.array(z.string()).default([]),
});
export type ToolServerSettings = z.infer<typeof toolServerSchema>;

/** In one line, for people: what would be started or reached. */
export function definitionText(definition: ServerDefinition): string {
  if (definition.kind === 'http') {
    const headers = definition.headers.length === 0 ? '' : ` with ${definition.headers.join(', ')}`;
    const client = definition.clientId === undefined ? '' : ` as the client ${definition.clientId}`;
    return `${definition.url}${headers}${client}`;
  }
  if (definition.kind === 'composio') return composioText(definition);
  const words = [definition.command, ...definition.args].map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word),
  );
  const env = definition.env.length === 0 ? '' : ` with ${definition.env.join(', ')}`;
  return `${words.join(' ')}${env} (${placeText(definition)})`;
}

function placeText({ where, hosts }: Extract<ServerDefinition, { kind: 'stdio' }>): string {
  if (where === 'host') return 'on this machine';
  return hosts.length === 0 ? 'in a container without a network' : `in a container that may reach ${hosts.join(', ')}`;
}

/** What is switched on or off in one project only: by the name of a server, or `server/tool`. */
export type ProjectTools = Readonly<Record<string, boolean>>;

/** A project's own word goes before the one for all projects. Without one it is null. */
export function projectWord(own: ProjectTools, server: string, tool?: string): boolean | null {
  const key = tool === undefined ? server : `${server}/${tool}`;
  return Object.hasOwn(own, key) ? (own[key] ?? null) : null;
}

/** Text of a server that a person is to look at before it counts. */
export interface ToolReport {
  /** As a model calls it. */
  readonly name: string;
  /** As its server does. */
  readonly tool: string;
  readonly description: string;
  /** `ready`: as it was approved. The others are off until they are approved. `gone`: the server has it no more. */
  readonly state: 'ready' | 'new' | 'changed' | 'gone';
  /** It is offered to models, in the project that was asked about or in all. */
  readonly isOn: boolean;
  /** The switch: also of a tool that is not approved. */
  readonly isWanted: boolean;
  /** What the project that was asked about says itself; null: it goes by the general word. */
  readonly own: boolean | null;
  /** The person said that it only reads. */
  readonly isReading: boolean;
  /** Of what is approved, or of what there is to approve. */
  readonly sha256: string;
  /** What its definition takes of a prompt, estimated. */
  readonly tokens: number;
  /** What the server says of it. Nobody checks that, and nothing is allowed because of it. */
  readonly hints: readonly string[];
  /** The whole definition to be approved, and of a changed one how it differs. Null: nothing is to be approved, or nearly all differs. */
  readonly text: string | null;
  readonly diff: string | null;
  readonly lastUsedAt: number | null;
}

/** How it stands with the sign-in to a server over HTTP. Nothing in it is secret. */
export interface SignInReport {
  readonly isSignedIn: boolean;
  /** The server refused a request, or what was signed in is over. */
  readonly isNeeded: boolean;
  /** One waits for the person and their browser. */
  readonly isWaiting: boolean;
  /** Who signed the person in. */
  readonly issuer: string | null;
  readonly scopes: readonly string[];
  readonly at: number | null;
  /** Why it is over; null: it is not, as far as is known. */
  readonly ended: string | null;
  /** Rights that the server wanted beside those that it has. */
  readonly wanted: string | null;
}

/** `unsaid`: the service takes no such wish. `failed`: it did not confirm it, and the sign-in may hold until it runs out. */
export type SignOutRevocation = 'done' | 'unsaid' | 'failed';

/** What happens while a person signs in: first the address to be opened in a browser, in the end the server as it is. */
export type SignInProgress =
  | {
      readonly type: 'open';
      readonly url: string;
      readonly issuer: string;
      readonly scopes: readonly string[];
      /** To be typed at the address; null: the browser brings back what is needed. */
      readonly code: string | null;
    }
  | { readonly type: 'done'; readonly server: ToolServerReport };

export interface ToolServerReport {
  readonly name: string;
  readonly definition: ServerDefinition;
  readonly text: string;
  readonly sha256: string;
  /** The headers or variables whose values lie in the key store. */
  readonly secrets: readonly string[];
  readonly isApproved: boolean;
  /** In the project that was asked about, or in all. */
  readonly isOn: boolean;
  /** What the project that was asked about says itself; null: it goes by the general word. */
  readonly own: boolean | null;
  readonly state: 'not-approved' | 'off' | 'sign-in' | 'idle' | 'running' | 'failed';
  /** Null: no sign-in by a browser is for it. */
  readonly signIn: SignInReport | null;
  /** Why it failed, and what to do. */
  readonly problem: string | null;
  /** What the server calls itself, and the revision of the protocol; null: it was not reached in this run. */
  readonly server: string | null;
  readonly tools: readonly ToolReport[];
  /** Tools that its server lists and that are not looked at: too many, too large, or of no use. */
  readonly leftOut: number;
  /** Some of them by their names, which are the server's words: those that are no tools as the protocol has them. */
  readonly unusable: readonly string[];
}

/** What was found in a file of another program. */
export interface ServerImport {
  readonly added: readonly string[];
  /** Entries that were not taken, each with the reason. */
  readonly skipped: readonly string[];
  /** Of those that were added: values of variables or headers that could not be kept, each with the reason. */
  readonly unkept: readonly string[];
}
