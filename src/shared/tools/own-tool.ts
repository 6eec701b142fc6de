import { z } from 'zod';
import type { ProgramWriter } from './program-writer.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';

/** No two adjacent underscores: names of server tools contain those, so the two cannot be confused. */
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

/** A call that a program announces: the tool, the most calls, and where. */
export const announcedSchema = z.object({
  tool: z.string(),
  most: z.number(),
  hosts: z.array(z.string()).optional(),
  paths: z.array(z.string()).optional(),
});
export type AnnouncedCall = z.infer<typeof announcedSchema>;

/** What a tool's file says about the tool, in its header or in the exported object. */
export const ownToolDeclarationSchema = z.strictObject({
  /** Absent: the name of its file. */
  name: ownToolNameSchema.optional(),
  description: z.string().trim().min(1).max(4_000),
  input_schema: inputSchema.default({ type: 'object', properties: {} }),
  /** Kept in the key store, and given only to its own calls, as variables. */
  secrets: z.array(secretNameSchema).max(20).default([]),
  /** The hosts that it may reach, by name, on ports 80 and 443. */
  hosts: z.array(hostSchema).max(20).default([]),
  timeout_seconds: z.int().min(1).max(600).default(60),
  /** Set for a program that calls tools: these and no others. It reaches hosts only through them. */
  calls: z.array(announcedSchema).max(100).optional(),
  version: z.int().min(1).optional(),
});
export type OwnToolDeclaration = z.infer<typeof ownToolDeclarationSchema>;

/** `home`: in the tools folder of Dewpoint's home. `project`: in `.dewpoint/tools` of a project. */
export const ownToolSourceSchema = z.enum(['home', 'project']);
export type OwnToolSource = z.infer<typeof ownToolSourceSchema>;

/** The server name of such tools in logs and lists. No server can have a name with a space. */
export const ownToolServers = { home: 'your tools', project: 'project tools' } as const satisfies Readonly<
  Record<OwnToolSource, string>
>;

/** What wrote a kept program: `ProgramWriter`. */
export const programWriterSchema = z.object({
  model: z.string().nullable(),
  digest: z.string().nullable(),
  app: z.string(),
}) satisfies z.ZodType<ProgramWriter>;

/** Further facts about a tool from a file. A turn's facts hold them with its spec. */
export const ownToolFactsSchema = z.object({
  source: ownToolSourceSchema,
  file: z.string(),
  /** Of the whole file. */
  sha256: z.string(),
  secrets: z.array(z.string()),
  hosts: z.array(z.string()),
  timeoutSeconds: z.number(),
  /** A kept program: it calls tools. */
  isProgram: z.literal(true).optional(),
  /** What wrote the program; absent: unknown. */
  writer: programWriterSchema.optional(),
});
export type OwnToolFacts = z.infer<typeof ownToolFactsSchema>;

/**
 * Whether a tool runs in a container without the project's files, because it can reach a host or knows a secret. Other
 * tools run beside the commands of their session, in the workspace.
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

/** The most characters of a tool's file. */
export const mostToolCharacters = 256 * 1024;

/** The text of a tool's file, and the file's name. */
export interface OwnToolFile {
  readonly file: string;
  readonly text: string;
}

/** The result of checking a text as a tool's file. */
export interface OwnToolCheck {
  /** Its declaration, with its name; null when it is broken. */
  readonly declaration: (OwnToolDeclaration & { readonly name: string }) | null;
  /** The reason, with the line if there is one. */
  readonly problem: string | null;
}

/** One file of a tools folder, for people. */
export interface OwnToolReport {
  readonly source: OwnToolSource;
  readonly file: string;
  /** The path of the file. */
  readonly path: string;
  /** For a broken one: the name of its file. */
  readonly name: string;
  readonly description: string;
  /** Only `ready` tools are offered. `changed`: a project's tool that changed after its approval. */
  readonly state: 'ready' | 'not-approved' | 'changed' | 'broken';
  /** Why it is broken, with the line if there is one. */
  readonly problem: string | null;
  /** Whether models are offered it, in the named project or in all. */
  readonly isOn: boolean;
  /** Whether it is switched on, even if it is not approved. */
  readonly isWanted: boolean;
  /** The named project's own switch; null when the general one applies. */
  readonly own: boolean | null;
  readonly sha256: string;
  readonly tokens: number;
  readonly secrets: readonly string[];
  readonly hosts: readonly string[];
  readonly timeoutSeconds: number;
  /**
   * The whole file if it waits for an approval, and its difference from the approved one; null when nearly everything
   * differs.
   */
  readonly text: string | null;
  readonly diff: string | null;
  readonly lastUsedAt: number | null;
  /** For a kept program: its version, and the calls it may make. Null for other tools. */
  readonly program: {
    readonly version: number;
    readonly calls: readonly AnnouncedCall[];
    readonly writer: ProgramWriter | null;
    /** Its model and Dewpoint as they are today. */
    readonly today: ProgramWriter;
  } | null;
}

/** A version of a kept program, and its difference from the version before. */
export interface KeptVersion {
  readonly version: number;
  readonly sha256: string;
  readonly keptAt: number;
  /** The session in which its model wrote it; empty when the user edited it by hand. */
  readonly sessionId: string;
  readonly text: string;
  /** What wrote it; null: unknown, as for a text that the user edited. */
  readonly writer: ProgramWriter | null;
  /** Null for the first known version, or when nearly everything differs. */
  readonly diff: string | null;
}

export interface OwnToolsReport {
  /** The folders of the home and of the named project. */
  readonly folders: readonly string[];
  readonly tools: readonly OwnToolReport[];
  /** Why a folder could not be read in full. */
  readonly problems: readonly string[];
}
