import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { success, toFailure, type Reply } from '@shared/errors.ts';
import type { ProjectMap } from '@shared/projects/project-map.ts';
import { compileFences, fenceVerdict, globMatcher, type Fences } from '@shared/safety/fences.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { createDocumentPlaces, type DocumentPlaces, type DocumentPlacesOptions } from './documents/document-places.ts';
import {
  besideChosen,
  type ChosenFolder,
  goneFolder,
  type OpenChosenFolders,
} from './documents/search/chosen-folders.ts';
import { hasDocuments } from './documents/search/search-documents.ts';
import type { LanguageServersOf } from './language-servers/language-servers.ts';
import type { HostPrograms } from './lib/programs/host-programs.ts';
import { isNotebookName } from './lib/files/document-kind.ts';
import { isWithin } from './lib/files/is-within.ts';
import { mayBeThere } from './lib/files/host-folder.ts';
import { projectKey } from './lib/files/project-key.ts';
import { lookForHidden } from './sandbox/read-only/hidden-from-reading.ts';
import { createReadOnlySandbox } from './sandbox/read-only/read-only-sandbox.ts';
import { createProjectImages } from './sandbox/images/project-images.ts';
import { createPackagePreparations } from './sandbox/packages/package-preparations.ts';
import { fenceSources } from './safety/rules/session-rules.ts';
import type { RuleFiles } from './safety/rule-files.ts';
import { isSecretFile } from './sandbox/workspace/secret-files.ts';
import type { SandboxFiles } from './sandbox/sandbox.ts';
import type { SandboxFactory } from './sandbox/sandbox-factory.ts';
import { createSandboxFactory } from './sandbox/sandbox-factory.ts';
import type { HiddenReach } from './sessions/attachments/hidden-files.ts';
import type { SettingsStore } from './settings/settings-store.ts';
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

interface SymbolBase {
  readonly files: { readonly node: string; readonly symbolsProcess: string };
  readonly programs: HostPrograms;
  readonly settings: Pick<SettingsStore, 'current'>;
  readonly rules: Pick<RuleFiles, 'activeRules'>;
}

/** The files of a folder, a real path, without those that are hidden from models there. */
export async function filesForReading(
  folder: string,
  { homePath, settings, rules }: Pick<SymbolBase, 'settings' | 'rules'> & { readonly homePath: string },
  signal: AbortSignal,
): Promise<SandboxFiles> {
  const { masks } = await rules.activeRules(folder);
  const query = { workspacePath: folder, settings: settings.current().sandbox, homePath, masks };
  const { hidden } = await lookForHidden({ ...query, projectPath: await projectKey(folder) }, signal);
  return createReadOnlySandbox({ workspacePath: folder, because: null, hidden: async () => hidden }).files;
}

/**
 * The folders outside a project that are searched with it. Rules of the folder itself, as of a project, hold too, and so
 * do those of a project that it lies in or that lies in it: what they mask is not there, and what they fence more strictly
 * than the project does is left out.
 */
export function createChosenFolders(
  config: { readonly home: string },
  {
    settings,
    rules,
  }: { readonly settings: Pick<SettingsStore, 'current'>; readonly rules: Pick<RuleFiles, 'activeRules'> },
): (projectPath: string) => OpenChosenFolders {
  const fencesOf = async (projectPath: string): Promise<Fences> => {
    const sources = fenceSources(await rules.activeRules(projectPath), settings.current());
    return compileFences({ settings: sources, projectPath, isSecretFile });
  };
  return (projectPath) => async (signal) => {
    const project = await realpath(projectPath).catch(() => projectPath);
    const { projectFolders } = settings.current();
    const paths = (Object.hasOwn(projectFolders, project) ? projectFolders[project] : undefined) ?? [];
    if (paths.length === 0) return [];
    const fences = await fencesOf(project);
    const masks = (await rules.activeRules(project)).masks.map(globMatcher);
    const opened = await Promise.all(
      paths.map(async (path): Promise<ChosenFolder> => {
        const name = basename(path);
        if (name === '' || (await realpath(path).catch(() => null)) !== path) return goneFolder(name);
        const owners = await Promise.all(
          [path, ...(await projectsAround(path, settings.current(), config.home))].map(async (root) => ({
            root,
            fences: await fencesOf(root),
            masks: (await rules.activeRules(root)).masks.map(globMatcher),
          })),
        );
        const open = (wait: AbortSignal) => filesForReading(path, { homePath: config.home, settings, rules }, wait);
        const isLeftOut = (inside: string): boolean => {
          const own = fences.ofPath(`${name}/${inside}`);
          const whole = join(path, inside);
          // Within another chosen folder it has a second name, and a rule for that holds, too.
          const shown = paths
            .filter((one) => isWithin(whole, one))
            .map((one) => `${basename(one)}/${relative(one, whole).replaceAll(sep, '/')}`);
          const judges = owners
            .filter(({ root }) => isWithin(whole, root))
            .map((owner) => ({ ...owner, at: relative(owner.root, whole).replaceAll(sep, '/') }));
          const hits = [
            ...shown.map((one) => fences.ofPath(one)),
            ...judges.map((judge) => judge.fences.ofPath(judge.at)),
          ];
          const all = hits.flatMap((hit) => hit ?? []);
          const isMasked =
            shown.some((one) => masks.some((fits) => fits(one))) ||
            judges.some((judge) => judge.masks.some((fits) => fits(judge.at)));
          return isMasked || fenceVerdict(all) !== (own?.verdict ?? 'free');
        };
        return { name, isLeftOut, files: openedLater(open) };
      }),
    );
    signal.throwIfAborted();
    return opened;
  };
}

/** The projects with rules of their own that a folder lies in, and those in it whose rules are known. */
async function projectsAround(folder: string, { fences, rules }: Settings, home: string): Promise<readonly string[]> {
  const known = new Set([...fences.rules.flatMap(({ project }) => project ?? []), ...Object.keys(rules.approved)]);
  const found = [...known].filter((one) => one !== folder && (isWithin(one, folder) || isWithin(folder, one)));
  for (let above = dirname(folder); dirname(above) !== above; above = dirname(above)) {
    const own = join(above, '.dewpoint');
    // The home of Dewpoint may have this name. Its rules are for all projects.
    if (!known.has(above) && own !== home && (await mayBeThere(join(own, 'dewpoint.rules')))) found.push(above);
  }
  return found;
}

/** What is hidden in a folder is looked for once it is read. */
function openedLater(open: (signal: AbortSignal) => Promise<SandboxFiles>): ChosenFolder['files'] {
  let opened: Promise<SandboxFiles> | null = null;
  const use = async <T>(signal: AbortSignal, work: (files: SandboxFiles) => Promise<Reply<T>>): Promise<Reply<T>> => {
    try {
      return await work(await (opened ??= open(signal)));
    } catch (error) {
      opened = null;
      signal.throwIfAborted();
      return { ok: false, error: toFailure(error) };
    }
  };
  return {
    scan: (signal) => use(signal, (files) => files.scan(signal)),
    read: (path, options, signal) => use(signal, (files) => files.read(path, options, signal)),
    readMany: (paths, options, signal) => use(signal, (files) => files.readMany(paths, options, signal)),
  };
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
  const chosenFolders = createChosenFolders(config, { settings, rules });
  return { symbols, mapProject, chosenFolders, disposeSymbols: client.dispose };
}

/** Places in documents that answers cite. What is hidden from models is not shown either. */
export function createPlaceParts({
  hiddenIn,
  chosenFolders,
  ...parts
}: Omit<DocumentPlacesOptions, 'filesOf'> &
  HiddenReach & { readonly chosenFolders: (projectPath: string) => OpenChosenFolders }): DocumentPlaces {
  const filesOf: DocumentPlacesOptions['filesOf'] = async (place, signal) => {
    const workspacePath = await realpath(place.workspacePath).catch(() => place.workspacePath);
    const hidden = await hiddenIn({ ...place, workspacePath }, signal);
    const { files } = createReadOnlySandbox({ workspacePath, because: null, hidden: async () => hidden });
    return place.projectPath === null ? files : besideChosen(files, await chosenFolders(place.projectPath)(signal));
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
    startSandbox: config.startSandbox ?? createSandboxFactory(engineDeps),
    preparations: createPackagePreparations(projectDeps),
    images: createProjectImages(projectDeps),
  };
}
