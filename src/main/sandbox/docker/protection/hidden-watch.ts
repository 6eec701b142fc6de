import { identityOf, statsBelow } from '../../workspace/file-identity.ts';
import type { KnownMask } from '../../workspace/still-hidden.ts';
import type { ProtectedPlace } from './protected-watch.ts';

type Place = Pick<ProtectedPlace, 'workspacePath' | 'asking'>;

/**
 * The first path whose content a running container may show although it must be hidden. Null: there is none. A mount
 * covers one file at one place: Linux removes it when somebody on the host replaces that file, and it stays behind when
 * a folder above it is renamed there. `away` are paths where nothing was before.
 */
export async function firstOpen(
  masks: readonly KnownMask[],
  away: readonly string[],
  { workspacePath, asking }: Place,
): Promise<string | null> {
  for (const { path, identity } of masks) {
    const stats = await statsBelow(workspacePath, path, asking);
    if (stats === null || identityOf(stats) !== identity) return path;
  }
  for (const path of away) if ((await statsBelow(workspacePath, path, asking)) !== null) return path;
  return null;
}

/** Those of the paths that do not exist. */
export async function whereNothingIs(
  paths: readonly string[],
  { workspacePath, asking }: Place,
): Promise<readonly string[]> {
  const absent: string[] = [];
  for (const path of paths) if ((await statsBelow(workspacePath, path, asking)) === null) absent.push(path);
  return absent;
}
