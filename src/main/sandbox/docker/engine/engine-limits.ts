import type Dockerode from 'dockerode';
import { z } from 'zod';
import { isOlder } from './engine-health.ts';

export interface EngineLimits {
  readonly memory: boolean;
  readonly swap: boolean;
  readonly pids: boolean;
  readonly cpu: boolean;
  /** Limits of a single process: open files, file size, core dumps. */
  readonly ulimits: boolean;
}

/** The limits that it cannot enforce, in words. */
export function unheldLimits(limits: EngineLimits): readonly string[] {
  const names = {
    memory: 'memory',
    swap: 'swap',
    pids: 'number of processes',
    cpu: 'processor time',
    ulimits: 'open files and size of files of a process',
  } as const;
  return (['memory', 'swap', 'pids', 'cpu', 'ulimits'] as const)
    .filter((name) => !limits[name])
    .map((name) => names[name]);
}

const infoSchema = z.object({ host: z.object({ cgroupControllers: z.array(z.string()).nullish() }) });

type PodmanInfo = z.infer<typeof infoSchema>;

/** The first version that passes them on: github.com/containers/podman, issue 25881, pull request 25908. */
const firstWithUlimits = '5.5.0';

/**
 * Asks Podman through its own API, which is also available on its Docker socket. Rejects if it does not answer as
 * expected.
 */
export async function askPodman(docker: Dockerode): Promise<PodmanInfo> {
  const options = { path: '/libpod/info', method: 'GET', statusCodes: { 200: true } };
  const answer: unknown = await new Promise((resolve, reject) => {
    docker.modem.dial(options, (error: unknown, data: unknown) => (error === null ? resolve(data) : reject(error)));
  });
  return infoSchema.parse(answer);
}

/**
 * The limits of a rootless Podman. Its Docker socket claims to support all limits. But without root it accepts and
 * then ignores them, except for the controllers that the system has delegated to its user.
 */
export function rootlessPodmanLimits(version: string, { host }: PodmanInfo): EngineLimits {
  const has = (name: string): boolean => host.cgroupControllers?.includes(name) ?? false;
  return {
    memory: has('memory'),
    swap: has('memory'),
    pids: has('pids'),
    cpu: has('cpu'),
    ulimits: !isOlder(version, firstWithUlimits),
  };
}
