import { realpath, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, failure, success, toFailure, valueOf, type Reply } from '@shared/errors.ts';
import {
  filesLabel,
  packageEcosystems,
  type CleanRequest,
  type KeptItem,
  type PreparationPart,
  type PreparationPlan,
} from '@shared/projects/project-preparation.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { makeFolder, readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { findPrepared, type PartState } from './find-prepared.ts';
import { findPackageSources, type PackageSources } from './package-sources.ts';
import { readProject } from './package-files.ts';
import { serverNotes } from './prepared-servers.ts';
import { unpreparedNotes } from './unprepared-notes.ts';
import type { ProjectTexts } from './dependency-part.ts';
import { dependencyRecords, type DependencyRecord } from './dependency-records.ts';
import { hostsIn } from './source-hosts.ts';
import { emptySessionEnvironment } from './session-environment.ts';
import { createDockerSandbox } from '../docker/create-docker-sandbox.ts';
import { hasDependencyVolume, removeDependencyVolume } from '../docker/packages/dependency-volumes.ts';
import { engineSearch } from '../docker/engine/engine-endpoints.ts';
import { findEngine, type Engine } from '../docker/engine/container-engine.ts';
import { homeIdOf } from '../docker/user/container-identity.ts';
import { findImage, type SandboxImage } from '../images/sandbox-image.ts';
import { findHiddenFiles } from '../workspace/find-hidden-files.ts';
import { approvalOf, prepareDependencies } from '../docker/packages/prepare-dependencies.ts';
import { createOutboundConnections } from '../network/outbound-connections.ts';
import type { SandboxFactoryDeps } from '../sandbox-factory.ts';
import { imageOf, setupOf, variablesOf } from '../project-sandbox-settings.ts';
import type { ExtraMount, Sandbox } from '../sandbox.ts';
import { cleanUpKept } from '../clean-up-kept.ts';
import { checkWorkspace } from '../workspace/prepare-workspace.ts';

export interface PreparationsDeps extends SandboxFactoryDeps {
  readonly settings: () => Settings['sandbox'];
  /** Globs of files that the user hides from all commands in a project. */
  readonly masks: (projectPath: string) => Promise<readonly string[]>;
  /** Reports a secret that must not appear in any output from now on. */
  readonly learn: (secret: { readonly kind: string; readonly value: string }) => void;
  readonly saveProjects: (projects: Settings['sandbox']['projects']) => Promise<unknown>;
  readonly onNotice: (text: string) => void;
}

export interface PackagePreparations {
  /** The state of each part. Makes the image if it is missing. Starts nothing. */
  readonly parts: (projectPath: string, signal: AbortSignal) => Promise<Reply<readonly PreparationPart[]>>;
  /** What would be run and which hosts it needs. Makes the image if it is missing. Installs nothing. */
  readonly plan: (request: PlanRequest, signal: AbortSignal) => Promise<Reply<PreparationPlan>>;
  /** Runs what was approved. Fails with `conflict` if it has changed since. */
  readonly prepare: (
    request: PlanRequest & { readonly approval: string; readonly onProgress: (text: string) => void },
    signal: AbortSignal,
  ) => Promise<Reply<PreparationPlan>>;
  /** Removes the installed packages of one project. */
  readonly remove: (projectPath: string, signal: AbortSignal) => Promise<Reply<readonly KeptItem[]>>;
  /** What the engine keeps for this home. `remove` chooses what to remove: unneeded items, or all of them. */
  readonly clean: (request: CleanRequest, signal: AbortSignal) => Promise<Reply<readonly KeptItem[]>>;
}

interface PlanRequest {
  readonly projectPath: string;
  /** Hosts that the user allows in addition to those that were found. */
  readonly hosts: readonly string[];
  /** Also installs parts that are ready, if commands have changed them. */
  readonly anew?: boolean | undefined;
  /** Also installs language servers, now and whenever the packages are installed again. */
  readonly languageServers?: boolean | undefined;
}

interface Place {
  readonly engine: Engine;
  readonly image: SandboxImage;
  readonly homePath: string;
  readonly homeId: string;
  /** A real path. */
  readonly projectPath: string;
}

/** Installs the packages of projects with the user's approval, and reports what is installed. */
export function createPackagePreparations(deps: PreparationsDeps): PackagePreparations {
  // This is only a look, often before a start that waits for a slow engine itself.
  const hasty = { ...deps, settings: () => ({ ...deps.settings(), engineWaitSeconds: 5 }) };
  return {
    parts: (projectPath, signal) =>
      expected(signal, async () => (await stateOf(hasty, { projectPath, hosts: [] }, signal)).states.map(partOf)),
    plan: (request, signal) => expected(signal, async () => (await look(deps, request, signal)).plan),
    prepare: (request, signal) => expected(signal, () => prepare(deps, request, signal)),
    remove: (projectPath, signal) =>
      expected(signal, () => cleanUpKept(deps, { remove: 'all', ofProject: projectPath }, signal)),
    clean: (wish, signal) => expected(signal, () => cleanUpKept(deps, wish, signal)),
  };
}

/** Turns expected failures into values. Inside, they are thrown. */
async function expected<T>(signal: AbortSignal, work: () => Promise<T>): Promise<Reply<T>> {
  try {
    return success(await work());
  } catch (error) {
    return { ok: false, error: signal.aborted ? failure('cancelled', 'It was cancelled.').error : toFailure(error) };
  }
}

interface Looked {
  readonly place: Place;
  readonly states: readonly PartState[];
  readonly sources: PackageSources;
  readonly plan: PreparationPlan;
}

async function look(deps: PreparationsDeps, request: PlanRequest, signal: AbortSignal): Promise<Looked> {
  const { place, states } = await stateOf(deps, request, signal);
  const { projectPath, image } = place;
  const own = setupOf(deps.settings(), projectPath);
  const project = await readProject(projectPath, signal);
  const sources = await sourcesOf(deps, project.texts);
  const usual = states.length === 0 ? null : await usualHosts(deps, place, signal);
  const hosts = hostsOf({ states, sources, usual, added: [...own.hosts, ...request.hosts] });
  const approval = approvalOf(
    states,
    hosts.map(({ host }) => host),
    image.id,
  );
  const variables = [...Object.keys(own.env), ...own.secretEnv].sort();
  const open = states.filter(({ state }) => state !== 'ready').map(({ part }) => part);
  const notes = [...unpreparedNotes(project), ...serverNotes(open)];
  const plan = { projectPath, image: image.name, parts: states.map(partOf), hosts, variables, notes, approval };
  return { place, states, sources, plan };
}

async function stateOf(
  deps: PreparationsDeps,
  { projectPath: path, anew = false, languageServers }: PlanRequest,
  signal: AbortSignal,
): Promise<{ readonly place: Place; readonly states: readonly PartState[] }> {
  const place = await findPlace(deps, path, signal);
  const { projectPath, image, engine, homeId, homePath } = place;
  const { setup } = setupOf(deps.settings(), projectPath);
  const states = await findPrepared(
    {
      workspacePath: projectPath,
      projectPath,
      imageId: image.id,
      own: languageServers === true ? { ...setup, languageServers } : setup,
      sessionId: null,
      records: dependencyRecords(homePath),
      hasVolume: (name) => hasDependencyVolume(engine, homeId, name),
    },
    signal,
  );
  // Packages that commands changed no longer match the files, so they are installed again like outdated ones.
  const open = anew
    ? states.map((one) => (one.record?.changed === undefined ? one : { ...one, state: 'outdated' as const }))
    : states;
  return { place, states: open.filter(({ part, state }) => part.commands.length > 0 || state === 'ready') };
}

async function findPlace(deps: PreparationsDeps, path: string, signal: AbortSignal): Promise<Place> {
  const projectPath = valueOf(await checkWorkspace(path, { homePath: deps.homePath, needsWrite: false }));
  const search = engineSearch(deps.env, deps.settings(), deps.onNotice);
  const engine = valueOf(await findEngine(search, signal));
  await makeFolder(deps.homePath);
  const wanted = imageOf(deps.settings(), projectPath);
  const image = valueOf(await findImage(engine, { ...imageRequest(deps), wanted }, signal));
  const homePath = await realpath(deps.homePath);
  return { engine, image, homePath, homeId: homeIdOf(homePath), projectPath };
}

function imageRequest(deps: PreparationsDeps): {
  resourcesPath: string;
  script: PreparationsDeps['imageScript'];
  onProgress: (text: string) => void;
} {
  return { resourcesPath: deps.resourcesPath, script: deps.imageScript, onProgress: deps.onNotice };
}

async function sourcesOf(deps: PreparationsDeps, texts: ProjectTexts): Promise<PackageSources> {
  const { certificates } = deps.connection();
  const sources = await findPackageSources({
    env: deps.env,
    homeDirectory: homedir(),
    machineFolder: '/etc',
    platform: process.platform,
    projectNpmrc: texts.get('.npmrc') ?? '',
    certificates: certificates === null ? [] : [certificates],
  });
  for (const value of sources.secrets) deps.learn({ kind: 'package-index', value });
  return sources;
}

const usualSchema = z.record(z.string(), z.array(z.string()));
type UsualHosts = z.infer<typeof usualSchema>;

/** The first repository is in the model that all of Maven's projects extend. */
const mavenHosts = `import glob, re, zipfile
for jar in glob.glob("/usr/share/maven/lib/maven-model-builder*.jar"): print(*re.findall(r"<url>(.*?)</url>", zipfile.ZipFile(jar).read("org/apache/maven/model/pom-4.0.0.xml").decode()))`;

/** The package managers in the image know their usual hosts, so they are asked. */
const askHosts = `python3 -c 'from pip._internal.models.index import PyPI; print("python", PyPI.simple_url, "https://" + PyPI.file_storage_domain)' 2>/dev/null
echo javascript $(npm config get registry 2>/dev/null)
echo go $(go env GOPROXY 2>/dev/null | tr , ' ') $(go env GOSUMDB 2>/dev/null | sed 's#^#https://#')
echo rust $(grep -aoE 'sparse[+]https://index[.][a-z.]+' "$(readlink -f "$(command -v cargo)")" 2>/dev/null | sed 's#.*//index[.]\\(.*\\)#https://index.\\1 https://static.\\1#')
echo java $(python3 -c '${mavenHosts}' 2>/dev/null)
echo ruby $(ruby -e 'for one in Gem.sources do puts one, one.to_s.sub("//", "//index.") end' 2>/dev/null)
echo php $(grep -hoE 'https://repo[.][a-z.]+' /usr/share/php/Composer/Config.php 2>/dev/null) $(command -v composer > /dev/null && echo https://api.github.com https://codeload.github.com)
exit 0`;

/** The hosts of package indexes without any configuration. Asked once for each image. */
async function usualHosts(deps: PreparationsDeps, place: Place, signal: AbortSignal): Promise<UsualHosts> {
  const file = join(
    place.homePath,
    'dependencies',
    `hosts-${place.image.id.replace(/^sha256:/, '').slice(0, 16)}.json`,
  );
  const kept = await readJsonFile(file, (value) => usualSchema.parse(value));
  if (kept.type === 'value') return kept.value;
  const workspace = join(place.homePath, 'workspaces', `prepare-${randomBytes(6).toString('hex')}`);
  await makeFolder(workspace);
  try {
    const sandbox = valueOf(await start(deps, place, { workspace: await realpath(workspace), mounts: [] }, signal));
    try {
      const { stdout } = valueOf(await sandbox.exec({ command: askHosts, timeoutMs: 60_000 }, signal));
      const hosts = (name: string): string[] => [...hostsIn(new RegExp(`^${name} (.*)$`, 'm').exec(stdout)?.[1] ?? '')];
      const found = Object.fromEntries(packageEcosystems.map((name) => [name, hosts(name)]));
      await writeJsonFile(file, found);
      return found;
    } finally {
      await sandbox.dispose();
    }
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

interface HostParts {
  readonly states: readonly PartState[];
  readonly sources: PackageSources;
  readonly usual: UsualHosts | null;
  readonly added: readonly string[];
}

/** Each host once, with the first reason for it. */
function hostsOf({ states, sources, usual, added }: HostParts): PreparationPlan['hosts'] {
  const hosts = new Map<string, string>();
  const add = (list: readonly string[], why: string): void => {
    for (const host of list) if (!hosts.has(host)) hosts.set(host, why);
  };
  for (const { part } of states) {
    const { ecosystem } = part;
    const isConfigurable = ecosystem === 'python' || ecosystem === 'javascript';
    const configured = isConfigurable ? sources.hosts[ecosystem] : [];
    const tool = ecosystem === 'python' ? 'pip' : ecosystem === 'javascript' ? 'npm' : part.tool;
    if (configured.length > 0) add(configured, `your configuration of ${tool}`);
    else add(usual?.[part.ecosystem] ?? [], `the default of ${tool}`);
    add(part.hosts, filesLabel(part.files));
  }
  add(
    added.map((host) => host.toLowerCase()),
    'your --host',
  );
  return [...hosts].map(([host, why]) => ({ host, why })).sort((left, right) => (left.host < right.host ? -1 : 1));
}

function partOf({ part, state, record }: PartState): PreparationPart {
  const { ecosystem, folder, tool, files, commands, isNeeded } = part;
  const outcome = record?.outcome ?? null;
  return {
    ecosystem,
    folder,
    tool,
    files,
    commands,
    isNeeded,
    state,
    reason: outcome?.type === 'failed' ? `${outcome.command}: ${outcome.reason}` : null,
    packages: outcome?.type === 'ready' ? outcome.packages : null,
    sizeBytes: outcome?.type === 'ready' ? outcome.sizeBytes : null,
    key: outcome?.type === 'ready' ? (record?.key ?? null) : null,
    changedBy: record?.changed?.commands.map(({ command }) => command) ?? [],
    preparedAt: outcome?.type === 'ready' ? (record?.at ?? null) : null,
  };
}

async function prepare(
  deps: PreparationsDeps,
  request: Parameters<PackagePreparations['prepare']>[0],
  signal: AbortSignal,
): Promise<PreparationPlan> {
  const { place, states, sources, plan } = await look(deps, request, signal);
  if (plan.approval !== request.approval) {
    throw new AppError('conflict', 'The project or its package sources changed since your approval. Nothing was run.', {
      hint: 'Look at the commands again: dewpoint projects prepare',
    });
  }
  const records = dependencyRecords(place.homePath);
  const own = setupOf(deps.settings(), place.projectPath);
  const variables = variablesOf(own, deps.env);
  for (const secret of variables.secrets) deps.learn(secret);
  const { masks } = await findHiddenFiles(
    {
      workspacePath: place.projectPath,
      settings: deps.settings(),
      homePath: place.homePath,
      masks: await deps.masks(place.projectPath),
    },
    signal,
  );
  const made = await prepareDependencies(
    {
      ...place,
      imageId: place.image.id,
      masks,
      parts: states.filter(({ state }) => state !== 'ready'),
      sources: {
        ...sources,
        env: { ...variables.environment, ...sources.env },
        secrets: [...sources.secrets, ...variables.secrets.map(({ value }) => value)],
      },
      hosts: plan.hosts.map(({ host }) => host),
      records,
      start: (workspace, mounts, inner) => start(deps, place, { workspace, mounts }, inner),
      onProgress: request.onProgress,
    },
    signal,
  );
  for (const record of valueOf(made)) if (record.outcome.type === 'ready') await dropChanged(deps, place, record);
  // Where a server could not be installed, the packages without it stay in use.
  if (request.languageServers === true && valueOf(made).every(({ outcome }) => outcome.type === 'ready'))
    await deps.saveProjects({
      ...deps.settings().projects,
      [place.projectPath]: { ...own, setup: { ...own.setup, languageServers: true } },
    });
  return (await look(deps, { ...request, anew: false }, signal)).plan;
}

/** Removes the states that commands made of former packages, so that they do not override the new installation. */
async function dropChanged(deps: PreparationsDeps, { engine, homePath }: Place, anew: DependencyRecord): Promise<void> {
  const records = dependencyRecords(homePath);
  for (const { key, changed, outcome, ...other } of await records.list()) {
    const isSame = other.projectPath === anew.projectPath && other.ecosystem === anew.ecosystem;
    if (changed === undefined || !isSame || other.folder !== anew.folder) continue;
    await records.remove(key);
    // If a session still uses the volume, `clean` removes it later.
    if (outcome.type === 'ready') await removeDependencyVolume(engine, outcome.volume);
  }
}

function start(
  deps: PreparationsDeps,
  { engine, homePath, projectPath }: Place,
  { workspace, mounts }: { readonly workspace: string; readonly mounts: readonly ExtraMount[] },
  signal: AbortSignal,
): Promise<Reply<Sandbox>> {
  return createDockerSandbox(
    engine,
    {
      sessionId: 'prepare',
      workspacePath: workspace,
      // The workspace is not the project's own folder, so its settings do not find the project's image.
      settings: { ...deps.settings(), image: imageOf(deps.settings(), projectPath) },
      homePath,
      image: imageRequest(deps),
      outward: createOutboundConnections(deps.connection, deps.env),
      sessionEnvironment: async () => ({ packages: null, find: async () => ({ ...emptySessionEnvironment, mounts }) }),
      onLost: () => undefined,
    },
    signal,
  );
}
