import { z } from 'zod';
import { gitQuestionSchema } from '@shared/contract/git-contract.ts';
import type { GitReport } from '@shared/git/git-report.ts';
import { lineOrigins } from '../../lib/unified-diff.ts';
import { diffFiles } from '../../sessions/changes/file-diff.ts';
import { readAuthors, readDiff, readLog, showCommit } from '../read-commits.ts';
import { readBranches } from '../read-branches.ts';
import { readStatus } from '../read-status.ts';
import { withRepository } from '../repository.ts';

export const repositoryInputSchema = z.object({ projectPath: z.string(), ask: gitQuestionSchema });
export type RepositoryInput = z.output<typeof repositoryInputSchema>;

/** Answers one question about a repository. Only for repositories that are trusted to be read in this process. */
export function readRepository({ projectPath, ask }: RepositoryInput, signal: AbortSignal): Promise<GitReport> {
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
