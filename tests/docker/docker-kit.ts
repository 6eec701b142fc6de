import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Reply } from '../../src/shared/errors.ts';
import { settingsSchema, type Settings } from '../../src/shared/settings/settings.ts';
import { createDockerSandbox } from '../../src/main/sandbox/docker/create-docker-sandbox.ts';
import { findEngine, type Engine } from '../../src/main/sandbox/docker/engine/container-engine.ts';
import type { AskAboutDisk, ExecResult, Sandbox, BackgroundProcessState } from '../../src/main/sandbox/sandbox.ts';
import type { DockerSandbox } from '../../src/main/sandbox/docker/docker-sandbox.ts';
import type { OutboundConnections } from '../../src/main/sandbox/network/outbound-connections.ts';
import { homeIdOf } from '../../src/main/sandbox/docker/user/container-identity.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { testPrograms } from '../fakes/test-programs.ts';

export const none = new AbortController().signal;

/** The engine of this machine. If null, the tests that need it are skipped. */
const engine: Engine | null = await (async () => {
  const found = await findEngine(
    { env: process.env, homeDirectory: homedir(), platform: process.platform, waitMs: 60_000 },
    none,
  );
  return found.ok ? found.value : null;
})();

/** For `describe.skipIf`. CI promises an engine, so a missing engine is a failure there, not a skip. */
export const isWithoutEngine = engine === null && process.env['CI'] === undefined;

export interface DockerUnderTest {
  readonly sandbox: DockerSandbox;
  readonly workspace: string;
  readonly home: string;
  readonly losses: { readonly reason: string; readonly recreated: boolean }[];
  /** The resources of this home in the engine: ids of containers and names of volumes. */
  leftovers(): Promise<{ containers: string[]; volumes: string[] }>;
  containerId(): Promise<string>;
  put(path: string, content: string, mode?: number): Promise<void>;
  text(path: string): Promise<string | null>;
  setFolderMode(path: string, mode: number): Promise<void>;
  close(): Promise<void>;
}

export interface DockerTestOptions {
  readonly settings?: Partial<Settings['sandbox']>;
  /** The owner of the workspace. Needs root. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Another connection to the engine than the usual one. */
  readonly engine?: Engine;
  /** The network access of approved commands. Default: none. */
  readonly outward?: OutboundConnections;
  readonly onDiskLow?: AskAboutDisk;
  readonly onService?: (state: BackgroundProcessState) => void;
  /** Globs of the user's masks. */
  readonly masks?: readonly string[];
  /** The most folders that are checked after each command. */
  readonly mostFolders?: number;
  /** Fills the workspace before the sandbox starts. */
  readonly prepare?: (workspace: string) => Promise<void>;
  /** The workspace and home of an earlier sandbox, for the next session on the same project. */
  readonly after?: Pick<DockerUnderTest, 'workspace' | 'home'>;
}

const run = promisify(execFile);

export function requireEngine(): Engine {
  if (engine === null) throw new Error('These tests need a container engine.');
  return engine;
}

export async function startSandbox(options: DockerTestOptions = {}): Promise<DockerUnderTest> {
  const folder =
    options.after === undefined
      ? await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-docker-test-')))
      : dirname(options.after.home);
  await chmod(folder, 0o755);
  const workspace = join(folder, 'work space');
  const home = join(folder, 'home');
  await mkdir(workspace, { recursive: true });
  await mkdir(home, { recursive: true });
  // Some engines under test run as another user, who cannot enter a home that is private to its owner.
  await mkdir(join(home, 'sandbox'), { mode: 0o755, recursive: true });
  await options.prepare?.(workspace);
  if (options.owner !== undefined) await giveTo(options.owner, workspace);
  const losses: { reason: string; recreated: boolean }[] = [];
  const sandbox = valueOf(
    await createDockerSandbox(
      options.engine ?? requireEngine(),
      {
        sessionId: 'session-1',
        workspacePath: workspace,
        settings: { ...settingsSchema.parse({}).sandbox, ...options.settings },
        masks: options.masks ?? [],
        homePath: home,
        image: imageSource,
        outward: options.outward ?? noWayOut,
        onLost: (loss) => void losses.push(loss),
        ...(options.onService === undefined ? {} : { onService: options.onService }),
        ...(options.mostFolders === undefined ? {} : { mostFolders: options.mostFolders }),
        ...(options.onDiskLow === undefined ? {} : { onDiskLow: options.onDiskLow }),
      },
      none,
    ),
  );
  const { docker } = requireEngine();
  const leftovers = async (): Promise<{ containers: string[]; volumes: string[] }> => {
    const filters = { label: [`dewpoint.home=${homeIdOf(home)}`] };
    const containers = await docker.listContainers({ all: true, filters });
    const { Volumes } = await docker.listVolumes({ filters });
    return { containers: containers.map(({ Id }) => Id), volumes: (Volumes ?? []).map(({ Name }) => Name) };
  };
  return {
    sandbox,
    workspace,
    home,
    losses,
    leftovers,
    containerId: async () => {
      const { containers } = await leftovers();
      const [id] = containers;
      if (id === undefined) throw new Error('There is no container.');
      return id;
    },
    put: async (path, content, mode = 0o644) => {
      const file = join(workspace, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      await chmod(file, mode);
      const [top = path] = path.split('/');
      if (options.owner !== undefined) await giveTo(options.owner, join(workspace, top));
    },
    text: (path) => readFile(join(workspace, path), 'utf8').catch(() => null),
    setFolderMode: (path, mode) => chmod(join(workspace, path), mode),
    close: async () => {
      await sandbox.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts a command that prints `begun` and runs for a minute. Resolves after it has begun, however long that takes.
 * `ended` is its reply.
 */
export async function begin(
  sandbox: Sandbox,
  { rest = 'sleep 60', timeoutMs = 60_000, signal = none }: Partial<Begun> = {},
): Promise<{ readonly ended: Promise<Reply<ExecResult>> }> {
  return new Promise((resolve) => {
    const onOutput = (): void => resolve({ ended });
    const ended = sandbox.exec({ command: `echo begun; ${rest}`, timeoutMs, onOutput }, signal);
    void ended.then(onOutput);
  });
}

interface Begun {
  readonly rest: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function giveTo({ uid, gid }: { readonly uid: number; readonly gid: number }, path: string): Promise<void> {
  await run('chown', ['-R', `${uid}:${gid}`, path]);
}

export const noWayOut: OutboundConnections = {
  resolve: () => Promise.reject(new Error('No name is known here.')),
  connect: () => Promise.reject(new Error('Nothing is reached from here.')),
  proxyFor: () => null,
  connectProxy: () => Promise.reject(new Error('There is no proxy here.')),
  certificates: () => Promise.resolve(''),
};

export const imageSource = {
  resourcesPath: resolve('resources'),
  script: { node: process.execPath, path: resolve('scripts/setup/sandbox-image.mjs'), programs: testPrograms() },
  onProgress: () => undefined,
};

export async function ownerOf(path: string): Promise<string> {
  const found = await stat(path);
  return `${found.uid}:${found.gid}`;
}

/** The text that a command prints. Throws unless the command ends well. */
export async function output(sandbox: DockerSandbox, command: string, timeoutMs = 100_000): Promise<string> {
  const result = valueOf(await sandbox.exec({ command, timeoutMs }, none));
  if (result.exitCode !== 0) throw new Error(`${command}: ${result.outcome} ${result.exitCode} ${result.stderr}`);
  return result.stdout;
}
