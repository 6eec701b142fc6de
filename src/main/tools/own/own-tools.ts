import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { AppError, type Reply } from '@shared/errors.ts';
import type { ConnectedToolSpec } from '../connected/connected-tool-spec.ts';
import type { AnnouncedCall, OwnToolFacts, OwnToolSource } from '@shared/tools/own-tool.ts';
import type { ProgramWriter } from '@shared/tools/program-writer.ts';
import { ownToolServers, runsApart } from '@shared/tools/own-tool.ts';
import { programLanguageOf } from '@shared/tools/program-tool.ts';
import { projectWord } from '@shared/tools/server-definition.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { ExecRequest, ExecResult } from '../../sandbox/sandbox.ts';
import type { RunApart } from '../../sandbox/tool-containers.ts';
import type { ToolResult } from '../define.ts';
import type { ConnectedCallWays, OfferedTool, ToolSource } from '../connected/connected-tool.ts';
import { ownOf, type ProjectWords } from '../servers/project-words.ts';
import type { ProgramWays } from '../programs/run-program.ts';
import { runProgram } from '../programs/run-program.ts';
import { errorResult, wholeText } from '../values/tool-results.ts';
import type { OwnToolNotes, OwnToolRecord } from './own-tool-record.ts';
import { nothingNoted } from './own-tool-record.ts';
import type { SyntaxLoader } from './read-declaration.ts';
import { runOwnTool, type RunnableTool } from './run-own-tool.ts';
import type { FolderPlace, ToolFile } from './tool-folder.ts';
import { folderPath, readToolFile, readToolFolder } from './tool-folder.ts';
import { orNoted } from '../../lib/log.ts';

export interface OwnToolsOptions extends Pick<ProjectWords, 'projects'> {
  readonly home: string;
  readonly loadSyntax: SyntaxLoader;
  readonly record: OwnToolRecord;
  /** Names in use by built-in tools and servers, and by which. */
  readonly taken: () => ReadonlyMap<string, string>;
  /** Names that are switched off in general. */
  readonly off: () => readonly string[];
  /** The value of a secret, by its name in the key store. Null: it is not set. */
  readonly secret: (name: string) => Promise<string | null>;
  readonly runApart: RunApart;
  readonly now: () => number;
}

/** A tool file as seen from a project, with the problem that keeps it from being used. */
export interface ListedTool extends ToolFile {
  readonly source: OwnToolSource;
  /** Null: the file is broken. */
  readonly tool: RunnableTool | null;
  readonly problem: string | null;
  readonly state: 'ready' | 'not-approved' | 'changed' | 'broken';
  readonly isWanted: boolean;
  readonly own: boolean | null;
  /** For a kept program: what wrote exactly these bytes; null: unknown. */
  readonly writer: ProgramWriter | null;
}

export interface ListedTools {
  readonly tools: readonly ListedTool[];
  readonly folders: readonly string[];
  readonly problems: readonly string[];
  readonly notes: OwnToolNotes;
}

/** Tools from files: the user's own in Dewpoint's home, and those of projects once their bytes were approved. */
export interface OwnTools {
  readonly forProject: (projectPath: string | null) => ToolSource;
  /** Reads the folders again. Never rejects. */
  readonly list: (projectPath: string | null) => Promise<ListedTools>;
  /** Runs a tool outside of any session, in a container without files of the project. */
  readonly run: (
    listed: Pick<ListedTool, 'tool' | 'source' | 'path'>,
    input: Readonly<Record<string, unknown>>,
    how: Pick<ConnectedCallWays, 'signal' | 'onProgress'> & { readonly projectPath: string | null },
  ) => Promise<ToolResult>;
}

export function createOwnTools(options: OwnToolsOptions): OwnTools {
  const list: OwnTools['list'] = (projectPath) => listTools(options, projectPath);
  return {
    list,
    forProject: (projectPath) => ({
      offered: async () => offeredTools(options, await list(projectPath)),
      call: async (spec, input, how) => {
        try {
          const tool = await toolToCall(options, { spec, projectPath });
          return await callTool(options, { tool, input, projectPath, ...how });
        } catch (error) {
          if (how.signal.aborted) return { status: 'cancelled', output: 'It was cancelled. It was not run.' };
          return {
            status: error instanceof AppError && error.code === 'refused' ? 'refused' : 'error',
            output: wholeText(error),
          };
        }
      },
      // A program that is no longer approved cannot be imported.
      programText: (spec) =>
        toolToCall(options, { spec, projectPath }).then(
          ({ text }) => text,
          () => null,
        ),
    }),
    run: ({ tool, source, path }, input, how) => {
      if (tool === null) throw new AppError('bad-input', `${path} is broken, so it cannot be run.`);
      return callTool(options, { tool: { ...tool, source, path, writer: null }, input, ...how });
    },
  };
}

/** The folder of a source. Null: the source is a project, and there is none. */
export function placeOf(
  { home }: Pick<OwnToolsOptions, 'home'>,
  source: OwnToolSource,
  projectPath: string | null,
): FolderPlace | null {
  if (source === 'home') return { root: home, names: ['tools'] };
  return projectPath === null || hasNoFolder(projectPath) ? null : { root: projectPath, names: ['.dewpoint', 'tools'] };
}

/** Why there is no such folder, and what works instead. */
export function noPlace(projectPath: string | null): AppError {
  if (projectPath === null) return new AppError('bad-input', 'Name the project.');
  return new AppError(
    'bad-input',
    'This project has no folder, and its own tools would be files there. Nothing was written.',
    {
      hint: 'Make the tool for everywhere: leave out --project. Then switch it off everywhere and on in this project: dewpoint tools off NAME, dewpoint tools on NAME --project PROJECT',
    },
  );
}

/** The name of a secret in the key store. Tools that use the same variable name have separate values. */
export function secretKey(file: string, variable: string, projectPath: string | null): string {
  const owner = projectPath === null ? 'home' : sha256Of(projectPath).slice(0, 16);
  return `own-tools.${owner}.${file}.${variable}`;
}

/** Two projects may have tools of the same name, whose kept folders must stay separate. */
export function apartName(name: string, projectPath: string | null): string {
  return `${name}-${sha256Of(projectPath ?? '').slice(0, 8)}`;
}

async function listTools(options: OwnToolsOptions, projectPath: string | null): Promise<ListedTools> {
  const tools: ListedTool[] = [];
  const folders: string[] = [];
  const problems: string[] = [];
  const notes = await options.record.read().catch((error: unknown) => {
    problems.push(wholeText(error));
    return nothingNoted;
  });
  const taken = new Map(options.taken());
  for (const source of ['home', 'project'] as const) {
    const place = placeOf(options, source, projectPath);
    if (place === null) continue;
    const folder = await readToolFolder(place, options.loadSyntax);
    folders.push(folderPath(place));
    problems.push(...folder.problems);
    for (const file of folder.files) tools.push(listed(options, { file, source, projectPath, notes, taken }));
  }
  return { tools, folders, problems, notes };
}

interface Listing {
  readonly file: ToolFile;
  readonly source: OwnToolSource;
  readonly projectPath: string | null;
  readonly notes: OwnToolNotes;
  /** Names in use, and by whom. The first tool with a name keeps it. */
  readonly taken: Map<string, string>;
}

function listed(options: OwnToolsOptions, { file, source, projectPath, notes, taken }: Listing): ListedTool {
  const { read, text, path } = file;
  const broken = { ...file, source, tool: null, state: 'broken', isWanted: true, own: null, writer: null } as const;
  if ('problem' in read) return { ...broken, problem: read.problem };
  const owner = taken.get(read.name);
  if (owner !== undefined)
    return { ...broken, problem: `Its name, ${read.name}, is taken by ${owner}. Give it another one.` };
  taken.set(read.name, path);
  const own = projectWord(ownOf(options, projectPath), ownToolServers[source], read.name);
  const isOff = source === 'home' && options.off().includes(read.name);
  const tool = { ...read, file: file.file, text };
  const state = source === 'home' ? 'ready' : approvalOf(file, notes);
  return { ...file, source, tool, problem: null, state, isWanted: own ?? !isOff, own, writer: writerIn(notes, file) };
}

function writerIn({ versions }: OwnToolNotes, { path, sha256 }: ToolFile): ProgramWriter | null {
  const known = Object.hasOwn(versions, path) ? versions[path] : undefined;
  return known?.findLast((one) => one.sha256 === sha256)?.writer ?? null;
}

function approvalOf({ path, sha256 }: ToolFile, { approved }: OwnToolNotes): 'ready' | 'not-approved' | 'changed' {
  const yes = Object.hasOwn(approved, path) ? approved[path] : undefined;
  if (yes === undefined) return 'not-approved';
  return yes.sha256 === sha256 ? 'ready' : 'changed';
}

async function offeredTools(options: OwnToolsOptions, { tools, notes }: ListedTools): Promise<readonly OfferedTool[]> {
  const ready = tools.filter(({ state, isWanted }) => state === 'ready' && isWanted);
  const now = options.now();
  const fresh = ready.filter(({ path }) => !Object.hasOwn(notes.seenAt, path)).map(({ path }) => [path, now] as const);
  if (fresh.length > 0) {
    const change = options.record.change((all) => ({
      ...all,
      seenAt: { ...Object.fromEntries(fresh), ...all.seenAt },
    }));
    // Recording the order may fail; the tools are still offered.
    await change.catch(() => undefined);
  }
  const times = { ...Object.fromEntries(fresh), ...notes.seenAt };
  return ready.flatMap((one) => {
    const spec = specOf(one);
    return spec === null ? [] : [{ spec, at: times[one.path] ?? now }];
  });
}

export function specOf({ tool, source, file, sha256, writer }: ListedTool): ConnectedToolSpec | null {
  if (tool === null) return null;
  const { description, secrets, hosts, timeout_seconds: timeoutSeconds } = tool.declaration;
  const isProgram = tool.declaration.calls !== undefined;
  const own: OwnToolFacts = { source, file, sha256, secrets, hosts, timeoutSeconds };
  const facts = isProgram ? { ...own, isProgram: true as const, ...(writer === null ? {} : { writer }) } : own;
  return {
    name: tool.name,
    server: ownToolServers[source],
    tool: tool.name,
    description,
    inputSchema: inputSchemaOf(tool),
    leaves: hosts.length > 0,
    readsFiles: !runsApart(facts),
    own: facts,
  };
}

export function inputSchemaOf({ declaration }: Pick<RunnableTool, 'declaration'>): ConnectedToolSpec['inputSchema'] {
  return { type: 'object', ...declaration.input_schema };
}

interface Called extends RunnableTool {
  readonly source: OwnToolSource;
  readonly path: string;
  readonly writer: ProgramWriter | null;
}

/**
 * The tool of a spec, from its current file. A project's tool must be approved to the byte. The user's own tool may
 * have changed since it was offered, but its declaration must be the same.
 */
async function toolToCall(
  options: OwnToolsOptions,
  { spec, projectPath }: { readonly spec: ConnectedToolSpec; readonly projectPath: string | null },
): Promise<Called> {
  const refused = (why: string): AppError =>
    new AppError('refused', `${spec.name} ${why} It was not run. Go on without it.`);
  const { own } = spec;
  const place = own === undefined ? null : placeOf(options, own.source, projectPath);
  if (own === undefined || place === null) throw refused('is no tool of this session.');
  const file = await readToolFile(place, own.file, options.loadSyntax);
  if (file === null) throw refused('is gone: its file is not there any more.');
  const notes = own.source === 'home' ? nothingNoted : await options.record.read();
  // Name conflicts were checked when the tool was offered.
  const now = listed(options, { file, source: own.source, projectPath, notes, taken: new Map() });
  if (now.tool === null) throw refused(`is broken since it was offered. ${now.problem ?? ''}`);
  if (!now.isWanted) throw refused('was switched off.');
  if (now.state !== 'ready') throw refused('is another file than the one that was approved.');
  const isSame = own.source === 'home' ? isSameDeclaration(spec, now) : now.sha256 === own.sha256;
  if (!isSame) throw refused('changed its declaration during this message. It is available again with the next one.');
  return { ...now.tool, source: own.source, path: file.path, writer: now.writer };
}

function isSameDeclaration(spec: ConnectedToolSpec, now: ListedTool): boolean {
  const plain = (one: ConnectedToolSpec | null): string => JSON.stringify({ ...one, own: { ...one?.own, sha256: '' } });
  return plain(spec) === plain(specOf(now));
}

interface OwnCall extends ConnectedCallWays {
  readonly tool: Called;
  readonly input: Readonly<Record<string, unknown>>;
  readonly projectPath: string | null;
}

async function callTool(options: OwnToolsOptions, call: OwnCall): Promise<ToolResult> {
  const { tool, input, signal, onProgress } = call;
  if (tool.declaration.calls !== undefined) return callProgram(options, call, tool.declaration.calls);
  const secrets = await secretsFor(options, call);
  const result = await runOwnTool({ tool, input, secrets, signal, onProgress, run: runnerOf(options, call) });
  await noteUse(options, tool.path);
  // The log records which bytes ran.
  return { ...result, data: { file: tool.file, sha256: sha256Of(tool.text) } };
}

/** Its calls are handled like those of a program that a model just wrote. */
async function callProgram(
  options: OwnToolsOptions,
  { tool, input, signal, onProgress, sandbox, programDoor }: OwnCall,
  calls: readonly AnnouncedCall[],
): Promise<ToolResult> {
  const { description, timeout_seconds: timeoutSeconds } = tool.declaration;
  if (sandbox === undefined || programDoor === undefined)
    return errorResult(`${tool.name} is a program that calls tools. It runs only in a session.`);
  const decoder = new TextDecoder();
  const emit: ProgramWays['emit'] = (_stream, bytes) => onProgress(decoder.decode(bytes, { stream: true }));
  const language = programLanguageOf(tool.file) ?? 'python';
  const asked = {
    plan: description,
    calls: [...calls],
    program: tool.text,
    language,
    timeoutSeconds,
    arguments: input,
    kept: { writer: tool.writer },
  };
  const result = await runProgram(asked, { programDoor, sandbox, emit, signal });
  await noteUse(options, tool.path);
  return result;
}

function runnerOf(
  { runApart }: OwnToolsOptions,
  { tool, sandbox, onNetwork, projectPath }: OwnCall,
): (request: ExecRequest, signal: AbortSignal) => Promise<Reply<ExecResult>> {
  const { declaration, source, name } = tool;
  if (sandbox !== undefined && !runsApart(declaration)) return (request, signal) => sandbox.exec(request, signal);
  const folder = source === 'home' ? name : apartName(name, projectPath);
  const way = onNetwork === undefined ? {} : { onDecision: onNetwork };
  return (request, signal) => runApart(folder, { ...request, hosts: declaration.hosts, ...way }, signal);
}

async function secretsFor(
  { secret }: OwnToolsOptions,
  { tool, projectPath }: OwnCall,
): Promise<Readonly<Record<string, string>>> {
  const owner = tool.source === 'home' ? null : projectPath;
  const found: [string, string][] = [];
  for (const variable of tool.declaration.secrets) {
    const value = await secret(secretKey(tool.file, variable, owner));
    if (value === null)
      throw new AppError('missing-key', `${tool.name} needs a value for ${variable}. It was not run.`, {
        hint: `The person can save it: dewpoint tools secret ${tool.name} ${variable}`,
      });
    found.push([variable, value]);
  }
  return Object.fromEntries(found);
}

async function noteUse({ record, now }: OwnToolsOptions, path: string): Promise<void> {
  const at = now();
  const noted = record.change((all) => ({ ...all, usedAt: { ...all.usedAt, [path]: at } }));
  // The time of use is only for display, so a failure does not affect the call.
  await noted.catch(orNoted('When a tool was used was not saved', undefined));
}
