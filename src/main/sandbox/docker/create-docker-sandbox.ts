import { join } from 'node:path';
import type { Settings } from '@shared/settings/settings.ts';
import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import { success, type Reply } from '@shared/errors.ts';
import type { OutboundConnections } from '../network/outbound-connections.ts';
import { emptySessionEnvironment } from '../packages/session-environment.ts';
import type { AskAboutDisk, SandboxDescription, BackgroundProcessState } from '../sandbox.ts';
import { borrowRunner } from './runner/borrow-runner.ts';
import { DockerSandbox, type ChangingEnvironment } from './docker-sandbox.ts';
import { unheldLimits, type EngineLimits } from './engine/engine-limits.ts';
import type { Engine } from './engine/container-engine.ts';
import { RepositoryGuard } from '../workspace/repositories/repository-guard.ts';
import { commitAuthor } from './user/commit-author.ts';
import { homeIdOf, type UserIds } from './user/container-identity.ts';
import { findImage, type ImageRequest, type SandboxImage } from '../images/sandbox-image.ts';
import { findHiddenFiles } from '../workspace/find-hidden-files.ts';
import { createProjectLinks, lookForLinks } from './protection/project-links.ts';
import { runnerInContainer, type RunnerPlace } from './runner/runner-processes.ts';
import type { SessionContainerOptions } from './container/session-container-options.ts';
import { SessionContainer } from './container/session-container.ts';
import { sweepLeftovers } from './engine/sweep-leftovers.ts';
import { userCandidates } from './user/user-candidates.ts';
import { readFile, realpath, stat } from '../../lib/files/drive-calls.ts';

export interface DockerSandboxRequest {
  readonly sessionId: string;
  /** Absolute, and already checked. */
  readonly workspacePath: string;
  readonly settings: Settings['sandbox'];
  /** Globs of files that the user hides from all commands. */
  readonly masks?: readonly string[];
  /** The project that the workspace is a copy of. */
  readonly projectPath?: string | null;
  /** The most folders that are checked after each command. */
  readonly mostFolders?: number;
  /** Absolute. The few files that containers get are below it. */
  readonly homePath: string;
  readonly image: Omit<ImageRequest, 'wanted'>;
  /** The network access for approved commands. */
  readonly outward: OutboundConnections;
  /** The project's additional mounts and variables, for the image that runs. */
  readonly sessionEnvironment?: (image: SandboxImage) => Promise<ChangingEnvironment>;
  readonly onLost: (loss: { readonly reason: string; readonly recreated: boolean }) => void;
  readonly onService?: (state: BackgroundProcessState) => void;
  readonly onDiskLow?: AskAboutDisk;
  /** Called when commands left something that this machine may run later. Must not throw. */
  readonly onUntracked?: (places: readonly UntrackedPlace[]) => void;
}

/** Starts the container of a session. First removes what earlier processes of this home left. */
export async function createDockerSandbox(
  engine: Engine,
  request: DockerSandboxRequest,
  signal: AbortSignal,
): Promise<Reply<DockerSandbox>> {
  const homePath = await realpath(request.homePath);
  const workspacePath = await realpath(request.workspacePath);
  // The containers of a killed process must have ended before the first look at the project.
  const [image] = await Promise.all([
    findImage(engine, { ...request.image, wanted: request.settings.image }, signal),
    sweepLeftovers(engine, homeIdOf(homePath)),
  ]);
  if (!image.ok) return image;
  const { sessionId, mostFolders, onUntracked = () => undefined } = request;
  const limit = mostFolders === undefined ? {} : { mostFolders };
  const guard = await RepositoryGuard.start({ workspacePath, homePath, sessionId, onUntracked, ...limit }, signal);
  try {
    const made = await startSession(engine, request, { image: image.value, workspacePath, homePath, guard }, signal);
    if (!made.ok) await guard.dispose();
    return made;
  } catch (error) {
    await guard.dispose();
    throw error;
  }
}

interface Ready {
  readonly image: SandboxImage;
  readonly workspacePath: string;
  readonly homePath: string;
  readonly guard: RepositoryGuard;
}

async function startSession(
  engine: Engine,
  request: DockerSandboxRequest,
  { image, workspacePath, homePath, guard }: Ready,
  signal: AbortSignal,
): Promise<Reply<DockerSandbox>> {
  const seccomp = await profileText(request.image.resourcesPath);
  const linksFound = lookForLinks(workspacePath, signal);
  const limits = limitsFor(engine, request.settings);
  const changing = (await request.sessionEnvironment?.(image)) ?? null;
  const sessionEnvironment = (await changing?.find(signal)) ?? emptySessionEnvironment;
  const options: Omit<SessionContainerOptions, 'runner'> = {
    engine,
    imageId: image.id,
    sessionId: request.sessionId,
    homeId: homeIdOf(homePath),
    supportFolder: join(request.homePath, 'sandbox'),
    workspacePath,
    users: userCandidates(engine, await ownerOf(workspacePath)),
    seccomp,
    guard,
    look: hiddenFilesFinder(request, workspacePath),
    ...limits,
    extra: sessionEnvironment.mounts,
    environment: sessionEnvironment.environment,
    author: await commitAuthor(),
    besides: null,
    engineWaitMs: request.settings.engineWaitSeconds * 1000,
    onLost: request.onLost,
  };
  const started = await startWithRunner(options, { image, ...request.image }, signal);
  if (!started.ok) return started;
  const { session, hasRunner } = started.value;
  return success(
    new DockerSandbox({
      session,
      outward: request.outward,
      imageName: image.name,
      description: describe(engine),
      limits: shownLimits(limits, engine.limits),
      sessionEnvironment,
      changing,
      links: createProjectLinks(session, await linksFound),
      ...(request.onService === undefined ? {} : { onService: request.onService }),
      onDiskLow: request.onDiskLow ?? null,
      warnings: [...warningsOf(engine), ...(hasRunner ? [] : [noRunnerText])],
    }),
  );
}

function hiddenFilesFinder(
  { settings, homePath, projectPath = null, masks = [] }: DockerSandboxRequest,
  workspacePath: string,
): SessionContainerOptions['look'] {
  let seeksAway = true;
  const since = Date.now();
  return async (closing) => {
    const query = { workspacePath, settings, homePath, projectPath, masks, seeksAway, since };
    seeksAway = false;
    return findHiddenFiles(query, closing);
  };
}

const noRunnerText =
  'The engine starts commands itself, without the runner: each command and file takes about 0.1 s longer.';

/**
 * If the runner was not in the image and does not start (for example because the home's disk does not allow
 * programs), starts without it.
 */
async function startWithRunner(
  options: Omit<SessionContainerOptions, 'runner'>,
  { image, resourcesPath }: { readonly image: SandboxImage; readonly resourcesPath: string },
  signal: AbortSignal,
): Promise<Reply<{ readonly session: SessionContainer; readonly hasRunner: boolean }>> {
  const start = async (
    runner: RunnerPlace | null,
  ): Promise<Reply<{ readonly session: SessionContainer; readonly hasRunner: boolean }>> => {
    const session = await SessionContainer.start({ ...options, runner }, signal);
    return session.ok ? success({ session: session.value, hasRunner: runner !== null }) : session;
  };
  // Podman writes all output of process 1 to a file without limit. With the runner, that would be all output.
  if (image.runner === 'unwanted' || options.engine.kind === 'podman') return start(null);
  if (image.runner === 'brought') return start({ path: runnerInContainer, file: null });
  const borrowed = await borrowRunner(options.engine, { ...options, resourcesPath }, signal);
  const tried = borrowed === null ? null : await start(borrowed);
  return tried === null || (!tried.ok && tried.error.code === 'missing-sandbox') ? start(null) : tried;
}

interface Limits {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
}

/** Leaves half a core to the machine, so that the window still responds while a command uses all it can. */
function limitsFor(engine: Pick<Engine, 'cpus' | 'memoryBytes'>, settings: Settings['sandbox']): Limits {
  const most = Math.max(1, engine.cpus - 0.5);
  const wantedMemory = settings.memoryMb * 1024 * 1024;
  return {
    memoryBytes: engine.memoryBytes > 0 ? Math.min(wantedMemory, engine.memoryBytes) : wantedMemory,
    cpus: settings.cpus === null ? most : Math.min(settings.cpus, engine.cpus),
    pids: settings.pids,
  };
}

/** Limits that the engine cannot enforce are not shown. */
function shownLimits(limits: Limits, held: EngineLimits): SandboxDescription['limits'] {
  return {
    network: 'none',
    ...(held.memory ? { memoryMb: Math.round(limits.memoryBytes / 1024 / 1024) } : {}),
    ...(held.cpu ? { cpus: limits.cpus } : {}),
    ...(held.pids ? { pids: limits.pids } : {}),
  };
}

async function ownerOf(workspacePath: string): Promise<UserIds> {
  const { uid, gid } = await stat(workspacePath);
  return { uid, gid };
}

async function profileText(resourcesPath: string): Promise<string> {
  // Without white space, because it is sent with every container.
  return JSON.stringify(JSON.parse(await readFile(join(resourcesPath, 'sandbox', 'seccomp.json'), 'utf8')));
}

function describe(engine: Engine): string {
  return (
    `Commands run in a container (${engine.kind} ${engine.version}). Protected: your files outside this project, your network, your keys. ` +
    'Not protected: files of this project, disk space, and the machine against a flaw in its kernel.'
  );
}

function warningsOf(engine: Engine): readonly string[] {
  const unheld = unheldLimits(engine.limits);
  return unheld.length === 0 ? [] : [`This engine cannot limit: ${unheld.join(', ')}.`];
}
