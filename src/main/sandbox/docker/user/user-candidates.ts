import type { ContainerPlan } from '../container/container-create-body.ts';
import type { Engine } from '../engine/container-engine.ts';
import type { UserIds } from './container-identity.ts';

/** A way to run commands so that files belong to the user, on the host and in the container. */
export interface ContainerUser {
  readonly user: UserIds;
  readonly userns: ContainerPlan['userns'];
}

type Mapping = Pick<Engine, 'kind' | 'rootless' | 'remapsUsers' | 'desktop'>;

const root: UserIds = { uid: 0, gid: 0 };
const firstUser: UserIds = { uid: 1000, gid: 1000 };

/**
 * The users that commands may run as, likeliest first. A test finds the right one, because engines map user ids
 * differently. Root in a container has no capabilities, and is used only if no other user can write.
 */
export function userCandidates(
  engine: Mapping,
  owner: UserIds,
  platform: NodeJS.Platform = process.platform,
): readonly ContainerUser[] {
  const plain = (user: UserIds): ContainerUser => ({ user, userns: '' });
  const known = platform === 'win32' ? firstUser : owner;
  const all = ((): readonly ContainerUser[] => {
    if (engine.rootless) {
      // In a rootless engine, the container's root is the host's user. Podman can also keep the id.
      return engine.kind === 'podman' ? [{ user: known, userns: 'keep-id' }, plain(root)] : [plain(root), plain(known)];
    }
    if (engine.remapsUsers) return [{ user: known, userns: 'host' }, plain(known), plain(root)];
    if (engine.desktop !== null || platform !== 'linux') return [plain(known), plain(firstUser), plain(root)];
    return [plain(known), plain(root)];
  })();
  return all.filter((one, at) => all.findIndex((other) => keyOf(other) === keyOf(one)) === at);
}

function keyOf({ user, userns }: ContainerUser): string {
  return `${user.uid}:${user.gid}:${userns}`;
}

/** For users: as whom commands will run, also in a project that belongs to root. */
export function usersText(engine: Mapping): string {
  const owner = 'the owner of the project (0:0 where it belongs to root), without any capability.';
  if (engine.rootless) {
    const you =
      engine.kind === 'podman'
        ? 'as you, with your own number,'
        : 'as 0:0 of the container, which is you on this machine,';
    return `Commands run ${you} without any capability; in a project that belongs to root, they cannot write.`;
  }
  if (engine.remapsUsers) return `Its mapping of users is switched off for these containers: commands run as ${owner}`;
  return `Commands run as ${owner}`;
}
