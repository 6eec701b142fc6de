import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A user who is not root, with 65,536 more ids for containers. It exists only where `knowOtherUser` ran. */
export const otherUser = { name: 'dewpoint-other', uid: 2371, gid: 2371, firstOfMore: 300_000 } as const;

/** Makes the user known inside the mount namespace of `run`. The machine's own user files do not change. */
export async function knowOtherUser(
  folder: string,
  run: (command: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const { name, uid, gid, firstOfMore } = otherUser;
  const files = {
    passwd: `root:x:0:0::/root:/bin/sh\n${name}:x:${uid}:${gid}::${folder}:/bin/sh\n`,
    group: `root:x:0:\n${name}:x:${gid}:\n`,
    subuid: `${name}:${firstOfMore}:65536\n`,
    subgid: `${name}:${firstOfMore}:65536\n`,
  };
  for (const [file, text] of Object.entries(files)) {
    const own = join(folder, `etc-${file}`);
    await writeFile(own, text);
    // A machine that never had such users lacks the file to mount over.
    await run(['sh', '-c', '[ -e "$2" ] || : > "$2"; exec mount --bind "$1" "$2"', 'sh', own, `/etc/${file}`]);
  }
}

/** The command line that runs a program as that user, with `folder` as home. */
export function asOtherUser(folder: string, command: readonly string[]): readonly string[] {
  const { uid, gid } = otherUser;
  const user = ['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
  const path = `PATH=${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;
  return [...user, 'env', '-i', `HOME=${folder}`, `XDG_RUNTIME_DIR=${folder}`, path, ...command];
}

/** The same, as root of the user's own user namespace, as rootless Docker works. */
export function asOwnRoot(folder: string, command: readonly string[]): readonly string[] {
  const kit = ['rootlesskit', '--net=host', '--copy-up=/run', '--state-dir', join(folder, 'kit')];
  // Traces of the machine's own engine that are visible inside.
  const clear = ['sh', '-c', 'rm -f /run/docker /run/containerd /run/xtables.lock; exec "$@"', 'sh'];
  return asOtherUser(folder, [...kit, ...clear, ...command]);
}
