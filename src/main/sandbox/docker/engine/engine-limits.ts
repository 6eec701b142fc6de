import type Dockerode from 'dockerode';
import { z } from 'zod';
import { isOlder } from './engine-health.ts';

export interface EngineLimits {
  readonly memory: boolean;
  readonly swap: boolean;
  readonly pids: boolean;
  readonly cpu: boolean;
  /** Of a single process: its open files, their size, a dump of its memory. */
  readonly ulimits: boolean;
}

/** In words, those that it cannot hold. */
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

/** Podman by its own interface, which its Docker socket speaks, too. Rejects where it does not answer as it should. */
export async function askPodman(docker: Dockerode): Promise<PodmanInfo> {
  const options = { path: '/libpod/info', method: 'GET', statusCodes: { 200: true } };
  const answer: unknown = await new Promise((resolve, reject) => {
    docker.modem.dial(options, (error: unknown, data: unknown) => (error === null ? resolve(data) : reject(error)));
  });
  return infoSchema.parse(answer);
}

/**
 * What a Podman that is not root's can limit. By the Docker socket it says that it limits everything; without root it
 * takes such limits and drops them, but for the controllers that the system has handed to its user.
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
