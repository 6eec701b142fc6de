import { compileFences, type FenceSources } from '@shared/safety/fences.ts';
import { readForModel, type ReadRepository } from '../../git/read-for-model.ts';
import { realPathOf } from '../../lib/files/host-folder.ts';
import { projectKey } from '../../lib/files/project-key.ts';
import { hiddenAmong, lookForHidden } from '../../sandbox/read-only/hidden-from-reading.ts';
import { isSecretFile } from '../../sandbox/workspace/secret-files.ts';
import type { OpenSessionsOptions } from './session-options.ts';

interface RepositoryParts extends Pick<OpenSessionsOptions, 'settings' | 'homePath'> {
  readonly workspaces: Pick<OpenSessionsOptions['workspaces'], 'runGit'>;
  readonly userFiles: Pick<OpenSessionsOptions['userFiles'], 'rules'>;
}

interface RepositorySubject {
  readonly workspacePath: string;
  readonly projectPath: string | null;
  readonly fences: () => Promise<FenceSources>;
}

/**
 * The repository of a session's workspace, for its models. What is hidden or fenced now, and each file by whose name
 * secrets are known, is left out in all versions: nobody looks into old contents for secrets.
 */
export function sessionRepository(
  { workspaces, settings, userFiles, homePath }: RepositoryParts,
  { workspacePath, projectPath, fences }: RepositorySubject,
): ReadRepository | null {
  if (projectPath === null) return null;
  return readForModel({
    run: workspaces.runGit,
    folder: workspacePath,
    hiddenAmong: async (paths, signal) => {
      const { masks } = await userFiles.rules(projectPath);
      const { sandbox } = settings();
      const workspace = await realPathOf(workspacePath);
      const project = await projectKey(projectPath);
      const query = { workspacePath: workspace, settings: sandbox, homePath, masks, projectPath: project };
      const { hidden } = await lookForHidden({ ...query, seeksAway: false }, signal);
      const { ofPath } = compileFences({ settings: await fences(), projectPath, isSecretFile });
      const known = paths.filter((path) => isSecretFile(path) || ofPath(path) !== null);
      return new Set([...known, ...(await hiddenAmong(workspace, paths, hidden))]);
    },
  });
}
