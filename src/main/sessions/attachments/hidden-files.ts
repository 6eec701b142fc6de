import type { FileLook } from '@shared/events/tool-events.ts';
import { AppError } from '@shared/errors.ts';
import { realPathOf } from '../../lib/files/host-folder.ts';
import { createLookAtFiles } from '../../safety/file-look.ts';
import { hiddenAmong, type HiddenFromReading } from '../../sandbox/read-only/hidden-from-reading.ts';

export interface HiddenReach {
  /** What commands of this workspace find empty. Rejects if it cannot be known: then nothing of it is attached. */
  readonly hiddenIn: (
    place: { readonly workspacePath: string; readonly projectPath: string | null },
    signal: AbortSignal,
  ) => Promise<HiddenFromReading>;
}

/** The file at a path of this machine, if it is below `root`. Null: it is elsewhere. */
export async function insideOf(root: string, path: string): Promise<FileLook | null> {
  // A path that does not exist is not in the workspace.
  const real = await realPathOf(path).catch(() => null);
  const [look] = real === null ? [] : await createLookAtFiles(root)([real]);
  return look === undefined || look.real === '' ? null : look;
}

/** Why these files cannot be attached, as a sentence, if one of them is hidden. Null: none is. */
export async function whyHidden(
  root: string,
  looks: readonly FileLook[],
  hidden: HiddenFromReading,
): Promise<string | null> {
  const [found] = await hiddenAmong(
    root,
    looks.map(({ real }) => real),
    hidden,
  );
  return found === undefined
    ? null
    : `${found} is hidden from models: it holds secrets, or a rule masks it. To show it, add it to the setting sandbox.unmask, or change the rule.`;
}

/** Rejects with `refused` if a path of this machine leads to a file that is hidden in the workspace or in its project. */
export async function refuseHidden(
  { hiddenIn }: HiddenReach,
  place: { readonly root: string; readonly projectPath: string | null },
  { name, path }: { readonly name: string; readonly path: string },
  signal: AbortSignal,
): Promise<void> {
  const { root, projectPath } = place;
  const project = projectPath === null ? root : await realPathOf(projectPath).catch(() => root);
  for (const workspacePath of new Set([root, project])) {
    const look = await insideOf(workspacePath, path);
    if (look === null) continue;
    const why = await whyHidden(workspacePath, [look], await hiddenIn({ workspacePath, projectPath }, signal));
    if (why !== null) throw new AppError('refused', `${name} was not attached: ${why}`);
  }
}
