import type { GitReport } from '@shared/git/git-report.ts';
import type { GitQuestion } from '@shared/contract/git-contract.ts';
import { lineOrigins } from '../lib/unified-diff.ts';
import type { Handlers } from '../server/handlers.ts';
import { diffFiles } from '../sessions/changes/file-diff.ts';
import { readAuthors, readDiff, readLog, showCommit } from './read-commits.ts';
import { readBranches } from './read-branches.ts';
import { readStatus } from './read-status.ts';
import { withRepository } from './repository.ts';

/** Handlers that read a project's repository. */
export function createGitCommands(): Handlers['git'] {
  return { read: ({ input, signal }) => readRepository(input, signal) };
}

function readRepository(
  { projectPath, ask }: { readonly projectPath: string; readonly ask: GitQuestion },
  signal: AbortSignal,
): Promise<GitReport> {
  return withRepository(projectPath, { signal }, async (repository): Promise<GitReport> => {
    switch (ask.type) {
      case 'status':
        return { type: 'status', ...(await readStatus(repository)) };
      case 'log':
        return readLog(repository, ask);
      case 'show':
        return showCommit(repository, ask.ref, diffFiles);
      case 'diff':
        return readDiff(repository, ask, diffFiles);
      case 'blame':
        return readAuthors(repository, ask, lineOrigins);
      case 'branches':
        return readBranches(repository);
      default:
        return ask satisfies never;
    }
  });
}
