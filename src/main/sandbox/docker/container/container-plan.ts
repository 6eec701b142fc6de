import type { ContainerPlan } from './container-create-body.ts';
import { supportFiles } from '../user/container-identity.ts';
import type { Protection } from '../protection/protected-mounts.ts';
import type { SessionContainerOptions } from './session-container-options.ts';
import type { ContainerUser } from '../user/user-candidates.ts';

/** What a project needs, found out before a container is made. */
export type ContainerRequirements = Pick<ContainerPlan, 'labels' | 'masks'> & {
  readonly pins: Protection['mounts'];
} & Pick<Protection, 'outside'>;

interface Choice {
  readonly user: ContainerUser;
  readonly ground: ContainerRequirements;
  readonly scratchVolume: string;
}

/** The input for a container's body, from a session's options. Writes the few files that the container gets. */
export async function planContainer(
  options: SessionContainerOptions,
  { user: { user, userns }, ground, scratchVolume }: Choice,
): Promise<ContainerPlan> {
  const { limits, kind, hasSwappiness } = options.engine;
  const support = await supportFiles(options.supportFolder, { user, name: options.author.name }, options.seccomp);
  return {
    ...ground,
    image: options.imageId,
    runner: options.runner,
    user,
    userns,
    isPodman: kind === 'podman',
    workspacePath: options.workspacePath,
    support,
    // Podman reads a file, and Docker takes the text.
    seccomp: kind === 'podman' ? support.seccomp : options.seccomp,
    hasSwappiness,
    scratchVolume,
    networkOf: options.besides?.networkOf ?? null,
    extra: options.extra,
    // Git takes the address from here, and the name from the list of users, where nothing else names an author.
    environment: { EMAIL: options.author.email, ...options.environment },
    memoryBytes: options.memoryBytes,
    cpus: options.cpus,
    pids: options.pids,
    limits,
  };
}
