import { posix } from 'node:path';
import type { GitQuestion } from '@shared/contract/git-contract.ts';
import { failure, success, toFailure, type Reply } from '@shared/errors.ts';
import type { GitReport } from '@shared/git/git-report.ts';
import { reportSchema } from './process/git-answer.ts';
import type { RunGit } from './process/run-apart.ts';

/** Answers a model's question about the repository of its workspace. */
export type ReadRepository = (ask: GitQuestion, signal: AbortSignal) => Promise<Reply<GitReport>>;

export interface ModelReading {
  readonly run: RunGit;
  readonly folder: string;
  /** The paths of these that models must not see, whatever they held in an older version. */
  readonly hiddenAmong: (paths: readonly string[], signal: AbortSignal) => Promise<ReadonlySet<string>>;
}

/** Reads a repository without the files that models must not see. Only the workspace's own, never that of a folder above. */
export function readForModel({ run, folder, hiddenAmong }: ModelReading): ReadRepository {
  return async (ask, signal) => {
    try {
      const path = 'path' in ask && ask.path !== undefined ? posix.normalize(ask.path).replace(/\/$/u, '') : null;
      if (path !== null && (await hiddenAmong([path], signal)).size > 0) return hiddenFailure(path);
      const job = { type: 'ask', projectPath: folder, isBelow: false, ask } as const;
      const report = await run(job, { schema: reportSchema, signal });
      const hidden = await hiddenAmong(pathsOf(report), signal);
      if (report.type === 'blame' && hidden.has(report.path)) return hiddenFailure(report.path);
      return success(without(report, hidden));
    } catch (error) {
      signal.throwIfAborted();
      return { ok: false, error: toFailure(error) };
    }
  };
}

const hiddenFailure = (path: string): Reply<never> =>
  failure('refused', `${path} is hidden from models, also in older versions.`, 'Go on without it.');

function pathsOf(report: GitReport): readonly string[] {
  switch (report.type) {
    case 'status':
      return report.entries.map(({ path }) => path);
    case 'show':
    case 'diff':
      return report.files.map(({ path }) => path);
    case 'blame':
      return [report.path];
    case 'log':
    case 'branches':
      return [];
    default:
      return report satisfies never;
  }
}

function without(report: GitReport, hidden: ReadonlySet<string>): GitReport {
  if (hidden.size === 0) return report;
  const isSeen = ({ path }: { readonly path: string }): boolean => !hidden.has(path);
  if (report.type === 'status') return { ...report, entries: report.entries.filter(isSeen) };
  if (report.type !== 'show' && report.type !== 'diff') return report;
  return { ...report, files: report.files.filter(isSeen), leftOut: report.leftOut + hidden.size };
}
