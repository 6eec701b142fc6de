import { z } from 'zod';
import { canonicalHost } from '@shared/safety/host-name.ts';

/** No two underscores beside each other: those are in names of server tools, so neither can be taken for the other. */
export const ownToolNameSchema = z
  .string()
  .regex(/^(?!.*__)[a-z][a-z0-9_]{0,47}$/, 'use 1 to 48 small letters, digits and single underscores, a letter first');

const secretNameSchema = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'use capital letters, digits and underscores, a letter first');

const hostSchema = z.string().refine((name) => canonicalHost(name) === name, {
  error: 'give exact names of public hosts, in small letters, such as api.example.org',
});

const longestSchema = 32 * 1024;

const inputSchema = z
  .record(z.string(), z.unknown())
  .refine(({ type }) => type === undefined || type === 'object', { error: 'its type must be object' })
  .refine((schema) => JSON.stringify(schema).length <= longestSchema, { error: 'it is longer than 32 KB' });

/** A call that a program announces: the tool, how many at most, and where. */
export const announcedSchema = z.object({
  tool: z.string(),
  most: z.number(),
  hosts: z.array(z.string()).optional(),
  paths: z.array(z.string()).optional(),
});
export type Announced = z.infer<typeof announcedSchema>;

/** What the file of a tool says of it, in its header or in the object that it exports. */
export const ownToolDeclarationSchema = z.strictObject({
  /** Without one it is called as its file is. */
  name: ownToolNameSchema.optional(),
  description: z.string().trim().min(1).max(4_000),
  input_schema: inputSchema.default({ type: 'object', properties: {} }),
  /** Kept in the key store, and given to its calls alone, as variables. */
  secrets: z.array(secretNameSchema).max(20).default([]),
  /** What it may reach, by name, on ports 80 and 443. */
  hosts: z.array(hostSchema).max(20).default([]),
  timeout_seconds: z.int().min(1).max(600).default(60),
  /** It is a program that calls tools: these, and no others. It reaches hosts by them alone. */
  calls: z.array(announcedSchema).max(100).optional(),
  version: z.int().min(1).optional(),
});
export type OwnToolDeclaration = z.infer<typeof ownToolDeclarationSchema>;

/** `home`: in the tools folder of Dewpoint's home. `project`: in `.dewpoint/tools` of a project. */
export const ownToolSourceSchema = z.enum(['home', 'project']);
export type OwnToolSource = z.infer<typeof ownToolSourceSchema>;

/** As a server of this name it stands in logs and lists; no server can have one with a space. */
export const ownToolServers = { home: 'your tools', project: 'project tools' } as const satisfies Readonly<
  Record<OwnToolSource, string>
>;

/** What else there is to know of a tool from a file; it stands in the facts of a turn with its spec. */
export const ownToolFactsSchema = z.object({
  source: ownToolSourceSchema,
  file: z.string(),
  /** Of the whole file. */
  sha256: z.string(),
  secrets: z.array(z.string()),
  hosts: z.array(z.string()),
  timeoutSeconds: z.number(),
  /** A program that was kept: it calls tools. */
  isProgram: z.literal(true).optional(),
});
export type OwnToolFacts = z.infer<typeof ownToolFactsSchema>;

/**
 * What can reach a host or knows a secret runs in a container that has none of the project's files; anything else runs
 * beside the commands of its session, in the workspace.
 */
export function runsApart({
  secrets,
  hosts,
}: {
  readonly secrets: readonly string[];
  readonly hosts: readonly string[];
}): boolean {
  return secrets.length > 0 || hosts.length > 0;
}

export const ownToolLanguages = ['python', 'js', 'sh'] as const;
export const ownToolExamples = ['create_issue', 'chat_message'] as const;

/** More is no tool's file. */
export const mostToolCharacters = 256 * 1024;

/** The text of a tool's file, and what the file is called. */
export interface OwnToolFile {
  readonly file: string;
  readonly text: string;
}

/** What a text would be as the file of a tool. */
export interface OwnToolDraft {
  readonly text: string;
  /** What it says of its tool, under the name that it has; null: it is broken, or cannot say what it was to say. */
  readonly declaration: (OwnToolDeclaration & { readonly name: string }) | null;
  /** Why, with the line where there is one. */
  readonly problem: string | null;
}

/** One file of a folder of tools, for people. */
export interface OwnToolReport {
  readonly source: OwnToolSource;
  readonly file: string;
  /** Where it lies. */
  readonly path: string;
  /** Of a broken one: as its file is called. */
  readonly name: string;
  readonly description: string;
  /** Only `ready` ones are offered. `changed`: a project's, since somebody said yes to it. */
  readonly state: 'ready' | 'not-approved' | 'changed' | 'broken';
  /** Why it is broken, with the line where there is one. */
  readonly problem: string | null;
  /** It is offered to models, in the project that was asked about or in all. */
  readonly isOn: boolean;
  /** The switch: also of one that is not approved. */
  readonly isWanted: boolean;
  /** What the project that was asked about says itself; null: it goes by the general word. */
  readonly own: boolean | null;
  readonly sha256: string;
  readonly tokens: number;
  readonly secrets: readonly string[];
  readonly hosts: readonly string[];
  readonly timeoutSeconds: number;
  /** The whole file, where it waits for a yes, and how it differs from what had one; null where nearly all does. */
  readonly text: string | null;
  readonly diff: string | null;
  readonly lastUsedAt: number | null;
  /** Of a program that was kept: its version, and what it may call. Null: it is none. */
  readonly program: { readonly version: number; readonly calls: readonly Announced[] } | null;
}

/** A version of a kept program, and how it differs from the one before it. */
export interface KeptVersion {
  readonly version: number;
  readonly sha256: string;
  readonly keptAt: number;
  /** Where its model wrote it; empty: a person changed it by hand. */
  readonly sessionId: string;
  readonly text: string;
  /** Null: it is the first that is known, or nearly all differs. */
  readonly diff: string | null;
}

export interface OwnToolsReport {
  /** Of the home, and of the project that was asked about. */
  readonly folders: readonly string[];
  readonly tools: readonly OwnToolReport[];
  /** Why a folder could not be read, or not all of it. */
  readonly problems: readonly string[];
}
