import { hideAssigned } from './safety/assigned-secrets.ts';
import { hideSecrets } from './lib/secrets/secret-patterns.ts';
import { join } from 'node:path';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { clientSecretName } from '@shared/tools/server-definition.ts';
import type { DrawPage } from './documents/read-document.ts';
import type { OpenChosenFolders } from './documents/search/chosen-folders.ts';
import { openIndex } from './documents/search/index-client.ts';
import { createVectorWork } from './documents/search/make-vectors.ts';
import { createSearchDocuments, indexDay } from './documents/search/search-documents.ts';
import { filesForReading, noFiles } from './compose-folders.ts';
import type { ProjectCommandsOptions } from './projects/commands.ts';
import type { HostPrograms } from './lib/programs/host-programs.ts';
import type { SandboxFactory } from './sandbox/sandbox-factory.ts';
import type { LanguageServersOf } from './language-servers/language-servers.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { createNetFetch } from './lib/net/net-fetch.ts';
import type { Lookup } from './lib/net/own-lookup.ts';
import { createNetSocket } from './lib/net/net-socket.ts';
import { isPublicAddress } from './sandbox/network/address-rules.ts';
import { createOutboundConnections } from './sandbox/network/outbound-connections.ts';
import { createWebClient } from './sandbox/network/web-client.ts';
import { neverAborts } from './lib/async/abort.ts';
import type { ServerSignIns } from './tools/sign-in/server-sign-ins.ts';
import { createServerSignIns } from './tools/sign-in/server-sign-ins.ts';
import { createHostServers } from './tools/mcp/server-process.ts';
import { createToolPins } from './tools/servers/tool-pins.ts';
import { createToolServers } from './tools/servers/tool-servers.ts';
import { createContainerServers } from './sandbox/container-servers.ts';
import { createApartRuns, type RunApart } from './sandbox/tool-containers.ts';
import { joinToolSources } from './tools/connected/connected-tool.ts';
import { callToolName, findToolName } from './tools/connected/find-tools.ts';
import type { OwnToolCommandsOptions } from './tools/own/own-tool-report.ts';
import { toolName } from './tools/own/own-tool-report.ts';
import type { ToolCommandsOptions } from './tools/commands.ts';
import { reportOf } from './tools/servers/server-report.ts';
import { createOwnToolRecord } from './tools/own/own-tool-record.ts';
import { createOwnTools } from './tools/own/own-tools.ts';
import { createCurrentWriter } from './tools/own/current-writer.ts';
import { loadSyntax } from './recipes/code/code-syntax.ts';
import type { ModelParts } from './compose-models.ts';
import type { HomeKeys } from './safety/keys/home-keys.ts';
import type { SessionTools } from './agent/turn/agent-dependencies.ts';
import { discoverRecipes } from './recipes/registry.ts';
import { builtInTools, discoverTools } from './tools/registry.ts';
import type { WebParts } from './tools/web/web-request.ts';

interface ToolBase {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The Node that runs our own programs, and the built server guard. */
  readonly files: {
    readonly node: string;
    readonly serverGuard: string;
    readonly documentProcess: string;
    readonly resources: string;
  };
  readonly programs: HostPrograms;
  readonly settings: SettingsStore;
  readonly rules: Parameters<typeof filesForReading>[1]['rules'];
  readonly now: () => number;
  readonly redactor: { readonly learn: (secret: { readonly kind: string; readonly value: string }) => void };
  readonly web: SessionTools['web'];
  readonly webTools: WebParts;
  readonly drawPage: DrawPage;
  readonly languageServers: LanguageServersOf;
  readonly chosenFolders: (projectPath: string) => OpenChosenFolders;
  /** The programs of a session, from its log. */
  readonly programsOf: OwnToolCommandsOptions['programsOf'];
}

interface ToolConfig {
  readonly home: string;
  readonly cache: string;
  readonly version: string;
  readonly onNotice: (text: string) => void;
}

/**
 * Tools and recipes, and the servers of connected tools: what starts them, what they are given, and what the user
 * approved.
 */
export function createToolParts(
  { home, cache, version, onNotice }: ToolConfig,
  base: ToolBase,
  { keys, models, texts }: Pick<ModelParts, 'keys' | 'models' | 'texts'>,
  startSandbox: SandboxFactory,
) {
  const { env, files, programs, settings, rules, now, redactor } = base;
  const { web, webTools, drawPage, languageServers, programsOf, chosenFolders } = base;
  const folder = join(home, 'tools');
  const servers = () => settings.current().toolServers;
  const pins = createToolPins(folder);
  const onHost = createHostServers({ programs, nodePath: files.node, guardPath: files.serverGuard });
  const containers = { ...containersOf(home, settings), startSandbox, onNotice };
  const inContainer = createContainerServers(containers);
  const projects = () => settings.current().projectTools;
  const signIns = createSignInParts(folder, { env, settings, now, redactor }, keys);
  const toolServers = createToolServers({
    servers,
    projects,
    pins,
    signIns,
    folder,
    now,
    version,
    ...serverReach(settings, env),
    start: (start, signal) => (start.definition.where === 'host' ? onHost : inContainer)(start, signal),
    // Only programs get environment variables. A header has no variable of its own: an `Authorization` in the
    // environment is not meant for it.
    secret: (server, variable) =>
      keys.own.find(secretKey(server, variable), servers()[server]?.definition.kind === 'stdio' ? variable : null),
  });
  const toolCommands = {
    servers,
    pins,
    now,
    running: toolServers,
    signIns,
    save: (name: string, server: Settings['toolServers'][string] | null) =>
      settings.save(['toolServers', name], server),
    projects,
    saveProject: (projectPath: string, own: Settings['projectTools'][string] | null) =>
      settings.save(['projectTools', projectPath], own),
    ...createServerSecrets(keys),
  };
  const means = { files, programs, now, webTools, drawPage, languageServers, texts };
  const { builtIn, searchDocuments, forgetPaths, vectors } = createBuiltIn(cache, means);
  const searchFolder: ProjectCommandsOptions['searchFolder'] = async (folder, asked, signal) => {
    const base = { homePath: home, settings, rules };
    const files = hasNoFolder(folder) ? noFiles : await filesForReading(folder, base, signal);
    return searchDocuments(files, { ...asked, chosen: await chosenFolders(folder)(signal) }, signal);
  };
  const recipes = discoverRecipes();
  const disposeTools = async (): Promise<void> => {
    await toolServers.dispose();
    await signIns.dispose();
    await vectors.dispose();
    await texts.dispose();
  };
  const writerToday = createCurrentWriter({ app: version, find: models.info });
  const runApart = createApartRuns(containers);
  const own = createOwnToolParts(
    { home, settings, now, keys, programsOf, writerToday, files, saveProject: toolCommands.saveProject },
    { builtIn: builtIn.map(({ name }) => name), runApart },
  );
  return {
    engine: { tools: { builtIn, searchDocuments, web, appVersion: version }, recipes },
    connected: (projectPath: string | null, folder: string) =>
      joinToolSources(toolServers.forProject(projectPath, folder), own.tools.forProject(projectPath)),
    library: toolServers.library,
    toolCommands,
    ownToolCommands: own,
    disposeTools,
    searchFolder,
    forgetPaths,
    setupTools: createSetupTools(toolCommands, own, runApart),
  };
}

function containersOf(home: string, settings: SettingsStore) {
  return { folder: join(home, 'workspaces'), settings: () => settings.current().sandbox };
}

/** What the check of the set-up is told of tools. */
function createSetupTools(commands: ToolCommandsOptions, own: OwnToolCommandsOptions, runApart: RunApart) {
  return {
    runApart,
    listToolServers: () =>
      Promise.all(
        Object.entries(commands.servers()).map(([name, server]) => reportOf(commands, { name, server, own: {} })),
      ),
    tryToolServer: async (name: string, signal: AbortSignal) => {
      const server = await commands.running.connect(name, signal);
      await server.refresh(signal);
      return server.tools().length;
    },
    listOwnTools: async () => {
      const { tools } = await own.tools.list(null);
      return tools.map((one) => ({ name: toolName(one), state: one.state, problem: one.problem }));
    },
  };
}

/** Where the keys of servers are kept, and how they are masked where they are shown. */
function createServerSecrets(keys: ModelParts['keys']) {
  return {
    keepSecret: (server: string, variable: string, value: string) => keys.own.set(secretKey(server, variable), value),
    dropSecret: (server: string, variable: string) => keys.own.remove(secretKey(server, variable)),
    hideSecrets: (text: string) => hideAssigned(hideSecrets(text).text).text,
  };
}

/** The tools that Dewpoint brings, with what reads documents and finds parts of them. */
function createBuiltIn(
  cache: string,
  {
    files,
    programs,
    now,
    webTools,
    drawPage,
    languageServers,
    texts,
  }: Pick<ToolBase, 'files' | 'programs' | 'now' | 'webTools' | 'drawPage' | 'languageServers'> &
    Pick<ModelParts, 'texts'>,
) {
  const { readDocument } = webTools;
  const index = {
    programs,
    nodePath: files.node,
    processPath: files.documentProcess,
    indexPath: join(cache, 'documents.sqlite'),
  };
  const vectors = createVectorWork({
    texts,
    open: (signal) => openIndex(index, indexDay(now), signal),
  });
  const searchDocuments = createSearchDocuments({ ...index, readDocument, now, vectors });
  const readers = { readDocument, drawPage, searchDocuments };
  const builtIn = builtInTools(discoverTools(), { now, web: webTools, ...readers, languageServers });
  const forgetPaths = async (paths: readonly string[], signal: AbortSignal): Promise<void> => {
    const opened = openIndex(index, indexDay(now), signal);
    try {
      await opened.forgetPaths(paths);
    } finally {
      opened.close();
    }
  };
  return { builtIn, searchDocuments, forgetPaths, vectors };
}

/** How servers at addresses are reached. */
function serverReach(settings: ToolBase['settings'], env: ToolBase['env']) {
  const connection = () => settings.current().connection;
  const reachBy = (lookup?: Lookup) => ({
    fetch: createNetFetch(connection, env, lookup === undefined ? {} : { lookup }),
    openSocket: createNetSocket(connection, env, lookup),
  });
  return { ...reachBy(), held: { reachBy, isPublic: (address: string) => isPublicAddress(address) } };
}

/** The name under which the value of a variable or header is in the key store. */
const secretKey = (server: string, variable: string): string => `tools.${server}.${variable}`;

/** Signing in to servers over HTTP, with this machine's network and the key store. */
function createSignInParts(
  folder: string,
  { env, settings, now, redactor }: Pick<ToolBase, 'env' | 'settings' | 'now' | 'redactor'>,
  keys: HomeKeys,
): ServerSignIns {
  const outward = createOutboundConnections(() => settings.current().connection, env);
  return createServerSignIns({
    folder,
    now,
    secrets: keys.long,
    exchange: createWebClient(outward, { mostBytes: 1024 * 1024 }),
    // A name that nobody can resolve leads nowhere.
    hasInnerAddress: async (host) =>
      (await outward.resolve(host, neverAborts).catch(() => [])).some((address) => !isPublicAddress(address)),
    clientSecret: (server) => keys.own.find(secretKey(server, clientSecretName), null),
    learn: (value) => redactor.learn({ kind: 'tools-sign-in', value }),
  });
}

interface OwnToolBase
  extends
    Pick<ToolBase, 'settings' | 'now' | 'programsOf' | 'files'>,
    Pick<OwnToolCommandsOptions, 'saveProject' | 'writerToday'> {
  readonly home: string;
  readonly keys: HomeKeys;
}

/** Tools from files: what reads them, runs them and stores data about them. */
function createOwnToolParts(
  { home, files, settings, now, keys, saveProject, programsOf, writerToday }: OwnToolBase,
  { builtIn, runApart }: { readonly builtIn: readonly string[]; readonly runApart: RunApart },
): OwnToolCommandsOptions {
  const record = createOwnToolRecord(join(home, 'own-tools.json'));
  const taken = (): ReadonlyMap<string, string> =>
    new Map([
      ...[...builtIn, findToolName, callToolName].map((name) => [name, 'a tool of Dewpoint'] as const),
      ...Object.keys(settings.current().toolServers).map((name) => [name, 'a tool server'] as const),
    ]);
  const off = () => settings.current().ownToolsOff;
  const projects = () => settings.current().projectTools;
  const tools = createOwnTools({
    home,
    record,
    taken,
    off,
    projects,
    now,
    runApart,
    loadSyntax,
    // A tool gets nothing from the environment just because it asks for a name.
    secret: (name) => keys.own.find(name, null),
  });
  return {
    home,
    templates: join(files.resources, 'tools'),
    tools,
    loadSyntax,
    record,
    taken,
    off,
    projects,
    saveProject,
    programsOf,
    writerToday,
    now,
    saveOff: (names) => settings.save('ownToolsOff', [...names]),
    keepSecret: (name, value) => keys.own.set(name, value),
    dropSecret: (name) => keys.own.remove(name),
  };
}
