import type Dockerode from 'dockerode';
import type { EngineLimits } from '../engine/engine-limits.ts';
import type { ExtraMount } from '../../sandbox.ts';
import type { Mask } from '../../workspace/workspace-scan.ts';
import { homeInContainer, type SupportFiles, type UserIds } from '../user/container-identity.ts';
import type { ProtectedMount } from '../protection/protected-mounts.ts';
import type { RunnerPlace } from '../runner/runner-processes.ts';
import { scriptCommand, scriptsInContainer } from '../exec/container-scripts.ts';

export const workspaceInContainer = '/workspace';
export const scratchInContainer = '/scratch';

/** Labels for finding leftovers after a crash. */
export const labelNames = {
  app: 'dewpoint.app',
  home: 'dewpoint.home',
  session: 'dewpoint.session',
  owner: 'dewpoint.owner',
} as const;

/** Everything that the request for a container is made from. The request is a pure function of it. */
export interface ContainerPlan {
  readonly labels: Readonly<Record<string, string>>;
  /** An image id (`sha256:…`), so that moving a tag changes nothing. */
  readonly image: string;
  /** Process 1. Null: a shell program is used instead. */
  readonly runner: RunnerPlace | null;
  readonly user: UserIds;
  readonly userns: '' | 'host' | 'keep-id';
  readonly isPodman: boolean;
  /** A real path on the host. */
  readonly workspacePath: string;
  readonly pins: readonly ProtectedMount[];
  /** Folders elsewhere on the host, readable at their own path. */
  readonly outside: readonly string[];
  /** The hidden files, relative to the workspace. Commands find them empty. */
  readonly masks: readonly Mask[];
  /** Our own profile of system calls: its JSON text (Docker), or the path of the file (Podman). */
  readonly seccomp: string;
  readonly support: SupportFiles;
  /** An existing volume. */
  readonly scratchVolume: string;
  /** Additional mounts, which come after those of the workspace. */
  readonly extra: readonly ExtraMount[];
  /** Variables for commands, which are added to the usual ones or replace them. */
  readonly environment: Readonly<Record<string, string>>;
  /** The id of the container whose network it shares. Null: it has only its own `localhost`. */
  readonly networkOf: string | null;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
  readonly limits: EngineLimits;
  /** The engine can prevent swapping completely (control groups of version 1). */
  readonly hasSwappiness: boolean;
}

const mebibyte = 1024 * 1024;

/**
 * The container of a session: no network, no capabilities, and nothing writable except the workspace, scratch and
 * memory disks.
 */
export function createBody(plan: ContainerPlan): Dockerode.ContainerCreateOptions {
  return {
    Image: plan.image,
    User: `${plan.user.uid}:${plan.user.gid}`,
    Entrypoint: plan.runner === null ? scriptCommand('reaper') : [plan.runner.path],
    Cmd: [],
    // The first process ends with its input, so a killed Dewpoint leaves nothing running.
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: false,
    AttachStderr: false,
    Tty: false,
    WorkingDir: workspaceInContainer,
    Env: Object.entries({ ...baseEnvironment, ...plan.environment }).map(([name, value]) => `${name}=${value}`),
    Labels: { ...plan.labels },
    StopTimeout: 1,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig(plan),
  };
}

/** The variables that commands find. Nothing is inherited from the host. */
const baseEnvironment = {
  HOME: homeInContainer,
  LANG: 'C.UTF-8',
  CI: '1',
  TERM: 'dumb',
  // Test runs leave no files in the workspace, and a stale .pyc cannot hide a change within one second.
  PYTHONDONTWRITEBYTECODE: '1',
  PYTEST_ADDOPTS: '-o cache_dir=/tmp/pytest-cache',
  HYPOTHESIS_STORAGE_DIRECTORY: '/tmp/hypothesis',
  // Looking at a repository does not need to write to it, and in a worktree cannot.
  GIT_OPTIONAL_LOCKS: '0',
} as const;

// The engine supports this field, but the types lack it.
const ownCgroups = { CgroupnsMode: 'private' } as const;

const ulimits = [
  { Name: 'nofile', Soft: 4096, Hard: 8192 },
  { Name: 'core', Soft: 0, Hard: 0 },
  { Name: 'nproc', Soft: 32_768, Hard: 32_768 },
  { Name: 'fsize', Soft: 4096 * mebibyte, Hard: 4096 * mebibyte },
] as const;

function hostConfig(plan: ContainerPlan): Dockerode.HostConfig {
  return {
    NetworkMode: plan.networkOf === null ? 'none' : `container:${plan.networkOf}`,
    ReadonlyRootfs: true,
    Privileged: false,
    PublishAllPorts: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true', `seccomp=${plan.seccomp}`],
    IpcMode: 'private',
    ...ownCgroups,
    UsernsMode: plan.userns,
    Init: false,
    AutoRemove: false,
    RestartPolicy: { Name: 'no' },
    LogConfig: { Type: plan.isPodman ? 'k8s-file' : 'none', Config: {} },
    OomScoreAdj: 500,
    ShmSize: 64 * mebibyte,
    ...(plan.hasSwappiness ? { MemorySwappiness: 0 } : {}),
    Tmpfs: temporaryFolders(plan),
    Mounts: mounts(plan),
    ...(plan.limits.ulimits ? { Ulimits: [...ulimits] } : {}),
    ...(plan.limits.memory ? { Memory: plan.memoryBytes } : {}),
    // Equal to memory, which means no additional swap.
    ...(plan.limits.memory && plan.limits.swap ? { MemorySwap: plan.memoryBytes } : {}),
    ...(plan.limits.cpu ? { NanoCpus: Math.round(plan.cpus * 1e9) } : {}),
    ...(plan.limits.pids ? { PidsLimit: plan.pids } : {}),
  };
}

// `exec` must be set, because the engine otherwise mounts these without it, which breaks compilers and test binaries.
// Their contents count as memory, so each gets at most a quarter of it.
function temporaryFolders(plan: ContainerPlan): Record<string, string> {
  const size = Math.max(64, Math.floor(plan.memoryBytes / mebibyte / 4));
  const owner = plan.isPodman ? '' : `,uid=${plan.user.uid},gid=${plan.user.gid}`;
  return {
    '/tmp': `rw,nosuid,nodev,exec,size=${size}m,mode=1777`,
    [homeInContainer]: `rw,nosuid,nodev,exec,size=${size}m,mode=${plan.isPodman ? '1777' : '0700'}${owner}`,
    '/run': 'rw,nosuid,nodev,size=16m,mode=1777',
  };
}

/**
 * A mask protects what it hides, as a pin would, and so does another mount: what it covers is not reached. No engine
 * accepts two mounts at one path.
 */
function isCovered(covers: readonly string[], path: string): boolean {
  return covers.some((cover) => path === cover || path.startsWith(`${cover}/`));
}

function mounts(plan: ContainerPlan): Dockerode.MountConfig {
  // NonRecursive excludes other file systems that are mounted below the project. The types lack it.
  const bind = (source: string, target: string, isReadOnly: boolean) => ({
    Type: 'bind' as const,
    Source: source,
    Target: target,
    ReadOnly: isReadOnly,
    BindOptions: { Propagation: 'rprivate' as const, NonRecursive: true },
  });
  const workspace = `${workspaceInContainer}/`;
  const inside = plan.extra.filter(({ target }) => target.startsWith(workspace));
  const mounted = inside.map(({ target }) => target.slice(workspace.length));
  const masks = plan.masks.filter(({ path }) => !isCovered(mounted, path));
  const covers = [...mounted, ...masks.map(({ path }) => path)];
  return [
    bind(plan.workspacePath, workspaceInContainer, false),
    ...plan.pins
      .filter(({ path }) => !isCovered(covers, path))
      .map((pin) => bind(`${plan.workspacePath}/${pin.path}`, `${workspaceInContainer}/${pin.path}`, pin.readOnly)),
    ...masks.map(({ path, kind }) =>
      bind(kind === 'file' ? plan.support.empty : plan.support.emptyFolder, `${workspaceInContainer}/${path}`, true),
    ),
    ...plan.outside.map((path) => bind(path, path, true)),
    bind(plan.support.passwd, '/etc/passwd', true),
    bind(plan.support.group, '/etc/group', true),
    bind(plan.support.scripts, scriptsInContainer, true),
    ...(plan.runner === null || plan.runner.file === null ? [] : [bind(plan.runner.file, plan.runner.path, true)]),
    { Type: 'volume', Source: plan.scratchVolume, Target: scratchInContainer, ReadOnly: false },
    ...plan.extra.map(({ type, source, target, readOnly }) =>
      type === 'bind'
        ? bind(source, target, readOnly)
        : { Type: type, Source: source, Target: target, ReadOnly: readOnly },
    ),
  ];
}

/** Paths of the workspace with mounts that commands cannot write to, or that are not part of the project. */
export function heldPaths(
  masks: readonly Mask[],
  pins: readonly ProtectedMount[],
  extra: readonly ExtraMount[],
): readonly string[] {
  const workspace = `${workspaceInContainer}/`;
  const mounted = extra.filter(({ target }) => target.startsWith(workspace));
  return [
    ...masks.map(({ path }) => path),
    ...pins.filter(({ readOnly }) => readOnly).map(({ path }) => path),
    ...mounted.map(({ target }) => target.slice(workspace.length)),
  ];
}
