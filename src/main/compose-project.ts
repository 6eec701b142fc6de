import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { success, type Reply } from '@shared/errors.ts';
import { projectOfSession, recordOfKey } from '@shared/projects/project-keys.ts';
import type { ProjectMap } from '@shared/projects/project-map.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { filesForReading, type FolderBase } from './compose-folders.ts';
import { createDocumentPlaces, type DocumentPlaces, type DocumentPlacesOptions } from './documents/document-places.ts';
import { createKnowledgeFiles } from './documents/knowledge/knowledge-files.ts';
import { besideChosen, type OpenChosenFolders } from './documents/search/chosen-folders.ts';
import { hasDocuments } from './documents/search/search-documents.ts';
import type { LanguageServersOf } from './language-servers/language-servers.ts';
import type { HostPrograms } from './lib/programs/host-programs.ts';
import { mayBeThere, realPathOf } from './lib/files/host-folder.ts';
import { isNotebookName } from './lib/files/document-kind.ts';
import type { MemoryFiles } from './memory/memory-files.ts';
import { toolFolderOf } from './sandbox/tool-containers.ts';
import { createReadOnlySandbox } from './sandbox/read-only/read-only-sandbox.ts';
import { createProjectImages } from './sandbox/images/project-images.ts';
import { moveDependencies } from './sandbox/packages/dependency-records.ts';
import { createPackagePreparations } from './sandbox/packages/package-preparations.ts';
import type { SandboxFactory } from './sandbox/sandbox-factory.ts';
import { withFalseAnswers } from './sandbox/false-answers.ts';
import { createSandboxFactory } from './sandbox/sandbox-factory.ts';
import { checkWorkspace } from './sandbox/workspace/prepare-workspace.ts';
import type { HiddenReach } from './sessions/attachments/hidden-files.ts';
import type { SessionStore } from './sessions/store/session-store.ts';
import type { AssistantFiles } from './settings/assistant-files.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { templatesIn, type ProjectPrompts } from './settings/template-files.ts';
import { createProjectSetup } from './projects/configure-project.ts';
import type { ProjectContents } from './projects/describe-removal.ts';
import { moveOrigin } from './projects/project-origin.ts';
import { createProjectStore, type Moving } from './projects/project-store.ts';
import { moveFenceMemory } from './safety/fence-memory.ts';
import type { ProjectInstructions } from './safety/instructions/project-instructions.ts';
import {
  moveFolderOfSessions,
  restSessions,
  type FolderMoveOptions,
  type RestOptions,
} from './sessions/library/move-sessions.ts';
import { moveOwnTools } from './tools/own/move-own-tools.ts';
import type { OwnToolCommandsOptions } from './tools/own/own-tool-report.ts';
import type { HomeMoney } from './money/home-money.ts';
import type { RouteRecord } from './routing/record/route-record.ts';
import type { HomeKeys } from './safety/keys/home-keys.ts';
import { moveKeptRules } from './safety/rule-files.ts';
import { moveHidden } from './sandbox/workspace/hidden-memory.ts';
import { moveGuardRecords } from './sandbox/workspace/repositories/guard-record.ts';
import { gatherFacts } from './projects/facts/gather-project-facts.ts';
import { createFindParts } from './projects/facts/project-parts.ts';
import { readEnvironment } from './projects/facts/read-environment.ts';
import { createSymbolClient } from './symbols/process/symbol-client.ts';
import {
  createProjectSymbols,
  hasManyNames,
  type ProjectSymbols,
  type ProjectSymbolsOptions,
} from './symbols/project-symbols.ts';
import type { SessionProject } from './agent/turn/agent-dependencies.ts';

/** What is known of a project besides its files: the names in its sources, and the errors that an edit brings. */
export type KnownOfProject = 'names' | 'diagnostics';

/**
 * What every session finds out about its project at the start of a turn. A new part gets its finder here. `without`
 * leaves parts out, to measure what they are worth.
 */
export function createProjectParts(
  { languageServers }: { readonly languageServers: LanguageServersOf },
  { without = () => [] }: { readonly without?: (() => readonly KnownOfProject[]) | undefined },
): Pick<SessionProject, 'gatherFacts' | 'findParts' | 'readEnvironment' | 'languageServers'> {
  return {
    gatherFacts,
    readEnvironment,
    languageServers: (sandbox) => {
      const servers = languageServers(sandbox);
      if (!without().includes('diagnostics')) return servers;
      return { ...servers, warm: () => undefined, newErrors: async () => ({ type: 'none' }) };
    },
    findParts: createFindParts([
      ['repository', async ({ facts }) => facts.git],
      ['symbols', async ({ facts }) => !without().includes('names') && hasManyNames(facts)],
      [
        'language-server',
        async ({ sandbox, facts: { sourceFiles, testFiles } }, signal) =>
          (await languageServers(sandbox).namesFor([...sourceFiles, ...testFiles], signal)).length > 0,
      ],
      ['documents', async ({ paths }) => hasDocuments(await paths())],
      ['notebooks', async ({ paths }) => (await paths()).some(isNotebookName)],
    ]),
  };
}

interface SymbolBase extends FolderBase {
  readonly files: { readonly node: string; readonly symbolsProcess: string };
  readonly programs: HostPrograms;
}

/** The names in the sources of projects. */
export function createSymbolParts(
  config: { readonly home: string; readonly cache: string },
  { files, programs, settings, rules }: SymbolBase,
) {
  const client = createSymbolClient({
    programs,
    nodePath: files.node,
    processPath: files.symbolsProcess,
    databasePath: join(config.cache, 'symbols.sqlite'),
  });
  const symbols = (of: Omit<ProjectSymbolsOptions, 'client'>): ProjectSymbols =>
    createProjectSymbols({ ...of, client });
  const mapProject = async (
    folder: string,
    ask: { readonly words: string; readonly tokens: number },
    signal: AbortSignal,
  ): Promise<Reply<ProjectMap>> => {
    const files = await filesForReading(folder, { homePath: config.home, settings, rules }, signal);
    const project = symbols({ project: folder, files });
    const updated = await project.update(signal);
    if (!updated.ok) return updated;
    const map = await project.map({ ...ask, touched: [] }, signal);
    return map.ok ? success({ ...map.value, isCut: updated.value.isCut }) : map;
  };
  return { symbols, mapProject, disposeSymbols: client.dispose };
}

/** Places in documents that answers cite. What is hidden from models is not shown either. */
export function createPlaceParts({
  hiddenIn,
  chosenFolders,
  settings,
  ...parts
}: Omit<DocumentPlacesOptions, 'filesOf'> &
  HiddenReach & {
    readonly chosenFolders: (project: string) => OpenChosenFolders;
    readonly settings: { readonly current: () => Pick<Settings, 'projects'> };
  }): DocumentPlaces {
  const filesOf: DocumentPlacesOptions['filesOf'] = async (place, signal) => {
    const workspacePath = await realPathOf(place.workspacePath).catch(() => place.workspacePath);
    const hidden = await hiddenIn({ ...place, workspacePath }, signal);
    const { files } = createReadOnlySandbox({ workspacePath, because: null, hidden: async () => hidden });
    // A project without a folder has knowledge, too.
    const project = projectOfSession(settings.current().projects.records, place);
    return project === null ? files : besideChosen(files, await chosenFolders(project)(signal));
  };
  return createDocumentPlaces({ ...parts, filesOf });
}

interface SandboxBase {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: { readonly imageScript: string; readonly node: string; readonly resources: string };
  readonly programs: HostPrograms;
  readonly settings: SettingsStore;
  readonly rules: { readonly activeRules: (projectPath: string) => Promise<{ readonly masks: readonly string[] }> };
  readonly redactor: { readonly learn: (secret: { readonly kind: string; readonly value: string }) => void };
}

/** What starts sandboxes, and installs the packages that projects need in them. */
export function createSandboxParts(
  config: {
    readonly home: string;
    readonly onNotice: (text: string) => void;
    readonly startSandbox?: SandboxFactory;
  },
  { env, files, programs, settings, rules, redactor }: SandboxBase,
) {
  const imageScript = existsSync(files.imageScript) ? { node: files.node, path: files.imageScript, programs } : null;
  const engineDeps = {
    homePath: config.home,
    resourcesPath: files.resources,
    imageScript,
    env,
    connection: () => settings.current().connection,
    learn: (secret: { readonly kind: string; readonly value: string }) => redactor.learn(secret),
  };
  const projectDeps = {
    ...engineDeps,
    settings: () => settings.current().sandbox,
    saveProjects: (projects: Settings['sandbox']['projects']) => settings.set('sandbox.projects', projects),
    masks: async (projectPath: string) => (await rules.activeRules(projectPath)).masks,
    onNotice: config.onNotice,
  };
  return {
    startSandbox: withFalseAnswers(config.startSandbox ?? createSandboxFactory(engineDeps)),
    preparations: createPackagePreparations(projectDeps),
    images: createProjectImages(projectDeps),
  };
}

/**
 * What else is kept by the key of a project: what works there, and what holds for it. Sessions rest first, so that
 * nothing of it is written any more, and go along next, because most that can fail is theirs.
 */
export function projectMoves(
  home: string,
  parts: FolderMoveOptions &
    RestOptions & {
      readonly keys: Pick<HomeKeys, 'own'>;
      readonly ownToolCommands: Pick<OwnToolCommandsOptions, 'record' | 'tools'>;
      readonly money: Pick<HomeMoney, 'moveProject'>;
      readonly record: Pick<RouteRecord, 'moveProject'>;
    },
): Moving {
  const { keys, ownToolCommands, money, record } = parts;
  const moves: Moving['moves'] = [
    restSessions(parts),
    moveFolderOfSessions(parts),
    money.moveProject,
    (from, to) => moveGuardRecords(home, from, to),
    (from, to) => moveHidden(home, from, to),
    (from, to) => moveDependencies(home, from, to),
    record.moveProject,
    moveOwnTools({
      ...ownToolCommands,
      secrets: keys.own,
      folderOf: (name) => toolFolderOf({ folder: join(home, 'workspaces') }, name),
    }),
  ];
  // A talk of a project without a folder goes on meanwhile, and may just have asked for money.
  return { moves, late: money.moveProject };
}

interface BookBase {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: SettingsStore;
  readonly now: () => number;
  readonly store: Pick<SessionStore, 'list'>;
  readonly skills: { readonly memory: MemoryFiles; readonly instructions: Pick<ProjectInstructions, 'moveTo'> };
  readonly assistants: Pick<AssistantFiles, 'read'>;
}

/** What the user says about projects and how they are set up, and what else belongs to one. */
export function createRecordParts(home: string, base: BookBase) {
  const { env, settings, now, store, skills, assistants } = base;
  const { memory } = skills;
  const knowledge = createKnowledgeFiles(home);
  const book = createProjectStore({
    home,
    settings,
    now,
    checkFolder: (path) => checkWorkspace(path, { homePath: home, needsWrite: false }),
    checkAssistant: assistants.read,
    mayBeThere,
    moveKept: [
      memory.moveTo,
      knowledge.moveTo,
      skills.instructions.moveTo,
      (from, to) => moveFenceMemory(join(home, 'fences'), from, to),
      (from, to) => moveOrigin(from, to, home),
      (from, to) => moveKeptRules(home, from, to),
    ],
  });
  const promptsOf = (id: string): string => join(book.folderOf(id), 'prompts');
  const prompts: ProjectPrompts = {
    folder: (key) => {
      const found = recordOfKey(settings.current().projects.records, key);
      return found === null ? null : promptsOf(found.id);
    },
    ensure: async (key) => promptsOf((await book.ensure(key)).id),
  };
  const contents = async (project: string): Promise<ProjectContents> => {
    const { records } = settings.current().projects;
    const talks = (await store.list()).filter((one) => projectOfSession(records, one) === project).length;
    const lines = (await memory.list(project)).filter(({ of }) => of === 'project');
    const { project: memoryFile } = await memory.paths(project);
    const own = prompts.folder(project);
    return {
      talks,
      memoryLines: lines.length,
      memoryFile,
      knowledge: (await knowledge.list(project)).length,
      prompts: own === null ? 0 : (await templatesIn(own)).length,
    };
  };
  return { book, contents, prompts, setup: createProjectSetup({ home, env, settings }) };
}
