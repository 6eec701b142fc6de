import type { ImageFacts } from '@shared/attachments/image-facts.ts';
import type { Failure, Reply } from '@shared/errors.ts';
import type { LeftTask } from '@shared/events/tool-events.ts';
import type { PlanItem } from '@shared/events/conversation-events.ts';
import { z } from 'zod';
import type { NetworkDecision } from '../sandbox/network/network-decision.ts';
import type { ExecRequest, NetworkResult, Sandbox } from '../sandbox/sandbox.ts';
import type { RequestWeb, WebParts } from './web/web-request.ts';
import type { ForeignToolSpec } from '@shared/tools/foreign-tool-spec.ts';
import type { ProgramDoor } from './programs/program-calls.ts';
import type { FormValues, ServerForm } from '@shared/tools/server-form.ts';
import type { TestRunner } from '../projects/facts/project-facts.ts';

/**
 * What a tool does to the world; drives approval and what `--plan` allows. A tool never asks by itself. `web`: it reads
 * from the web by `requestWeb`, which asks for each host.
 */
export type Access = 'read' | 'write' | 'execute' | 'network' | 'web' | 'end';

/** What a run of a tool gives back. `output` is for the model; the caller caps it and keeps the whole. */
export interface ToolResult {
  /** `unknown`: it began, and nobody can say how it ended. */
  readonly status: 'ok' | 'error' | 'refused' | 'timed-out' | 'cancelled' | 'unknown';
  readonly output: string;
  readonly exitCode?: number | null;
  /** The result as data, for recipes and for the interface. JSON only. */
  readonly data?: unknown;
  readonly failure?: Failure;
  /** Of a tool of others: images that the person sees, and models that can. */
  readonly pictures?: readonly ResultPicture[];
}

/** An image that a tool gave back, as its bytes say. */
export interface ResultPicture extends ImageFacts {
  readonly bytes: Uint8Array;
}

/** What a tool may use while it runs. */
export interface ToolContext {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** Output as it comes, for people to see; it is also kept whole in a blob. */
  readonly emit: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
  /**
   * What the model last read of a file (SHA-256), so that a person's edit since is never overwritten.
   * `undefined`: the model has not read it.
   */
  readonly lastRead: (path: string) => string | undefined;
  readonly noteRead: (path: string, sha256: string) => void;
  /** Writes and deletions go through here: guards, `stale-file` checks and `file-changed` with both images. */
  readonly writeFile: (path: string, bytes: Uint8Array) => Promise<ToolResult | null>;
  readonly deleteFile: (path: string) => Promise<ToolResult | null>;
  /** The same with several, all of them or none. */
  readonly changeFiles: (files: readonly NewFile[]) => Promise<ToolResult | null>;
  readonly facts: ToolFacts;
  /** The call that it runs for. */
  readonly toolCallId?: string;
  /** Notes how far the plan is that the turn carries out; absent where it carries out none. */
  readonly notePlan?: (items: readonly PlanItem[]) => Promise<void>;
  /** Runs the command that was approved, with the hosts that were approved for it; absent where none was. */
  readonly runWithNetwork?: (command: NetworkCommand) => Promise<Reply<NetworkResult>>;
  /** Of a tool that works through accounts of the person: shows the link by which one is connected, and waits. */
  readonly askToConnect?: AskToConnect;
  /** Of a tool that Dewpoint does not bring: hears of each connection that it made or wanted to make. */
  readonly onNetwork?: (decision: NetworkDecision) => void;
  /** Of a web tool: makes a request that the fences and the person let through. */
  readonly requestWeb?: RequestWeb;
  /** The whole of a result that a model was shown a part of, by its id; null: of the last one. Null where there is none. */
  readonly keptResult?: (id: string | null) => Promise<string | null>;
  /** Of a foreign tool: answers what its server asks. */
  readonly serverDoor?: ServerDoor;
  /** Of a tool that runs a program: what that may call. */
  readonly programDoor?: ProgramDoor<Tool>;
}

/** `cancel`: there was nobody to ask, or the work was cancelled. */
export type FormAnswer =
  | { readonly action: 'accept'; readonly values: FormValues }
  | { readonly action: 'decline' | 'cancel' };

/** What the server of a tool may ask for while it works on a call. The person sees each as the server's own words. */
export interface ServerDoor {
  readonly form: (message: string, form: ServerForm) => Promise<FormAnswer>;
  /** `accept`: the person has seen the address; only they open it. */
  readonly link: (message: string, url: string) => Promise<FormAnswer['action']>;
  /** An answer of a model of the person's, who has seen the question, the model and the price. */
  readonly model: (question: ModelQuestion) => Promise<ModelAnswer>;
  /** While the server works on a task, no deadline of the call counts: a task has one of its own. */
  readonly whileTask?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Writes down which task the call became. */
  readonly noteTask?: (task: LeftTask) => Promise<void>;
}

/** What a server asks a model: its own words alone, nothing of the session. */
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

/** `why`: for the model that made the call, never for the server. */
export type ModelAnswer =
  | { readonly type: 'answered'; readonly model: string; readonly text: string; readonly isWhole: boolean }
  | { readonly type: 'refused'; readonly why: string };

/** An account at a service that a person is to connect, at this address. */
export interface AccountLink {
  readonly server: string;
  readonly toolkit: string | null;
  readonly url: string;
}

/** `settled` answers for the person, when the account is there or can no more be connected; null: nobody will know. */
export type AskToConnect = (
  link: AccountLink,
  settled: Promise<'allow' | 'deny'> | null,
) => Promise<'allow' | 'deny' | 'nobody'>;

/** A whole file as it is to be; `bytes` null: deleted. */
export interface NewFile {
  readonly path: string;
  readonly bytes: Uint8Array | null;
}

export type NetworkCommand = Pick<ExecRequest, 'command' | 'timeoutMs' | 'onOutput'>;

/** Facts of the project that tools need. */
export interface ToolFacts {
  /** The command that runs the project's tests; null when there is none. */
  readonly testCommand: string | null;
  readonly testRunner: TestRunner | null;
  readonly commandTimeoutMs: number;
  readonly maxWriteBytes: number;
}

/** The input of a foreign tool: its own schema for the model, word for word, and what checks values by it. */
export interface RawInput {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** Null: it fits. */
  readonly check: (value: unknown) => string | null;
}

export function isRawInput(input: Tool['input']): input is RawInput {
  return 'jsonSchema' in input;
}

/** What a tool takes, as JSON Schema. */
export function inputJsonSchema({ input }: Pick<Tool, 'input'>): Readonly<Record<string, unknown>> {
  return isRawInput(input) ? input.jsonSchema : { ...z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) };
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  readonly input: z.ZodType | RawInput;
  /** Set for a tool that Dewpoint does not bring: who answers, and where. */
  readonly foreign?: ForeignToolSpec;
  /** It reaches the web. Offered only where the user switched it on. */
  readonly isWeb?: boolean;
  /** It reads more of shortened results. Offered where results of others are shortened by their structure. */
  readonly isForResults?: boolean;
  /** It draws for the person. Offered where a session asked for something to be drawn. */
  readonly isForDrawing?: boolean;
  /** It lasts as long as the work that it started: no deadline of tools ends it. */
  readonly isLong?: true;
  /** It runs a program, which calls other tools. What it gives back is shortened by its structure. */
  readonly isProgram?: true;
  /** Only a model that needs no short prompt is told of it, or may call it. */
  readonly isForStrong?: true;
  /** The tool that a call with this input is: one name may do things of several kinds. */
  as?(input: unknown): Tool;
  /** No prompt names it: it is found on demand (`foreign/find-tools.ts`), and may be called then. */
  readonly isHidden?: true;
  /** One line for a person: "read src/a.ts", "run pytest -q". Must not throw for any parsed input. */
  label(input: unknown): string;
  /** `input` has been parsed by the schema. May throw; the caller turns that into an error the model reads. */
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

export interface ToolDefinition<Input extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  readonly input: Input;
  readonly isWeb?: true;
  readonly isForResults?: true;
  readonly isForDrawing?: true;
  readonly label: (input: z.infer<Input>) => string;
  readonly create: (
    dependencies: ToolDependencies,
  ) => (input: z.infer<Input>, context: ToolContext) => Promise<ToolResult>;
}

/** What `compose.ts` hands to every tool. */
export interface ToolDependencies {
  readonly now: () => number;
  /** What web tools work with; absent: in a replay and in tests, where none is run. */
  readonly web?: WebParts;
}

/** Marks an input (`.meta(forLarge)`) that a small model is not told of where it is held to a grammar. */
export const forLarge = { forLarge: true } as const;

/** Marks an input that only models are told of that get the full form of the prompt. */
export const forFull = { forLarge: 'full' } as const;

export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): ToolDefinition<Input> {
  return definition;
}
