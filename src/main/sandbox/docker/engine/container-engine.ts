import type Dockerode from 'dockerode';
import { z } from 'zod';
import { failure, messageOf, success, type Reply } from '@shared/errors.ts';
import { childAbort } from '../../../lib/async/child-abort.ts';
import { statusOf, withDeadline } from './engine-deadline.ts';
import { isOlder } from './engine-health.ts';
import { engineEndpoints, type Endpoint, type EngineSearch } from './engine-endpoints.ts';
import { askPodman, rootlessPodmanLimits, type EngineLimits } from './engine-limits.ts';
import { errorCodeOf } from '../../../lib/files/json-file.ts';

/** A container engine that answered. */
export interface Engine {
  readonly docker: Dockerode;
  readonly endpoint: string;
  readonly kind: 'docker' | 'podman';
  readonly version: string;
  /** The API version that is used with it, such as `1.41`. */
  readonly apiVersion: string;
  /** The programs that create and run the containers, if the engine names them. */
  readonly containerd: string | null;
  readonly runc: string | null;
  /** Docker Desktop or a similar program, in which a virtual machine is between the engine and the project. */
  readonly desktop: { readonly version: string | null } | null;
  readonly rootless: boolean;
  /** The daemon maps user ids of containers to others (`userns-remap`). */
  readonly remapsUsers: boolean;
  /** Where the engine keeps images and volumes, as it says. The path may be in another machine's file system. */
  readonly rootFolder: string | null;
  readonly cpus: number;
  readonly memoryBytes: number;
  /** The limits that this engine can enforce. The others are reported as missing. */
  readonly limits: EngineLimits;
  /** It has control groups of version 1, with which a container can be kept from swapping. */
  readonly hasSwappiness: boolean;
}

/** The newest API version that was tested. Newer engines still support it. */
const newestApiVersion = '1.47';
/**
 * The API version of Docker Engine 20.10. It does not apply to Podman, which has an API of its own besides and is
 * judged by what it does.
 */
const oldestApiVersion = '1.41';
const usuallySoonMs = 5_000;
/** The time limit for details of an engine that has answered before. A busy one may need a while. */
const lookMs = 15_000;

/**
 * The first engine that answers, with its API version chosen. One that exists but is silent (busy, or just being
 * started by its socket) is waited for as long as the search allows, but only if no other one answers. Fails with
 * `missing-sandbox` and how to get one, or with `cancelled`.
 */
export async function findEngine(search: EngineSearch, signal: AbortSignal): Promise<Reply<Engine>> {
  const cancelled = failure('cancelled', 'It was cancelled.');
  const soonMs = Math.min(search.soonMs ?? usuallySoonMs, search.waitMs);
  const problems: EndpointProblem[] = [];
  const slow: Endpoint[] = [];
  for (const endpoint of await engineEndpoints(search)) {
    const tried = await tryEndpoint(endpoint, soonMs, signal);
    if (signal.aborted) return cancelled;
    if (tried.ok) return success(tried.engine);
    problems.push(tried.problem);
    if (tried.problem.kind === 'slow') slow.push(endpoint);
  }
  const engine = await waitForOne(slow, { ...search, waitMs: search.waitMs - soonMs }, signal);
  if (signal.aborted) return cancelled;
  return engine === null ? missing(problems, search) : success(engine);
}

/** Asks all of them at once and uses the first that answers. Null: none did. */
async function waitForOne(
  slow: readonly Endpoint[],
  { waitMs, onWait }: EngineSearch,
  signal: AbortSignal,
): Promise<Engine | null> {
  if (slow.length === 0 || waitMs <= 0) return null;
  const where = slow.map(({ label }) => label).join(', ');
  onWait?.(`The container engine at ${where} does not answer yet. Dewpoint waits up to ${waitMs / 1000} s more.`);
  const search = childAbort(signal);
  const ask = async (endpoint: Endpoint): Promise<Engine | null> => {
    const tried = await tryEndpoint(endpoint, waitMs, search.signal);
    if (!tried.ok) return null;
    search.abort();
    return tried.engine;
  };
  try {
    return (await Promise.all(slow.map(ask))).find((engine) => engine !== null) ?? null;
  } finally {
    search.release();
  }
}

interface EndpointProblem {
  readonly endpoint: string;
  /** `silent`: nothing listens there. `slow`: something listens, but does not answer. */
  readonly kind: 'absent' | 'forbidden' | 'silent' | 'slow' | 'old' | 'elsewhere' | 'other';
  readonly text: string;
}

type Tried = { readonly ok: true; readonly engine: Engine } | { readonly ok: false; readonly problem: EndpointProblem };

async function tryEndpoint(endpoint: Endpoint, answerMs: number, signal: AbortSignal): Promise<Tried> {
  const { address, label } = endpoint;
  if (address === null) return { ok: false, problem: { endpoint: label, kind: 'elsewhere', text: endpoint.problem } };
  try {
    // Loaded on first use, because it loads gRPC and SSH. Starts without commands need not pay for that.
    const { default: Docker } = await import('dockerode');
    // An empty host prevents DOCKER_HOST in the environment from replacing the socket.
    const options =
      'socketPath' in address
        ? { socketPath: address.socketPath, host: '' }
        : { ...address, protocol: 'http' as const };
    // The request is cancelled a little after our own time limit.
    const asking = new Docker({ ...options, timeout: answerMs + 1_000 });
    const version = versionSchema.parse(await withDeadline(answerMs, signal, () => asking.version()));
    const isPodman = (version.Components ?? []).some((component) => /podman/i.test(component.Name));
    if (!isPodman && isOlder(version.ApiVersion, oldestApiVersion)) {
      const text = `Docker Engine ${version.Version} at ${label} is too old: it has API version ${version.ApiVersion} and Dewpoint needs ${oldestApiVersion} (Engine 20.10) or newer`;
      return { ok: false, problem: { endpoint: label, kind: 'old', text } };
    }
    const apiVersion = agreedVersion(version);
    const docker = new Docker({ ...options, version: `v${apiVersion}` });
    const info = infoSchema.parse(await withDeadline(Math.max(lookMs, answerMs), signal, () => docker.info()));
    const engine = describeEngine(docker, label, { version, apiVersion, isPodman, info });
    if (!isPodman || !engine.rootless) return { ok: true, engine };
    const own = await withDeadline(lookMs, signal, () => askPodman(docker));
    return { ok: true, engine: { ...engine, limits: rootlessPodmanLimits(engine.version, own) } };
  } catch (error) {
    return { ok: false, problem: problemOf(label, error) };
  }
}

const versionSchema = z.object({
  Version: z.string(),
  ApiVersion: z.string(),
  MinAPIVersion: z.string().nullish(),
  Platform: z.object({ Name: z.string().nullish() }).nullish(),
  Components: z
    .array(
      z.object({
        Name: z.string(),
        Version: z.string().nullish(),
        Details: z.object({ GitCommit: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
});

const infoSchema = z.object({
  OSType: z.string().nullish(),
  Name: z.string().nullish(),
  OperatingSystem: z.string().nullish(),
  DockerRootDir: z.string().nullish(),
  CgroupVersion: z.string().nullish(),
  NCPU: z.number().nullish(),
  MemTotal: z.number().nullish(),
  MemoryLimit: z.boolean().nullish(),
  SwapLimit: z.boolean().nullish(),
  PidsLimit: z.boolean().nullish(),
  CpuCfsQuota: z.boolean().nullish(),
  SecurityOptions: z.array(z.string()).nullish(),
  /** Podman's own field. Docker reports it in the options above. */
  Rootless: z.boolean().nullish(),
});

interface Answers {
  readonly version: z.infer<typeof versionSchema>;
  readonly apiVersion: string;
  readonly isPodman: boolean;
  readonly info: z.infer<typeof infoSchema>;
}

/** Programs that run their engine in a virtual machine. Some are known only by the name of that machine. */
const ofDesktops = /Docker Desktop|OrbStack|Rancher Desktop|^colima|^lima-|^docker-desktop$/i;

function describeEngine(docker: Dockerode, endpoint: string, answers: Answers): Engine {
  const { version, apiVersion, isPodman, info } = answers;
  const partOf = (name: string) => (version.Components ?? []).find((component) => component.Name === name);
  // Some engines report the version of containerd as runc's (Docker Desktop 4.33). The description of the commit has
  // the right one.
  const runc = partOf('runc');
  const runcTag = /^v(\d+\.\d+\.\d+(?:[^\s\d]\S*?)?)-\d+-g[0-9a-f]+$/.exec(runc?.Details?.GitCommit ?? '');
  const options = info.SecurityOptions ?? [];
  const desktop = /^Docker Desktop (\S+)/.exec(version.Platform?.Name ?? '');
  const isDesktop = desktop !== null || [info.OperatingSystem, info.Name].some((name) => ofDesktops.test(name ?? ''));
  return {
    docker,
    endpoint,
    kind: isPodman ? 'podman' : 'docker',
    version: version.Version,
    apiVersion,
    containerd: partOf('containerd')?.Version ?? null,
    runc: runcTag?.[1] ?? runc?.Version ?? null,
    desktop: isDesktop ? { version: desktop?.[1] ?? null } : null,
    rootless: info.Rootless === true || options.some((option) => option.includes('name=rootless')),
    remapsUsers: options.some((option) => option.includes('name=userns')),
    rootFolder: info.DockerRootDir ?? null,
    cpus: info.NCPU ?? 1,
    memoryBytes: info.MemTotal ?? 0,
    hasSwappiness: info.CgroupVersion === '1' && info.SwapLimit === true && !isPodman,
    limits: {
      memory: info.MemoryLimit ?? false,
      swap: info.SwapLimit ?? false,
      pids: info.PidsLimit ?? false,
      cpu: info.CpuCfsQuota ?? false,
      ulimits: true,
    },
  };
}

/** The older of the engine's version and the newest tested one, but not below the oldest that the engine supports. */
export function agreedVersion(
  { ApiVersion, MinAPIVersion }: Pick<z.infer<typeof versionSchema>, 'ApiVersion' | 'MinAPIVersion'>,
  newest: string = newestApiVersion,
): string {
  const least = MinAPIVersion ?? newest;
  if (isOlder(newest, least)) return least;
  return isOlder(ApiVersion, newest) ? ApiVersion : newest;
}

function problemOf(endpoint: string, error: unknown): EndpointProblem {
  const code = errorCodeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return { endpoint, kind: 'absent', text: 'its socket was not found' };
  if (code === 'EACCES' || code === 'EPERM')
    return { endpoint, kind: 'forbidden', text: 'you have no permission to use it' };
  if (code === 'ECONNREFUSED') return { endpoint, kind: 'silent', text: 'nothing answers' };
  if (code === 'timeout') return { endpoint, kind: 'slow', text: 'it does not answer' };
  if (code === 'ECONNRESET') return { endpoint, kind: 'other', text: 'it closes the connection without an answer' };
  if (error instanceof z.ZodError || code?.startsWith('HPE_') === true)
    return { endpoint, kind: 'other', text: 'another program answers there, not a container engine' };
  const status = statusOf(error);
  return {
    endpoint,
    kind: 'other',
    text: status === null ? messageOf(error) : `it answered with status ${status}: ${messageOf(error)}`,
  };
}

function missing(problems: readonly EndpointProblem[], { platform, waitMs }: EngineSearch): Reply<never> {
  const slow = problems.find((problem) => problem.kind === 'slow');
  if (slow !== undefined) {
    return failure(
      'missing-sandbox',
      `The container engine at ${slow.endpoint} did not answer in ${waitMs / 1000} s.`,
      `It may be busy or stuck. Restart it (${restartOf(platform, slow.endpoint)}), or wait longer: dewpoint settings set sandbox.engineWaitSeconds ${(waitMs / 1000) * 5}`,
    );
  }
  const forbidden = problems.find((problem) => problem.kind === 'forbidden');
  if (forbidden !== undefined) {
    return failure(
      'missing-sandbox',
      `You have no permission to use the container engine at ${forbidden.endpoint}.`,
      'Add yourself to its group (Linux: sudo usermod -aG docker "$USER"), then log in again and start again. This group is as powerful as root.',
    );
  }
  const old = problems.find((problem) => problem.kind === 'old');
  if (old !== undefined)
    return failure('missing-sandbox', `${old.text}.`, 'Update your container engine and start again.');
  const other = 'choose another engine (DOCKER_HOST, or docker context use NAME)';
  const elsewhere = problems.find((problem) => problem.kind === 'elsewhere');
  if (elsewhere !== undefined) {
    const { endpoint, text } = elsewhere;
    return failure('missing-sandbox', `${endpoint} cannot be used: ${text}.`, `Fix that, or ${other}.`);
  }
  const silent = problems.find((problem) => problem.kind !== 'absent');
  if (silent !== undefined) {
    return failure(
      'missing-sandbox',
      `The container engine at ${silent.endpoint} cannot be used: ${silent.text}.`,
      platform === 'linux'
        ? 'Start it (sudo systemctl start docker) and start again.'
        : 'Start Docker Desktop (or your engine) and start again.',
    );
  }
  // If the user named an engine, only that one was tried.
  const [named] = problems;
  if (named !== undefined && problems.length === 1) {
    return failure(
      'missing-sandbox',
      `Commands and changes need a container engine, and none was found at ${named.endpoint}.`,
      `Start it, or ${other}. ${howToGet(platform)}`,
    );
  }
  return failure(
    'missing-sandbox',
    'Commands and changes need a container engine, and none was found on this machine.',
    howToGet(platform),
  );
}

function restartOf(platform: NodeJS.Platform, endpoint: string): string {
  if (platform !== 'linux') return 'Docker Desktop, or the program that runs it';
  return endpoint.includes('podman') ? 'systemctl --user restart podman.socket' : 'sudo systemctl restart docker';
}

function howToGet(platform: NodeJS.Platform): string {
  if (platform === 'linux') {
    return 'Install Docker (Debian, Ubuntu: sudo apt-get install docker.io) or Podman, start it, and start again.';
  }
  return 'Install Docker Desktop, OrbStack, Colima or Podman, start it, and start again.';
}
