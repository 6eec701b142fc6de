import { z } from 'zod';
import { canonicalHost } from '@shared/safety/host-name.ts';
import { composioDefinitionSchema, composioKeyName, composioText } from './composio.ts';

/**
 * A name that every service accepts at the start of a tool's name. It has no underscore, so `server__tool` is
 * unambiguous.
 */
export const serverNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,23}$/, 'Use 1 to 24 small letters, digits and hyphens, beginning with a letter.');

const variableSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
const headerSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/);

/** A public host in its one spelling, so that the shown host is the allowed one. */
const hostSchema = z.string().refine((name) => canonicalHost(name) === name, {
  error: 'Give exact names of public hosts, in small letters, such as api.example.org.',
});

/** The user says that it does not pass on what it gets. Otherwise, fences treat it like a cloud model. */
const staysHere = z.boolean().default(false);

/** How a tool server is reached or started. The user approves exactly this. It never holds values of secrets. */
export const serverDefinitionSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('http'),
    url: z.url({
      protocol: /^(?:https?|wss?)$/,
      error: 'Use an address that begins with https://, http://, wss:// or ws://.',
    }),
    /** Names of headers. Their values are in the key store. */
    headers: z.array(headerSchema).max(20).default([]),
    /** The id of a client that was registered for sign-in, or the address of a document that describes one. */
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
      /** Names of variables. Their values are in the key store, or in Dewpoint's own environment. */
      env: z.array(variableSchema).max(50).default([]),
      /**
       * `container`: in a folder of its own, with no network except `hosts`. `host`: on this machine, with all rights
       * of its user.
       */
      where: z.enum(['container', 'host']).default('container'),
      /** The hosts that it may reach from its container, by name, on ports 80 and 443. Default: none. */
      hosts: z.array(hostSchema).max(50).default([]),
      staysHere,
    })
    .refine(({ where, hosts }) => where === 'container' || hosts.length === 0, {
      error: 'A program on this machine cannot be held to hosts. Leave them out, or run it in a container.',
    }),
  composioDefinitionSchema,
]);
export type ServerDefinition = z.infer<typeof serverDefinitionSchema>;

/** The key store's name for the secret of the user's own client. It is no header. */
export const clientSecretName = 'client_secret';

/** A connection that stays open and is no HTTP. It has no sign-in, only headers. */
export function isSocketAddress(definition: ServerDefinition): boolean {
  return definition.kind === 'http' && /^wss?:/iu.test(definition.url);
}

/** The headers or variables whose values are stored separately. */
export function secretNames(definition: ServerDefinition): readonly string[] {
  if (definition.kind === 'composio') return [composioKeyName];
  return definition.kind === 'http' ? definition.headers : definition.env;
}

/** A server as the settings hold it. */
export const toolServerSchema = z.strictObject({
  definition: serverDefinitionSchema,
  /** Hash of the approved definition; null: nobody has approved it, and it is never started or reached. */
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

/** One line for people: what would be started or reached. */
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

/** Switches that apply to one project only: by the name of a server, or `server/tool`. */
export type ProjectTools = Readonly<Record<string, boolean>>;

/** A project's own switch, which overrides the general one; null when it has none. */
export function projectWord(own: ProjectTools, server: string, tool?: string): boolean | null {
  const key = tool === undefined ? server : `${server}/${tool}`;
  return Object.hasOwn(own, key) ? (own[key] ?? null) : null;
}

/** A tool's definition that the user must see before it counts. Its text is the server's. */
export interface ToolReport {
  /** The name for models. */
  readonly name: string;
  /** The server's name for it. */
  readonly tool: string;
  readonly description: string;
  /** `ready`: as approved. All others are off. `gone`: the server no longer has it. */
  readonly state: 'ready' | 'new' | 'changed' | 'gone';
  /** Whether models are offered it, in the named project or in all. */
  readonly isOn: boolean;
  /** Whether it is switched on, even if it is not approved. */
  readonly isWanted: boolean;
  /** The named project's own switch; null when the general one applies. */
  readonly own: boolean | null;
  /** The user marked it as only reading. */
  readonly isReading: boolean;
  /** The user always allows its calls. */
  readonly isAlways: boolean;
  /** Hash of the approved definition, or of the one that waits for approval. */
  readonly sha256: string;
  /** Estimated tokens of its definition in a prompt. */
  readonly tokens: number;
  /** The server's own claims about it. Nobody checks them, and they allow nothing. */
  readonly hints: readonly string[];
  /**
   * The full definition that waits for approval, and its difference from the approved one. Null: nothing waits, or
   * nearly everything differs.
   */
  readonly text: string | null;
  readonly diff: string | null;
  readonly lastUsedAt: number | null;
}

/** The state of the sign-in to a server over HTTP. Holds no secrets. */
export interface SignInReport {
  readonly isSignedIn: boolean;
  /** The server refused a request, or the sign-in has ended. */
  readonly isNeeded: boolean;
  /** A sign-in waits for the user and their browser. */
  readonly isWaiting: boolean;
  /** The service that signed the user in. */
  readonly issuer: string | null;
  readonly scopes: readonly string[];
  readonly at: number | null;
  /** Why it ended; null when it has not, as far as known. */
  readonly ended: string | null;
  /** Additional rights that the server asked for. */
  readonly wanted: string | null;
}

/**
 * `unsaid`: the service does not accept revocations. `failed`: it did not confirm, so the sign-in may stay valid until
 * it expires.
 */
export type SignOutRevocation = 'done' | 'unsaid' | 'failed';

/** The progress of a sign-in. First the address to open in a browser, at the end the server's new state. */
export type SignInProgress =
  | {
      readonly type: 'open';
      readonly url: string;
      readonly issuer: string;
      readonly scopes: readonly string[];
      /** The code to type at the address; null: the browser returns what is needed. */
      readonly code: string | null;
    }
  | { readonly type: 'done'; readonly server: ToolServerReport };

/** When a server answered last, in any run of Dewpoint. Times are milliseconds since 1970. */
export interface ServerReach {
  /** Null: it is not known. */
  readonly reachedAt: number | null;
  /** When it did not start or did not answer, if it has not answered since. */
  readonly failedAt: number | null;
  /** Why. */
  readonly problem: string | null;
}

export interface ToolServerReport {
  readonly name: string;
  readonly definition: ServerDefinition;
  readonly text: string;
  readonly sha256: string;
  /** The headers or variables whose values are in the key store. */
  readonly secrets: readonly string[];
  readonly isApproved: boolean;
  /** In the named project, or in all. */
  readonly isOn: boolean;
  /** The named project's own switch; null when the general one applies. */
  readonly own: boolean | null;
  readonly state: 'not-approved' | 'off' | 'sign-in' | 'no-tools' | 'idle' | 'running' | 'failed';
  /** Null: it has no browser sign-in. */
  readonly signIn: SignInReport | null;
  /** Why it failed, and what to do. */
  readonly problem: string | null;
  /** When it answered last. Null: it is not known. */
  readonly reachedAt: number | null;
  /**
   * Why it cannot work in its container: it starts containers itself, or names a folder of this machine. Null: it can,
   * as far as known.
   */
  readonly hostOnly: 'engine' | 'path' | null;
  /** Hosts that it needs for its start, or asked for, and may not reach yet. The program chose the names. */
  readonly wants: readonly string[];
  /** The server's own name and protocol revision; null when it was not reached in this run. */
  readonly server: string | null;
  readonly tools: readonly ToolReport[];
  /** Number of its tools that are ignored: too many, too large, or unusable. */
  readonly leftOut: number;
  /** Names of some of these, in the server's words: those that the protocol does not allow as tools. */
  readonly unusable: readonly string[];
}

/** A well-known server that starts without an account. */
export interface KnownServer {
  readonly name: string;
  readonly does: string;
  /** The command line or the address. */
  readonly line: string;
  /** What is needed on this machine or asked for. Null: nothing. */
  readonly needs: string | null;
  /** It works on a folder that the user names. */
  readonly asksFolder: boolean;
}

/** The servers that were found in another program's file. */
export interface ServerImport {
  readonly added: readonly string[];
  /** Entries that were not imported, each with the reason. */
  readonly skipped: readonly string[];
  /** Values of variables or headers of the added servers that could not be stored, each with the reason. */
  readonly unkept: readonly string[];
  /** The variables or headers of the added servers that have no value yet, by the name of the server. */
  readonly unset: Readonly<Record<string, readonly string[]>>;
  /** What looks like a secret and would stay in the settings, masked. Then nothing was added, unless that is allowed. */
  readonly exposed: readonly string[];
}
