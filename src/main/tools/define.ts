import type { ImageFacts } from '../lib/files/image-facts.ts';
import type { Failure, Reply } from '@shared/errors.ts';
import type { LeftTask } from '@shared/events/tool-events.ts';
import type { PlanItem } from '@shared/events/conversation-events.ts';
import { z } from 'zod';
import type { NetworkDecision } from '../sandbox/network/network-decision.ts';
import type { ExecRequest, NetworkResult, Sandbox } from '../sandbox/sandbox.ts';
import type { DrawPage, ReadDocument } from '../documents/read-document.ts';
import type { LanguageServersOf } from '../language-servers/language-servers.ts';
import type { OpenChosenFolders } from '../documents/search/chosen-folders.ts';
import type { SearchDocuments } from '../documents/search/search-documents.ts';
import type { RequestWeb, WebParts } from './web/web-request.ts';
import type { ConnectedToolSpec } from './connected/connected-tool-spec.ts';
import type { ProgramDoor } from './programs/program-calls.ts';
import type { MemoryPlace, ProposedLine } from '@shared/projects/memory-proposal.ts';
import type { FormValues, ServerForm } from '@shared/tools/server-form.ts';
import type { ReadRepository } from '../git/read-for-model.ts';
import type { ProjectSymbols } from '../symbols/project-symbols.ts';
import type { TestRunner } from '../projects/facts/project-facts.ts';

/**
 * What a tool does to the world. Decides about approval and about what `--plan` allows; a tool never asks by itself.
 * `web`: it reads from the web by `requestWeb`, which asks for each host.
 */
export type Access = 'read' | 'write' | 'execute' | 'network' | 'web' | 'end';

/** What a project may have that some tools need. */
export const projectParts = [
  'symbols',
  'language-server',
  'repository',
  'skills',
  'documents',
  'notebooks',
  'memory',
] as const;
export type ProjectPart = (typeof projectParts)[number];

/**
 * What a tool needs to be offered: a part of the project, the web with this tool switched on, results that were
 * shortened by their structure, a session that asked for a drawing, or a talk that may compute.
 */
export type ToolNeed = ProjectPart | 'web' | 'results' | 'drawing' | 'computing';

/** The result of one run of a tool. `output` is for the model; the caller cuts it to size and keeps the whole text. */
export interface ToolResult {
  /** `unknown`: it began, and its outcome is not known. */
  readonly status: 'ok' | 'error' | 'refused' | 'timed-out' | 'cancelled' | 'unknown';
  readonly output: string;
  readonly exitCode?: number | null;
  /** The result as data, for recipes and for the interface. JSON only. */
  readonly data?: unknown;
  readonly failure?: Failure;
  /** Images for the user, and for models that support images. */
  readonly pictures?: readonly ResultPicture[];
}

/** An image that a tool returned. Its type and size come from its bytes. */
export interface ResultPicture extends ImageFacts {
  readonly bytes: Uint8Array;
}

/** What a tool may use while it runs. */
export interface ToolContext {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** Streams output to the user while it is produced. The whole output is also kept in a blob. */
  readonly emit: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
  readonly files: ToolFiles;
  readonly facts: ToolFacts;
  /** The id of the tool call that this run belongs to. */
  readonly toolCallId?: string;
  /** Notes the progress of the plan that the turn carries out. Absent: the turn carries out no plan. */
  readonly notePlan?: (items: readonly PlanItem[]) => Promise<void>;
  /** Runs the approved command with the hosts that were approved for it. Absent: no network was approved. */
  readonly runWithNetwork?: (command: NetworkCommand) => Promise<Reply<NetworkResult>>;
  /** Only for tools that use the user's accounts at services: shows the link that connects an account, and waits. */
  readonly askToConnect?: AskToConnect;
  /** Only for tools that Dewpoint does not bring: called with each connection that the tool made or tried to make. */
  readonly onNetwork?: (decision: NetworkDecision) => void;
  /** Only for web tools: makes a request after the fences and the user have allowed it. */
  readonly requestWeb?: RequestWeb;
  /**
   * The whole text of a result that the model saw only a part of, by its id. With null: of the last such result.
   * Resolves to null if there is none.
   */
  readonly keptResult?: (id: string | null) => Promise<string | null>;
  /** What the person is asked. Absent: nobody can be asked, as in a program of the agent. */
  readonly person?: PersonDoor;
  /** Only for connected tools: answers the questions of their server. */
  readonly serverDoor?: ServerDoor;
  /** Only for a tool that runs programs: the tools that a program may call. */
  readonly programDoor?: ProgramDoor<Tool>;
}

/** What the model has read of files, and how it changes them. */
export interface ToolFiles {
  /**
   * SHA-256 of the version of a file that the model last read, so that a later edit by the user is never overwritten.
   * `undefined`: the model has not read the file.
   */
  readonly lastRead: (path: string) => string | undefined;
  readonly noteRead: (path: string, sha256: string) => void;
  /**
   * All changes go through here: it applies guards and `stale-file` checks, and logs `file-changed` with the file before
   * and after. Several files are changed all or none. Null: it was done.
   */
  readonly change: (files: readonly NewFile[]) => Promise<ToolResult | null>;
  /**
   * Puts back the values that the model sees as placeholders, where `file`, a file's whole text, holds them. Absent:
   * nothing is hidden.
   */
  readonly restoreHidden?: (text: string, file: string) => string;
}

export interface PersonQuestion {
  readonly question: string;
  readonly choices: readonly string[];
  /** What the model takes if the person allows it and does not answer; null: nothing. */
  readonly usual: string | null;
}

/** `default`: the person let the model's own answer count after a time. */
export type PersonAnswer =
  | { readonly type: 'answered' | 'default'; readonly text: string }
  | { readonly type: 'declined' | 'nobody' };

export type AskPerson = (asked: PersonQuestion) => Promise<PersonAnswer>;

/** `unfit`: the line may not be kept, and the person was not asked. */
type ProposalAnswer =
  | { readonly type: 'kept'; readonly text: string; readonly place: MemoryPlace }
  | { readonly type: 'unfit'; readonly why: string }
  | { readonly type: 'known' | 'declined' | 'nobody' };

export type ProposeLine = (proposed: ProposedLine) => Promise<ProposalAnswer>;

interface PersonDoor {
  /** Asks a question of the model. */
  readonly ask: AskPerson;
  /** Asks whether to keep a line, and keeps it. */
  readonly proposeLine: ProposeLine;
}

/** `cancel`: nobody could be asked, or the work was cancelled. */
export type FormAnswer =
  | { readonly action: 'accept'; readonly values: FormValues }
  | { readonly action: 'decline' | 'cancel' };

/** What the server of a tool may ask for during a call. The user sees each question as the server's own words. */
export interface ServerDoor {
  readonly form: (message: string, form: ServerForm) => Promise<FormAnswer>;
  /** `accept`: the user has seen the address. Only the user opens it. */
  readonly link: (message: string, url: string) => Promise<FormAnswer['action']>;
  /** Asks one of the user's models, after the user has seen the question, the model and the price. */
  readonly model: (question: ModelQuestion) => Promise<ModelAnswer>;
  /** Runs the wait for a task of the server. The deadline of the call does not count then: a task has its own. */
  readonly whileTask?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Logs which task of the server the call became. */
  readonly noteTask?: (task: LeftTask) => Promise<void>;
}

/** A server's question for a model. It holds only the server's own words, nothing of the session. */
export interface ModelQuestion {
  readonly system: string | null;
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly text: string;
    readonly pictures?: readonly ResultPicture[];
  }[];
  readonly maxTokens: number;
  readonly temperature: number | null;
  readonly stop: readonly string[];
}

/** `why` is for the model that made the call, never for the server. */
export type ModelAnswer =
  | { readonly type: 'answered'; readonly model: string; readonly text: string; readonly isWhole: boolean }
  | { readonly type: 'refused'; readonly why: string };

/** An account at a service, which the user can connect at this address. */
export interface AccountLink {
  readonly server: string;
  readonly toolkit: string | null;
  readonly url: string;
}

/** `settled` answers in the user's place once the account is connected or cannot be. Null: Dewpoint cannot find out. */
export type AskToConnect = (
  link: AccountLink,
  settled: Promise<'allow' | 'deny'> | null,
) => Promise<'allow' | 'deny' | 'nobody'>;

/** A file with its new content. `bytes` null: delete it. */
export interface NewFile {
  readonly path: string;
  readonly bytes: Uint8Array | null;
}

export type NetworkCommand = Pick<ExecRequest, 'command' | 'timeoutMs' | 'onOutput'>;

/** Facts about the project that tools need. */
export interface ToolFacts {
  /** The command that runs the project's tests, found anew, so that it knows tests that were just written; or null. */
  readonly findTests: (
    signal: AbortSignal,
  ) => Promise<{ readonly command: string; readonly runner: TestRunner } | null>;
  /** The most bytes of one file that the model is shown at once. */
  readonly shownBytes: number;
  /** The model that called it sees pictures. */
  readonly seesImages: boolean;
  /** The names in the project's sources; null: there is no project. */
  readonly symbols: ProjectSymbols | null;
  /** Reads the git repository of the workspace, without hidden files; null: there is no project. */
  readonly repository: ReadRepository | null;
  /** Opens the folders outside the project that documents are searched in, too. Absent: there are none. */
  readonly openChosenFolders?: OpenChosenFolders;
  readonly commandTimeoutMs: number;
  readonly maxWriteBytes: number;
}

/** The input of a connected tool: its schema, passed to the model word for word, and the check of values against it. */
export interface RawInput {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** Returns what is wrong with a value; null if it fits. */
  readonly check: (value: unknown) => string | null;
}

export function isRawInput(input: Tool['input']): input is RawInput {
  return 'jsonSchema' in input;
}

/** The input schema of a tool as JSON Schema. */
export function inputJsonSchema({ input }: Pick<Tool, 'input'>): Readonly<Record<string, unknown>> {
  return isRawInput(input) ? input.jsonSchema : { ...z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) };
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  readonly input: z.ZodType | RawInput;
  /** Set for a tool that Dewpoint does not bring: which server or file answers, and where it runs. */
  readonly connected?: ConnectedToolSpec;
  /** It is offered only where this is there, so that no other prompt pays for it. */
  readonly needs?: ToolNeed;
  /** It runs as long as the work that it started: no tool deadline ends it. */
  readonly isLong?: true;
  /** It runs a program that calls other tools. Its result is shortened by its structure. */
  readonly isProgram?: true;
  /** Only offered to, and callable by, models that do not need a short prompt. */
  readonly isForStrong?: true;
  /** Its result is a picture, so it is only offered to models that see pictures. */
  readonly isForSight?: true;
  /** Returns the tool that counts for this input. One name may cover several kinds of access. */
  as?(input: unknown): Tool;
  /** No prompt lists it. It is found on demand (`connected/find-tools.ts`), and can be called then. */
  readonly isHidden?: true;
  /** One line for the user: "read src/a.ts", "run pytest -q". Must not throw for any parsed input. */
  label(input: unknown): string;
  /** `input` has passed the schema. May throw; the caller turns that into an error for the model. */
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

export interface ToolDefinition<Input extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  readonly input: Input;
  readonly needs?: ToolNeed;
  readonly isForStrong?: true;
  readonly isForSight?: true;
  readonly label: (input: z.infer<Input>) => string;
  readonly create: (
    dependencies: ToolDependencies,
  ) => (input: z.infer<Input>, context: ToolContext) => Promise<ToolResult>;
}

/** What `compose.ts` hands to every tool. */
export interface ToolDependencies {
  readonly now: () => number;
  /** What web tools need. Absent: no web tool runs. */
  readonly web?: WebParts;
  /** Reads the text of documents such as PDFs. Absent: they count as binary files. */
  readonly readDocument?: ReadDocument;
  /** Draws pages of PDFs. Absent: none are drawn. */
  readonly drawPage?: DrawPage;
  /** The language servers of a sandbox. Absent: there are none. */
  readonly languageServers?: LanguageServersOf;
  readonly searchDocuments?: SearchDocuments;
}

/** Marks an input (`.meta(forLarge)`) that is hidden from small models whose output follows a grammar. */
export const forLarge = { forLarge: true } as const;

/** Marks an input that only models with the full form of the prompt see. */
export const forFull = { forLarge: 'full' } as const;

/**
 * Describes an input whose name says all to a model. People read the words where the input is shown to them; no prompt
 * pays for them.
 */
export function forPerson(description: string): { readonly description: string; readonly isForPerson: true } {
  return { description, isForPerson: true };
}

export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): ToolDefinition<Input> {
  return definition;
}
