import { tarArchive } from '../../../lib/files/tar-archive.ts';
import type { UserIds } from '../user/container-identity.ts';

/**
 * A tar archive with one empty folder that has an owner. It gives a volume a folder that an unprivileged user can
 * write, because no user in the container may change an owner. The name `.` means the place itself.
 */
export function folderArchive(name: string, { uid, gid }: UserIds, mode = 0o700): Buffer {
  const archive = tarArchive([{ path: name, bytes: null, mode, uid, gid }]);
  if (archive === null) throw new Error(`The name of the folder is too long: ${name}`);
  return archive;
}
