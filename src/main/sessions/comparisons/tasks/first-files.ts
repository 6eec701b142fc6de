import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComparisonTask } from '@shared/comparisons/comparison.ts';
import { AppError, valueOf } from '@shared/errors.ts';
import { isSkippedFolder } from '../../../sandbox/files/skipped-folders.ts';
import type { prepareWorkspace } from '../../../sandbox/workspace/prepare-workspace.ts';
import { planCopy } from '../../../sandbox/workspace/workspace-copy-plan.ts';
import type { Blobs } from '../../blobs/blob-store.ts';
import { planFork } from '../../library/fork-plan.ts';
import { restoreFiles } from '../../library/session-library.ts';
import { refuseOlderLog } from '../../replay/replay-session.ts';
import type { SessionStore } from '../../store/session-store.ts';

interface FirstFilesOptions {
  readonly home: string;
  readonly sessionStore: SessionStore;
  readonly blobs: Pick<Blobs, 'get'>;
  readonly prepareWorkspace: typeof prepareWorkspace;
}

interface TaskFrom {
  readonly task: ComparisonTask;
  readonly from: NonNullable<ComparisonTask['from']>;
  /** The project of the comparison. Its rules hold for the runs, so the session has to be of it. */
  readonly projectPath: string;
  /** Where its runs find the files. */
  readonly targetPath: string;
}

/**
 * Makes the first state of the session that a task is taken from, and notes what is not as it was. Where it cannot be had
 * and the project as it is may be taken, nothing is made, and the task says why.
 */
export async function withFirstFiles(
  options: FirstFilesOptions,
  { task, from, projectPath, targetPath }: TaskFrom,
  signal: AbortSignal,
): Promise<ComparisonTask> {
  try {
    const { changed, attachments } = await copyFirstFiles(
      options,
      { sessionId: from.sessionId, projectPath, targetPath },
      signal,
    );
    const named = changed.slice(0, 5).join(', ');
    const notes = [
      ...(changed.length === 0
        ? []
        : [
            `Something else changed files after the session began, which are as they are now (${changed.length}): ${named}.`,
          ]),
      ...(attachments === 0 ? [] : ['Its first message had attachments, which are not sent again.']),
    ];
    return notes.length === 0 ? task : { ...task, note: notes.join(' ').slice(0, 2000) };
  } catch (error) {
    if (signal.aborted || !from.orNow || !(error instanceof AppError)) throw error;
    const { from: _from, ...rest } = task;
    const why = `Its runs start from the project as it is, because the files before the session cannot be had: ${error.message}`;
    return { ...rest, note: why.slice(0, 2000) };
  }
}

/**
 * Copies the folder of a session to `targetPath`, with what the session changed set back to what it was before the first
 * message. `changed`: what something else changed after the session began. Those files are as they are now. Rejects if
 * the first content of a file is not known, and then no copy stays.
 */
async function copyFirstFiles(
  { home, sessionStore, blobs, prepareWorkspace: prepare }: FirstFilesOptions,
  {
    sessionId,
    projectPath,
    targetPath,
  }: { readonly sessionId: string; readonly projectPath: string; readonly targetPath: string },
  signal: AbortSignal,
): Promise<{ readonly changed: readonly string[]; readonly attachments: number }> {
  const view = await sessionStore.view(sessionId, 'whole');
  await refuseOlderLog(view);
  const { messages, workspace, createdAt } = view.state;
  if (view.state.projectPath !== projectPath) throw new AppError('bad-input', 'The session is of another project.');
  const [first] = messages;
  if (first === undefined) throw new AppError('bad-input', 'The session has no message, so there is no task.');
  const plan = await planFork(view.read(), { before: first.messageId });
  if (plan === null || plan.isForeign || workspace === null) {
    throw new AppError('bad-input', 'The session was imported, so the files that it began with are not here.');
  }
  const request = { mode: 'copy', projectPath: workspace.path, targetPath, homePath: home, needsWrite: false } as const;
  valueOf(await prepare(request, signal));
  try {
    const lost = await restoreFiles(targetPath, plan.restore, (ref) => blobs.get(ref));
    const [one] = lost;
    if (one !== undefined) {
      throw new AppError('conflict', `${one.path} cannot be set back to what it was before the session: ${one.why}`);
    }
    const paths = new Set(plan.restore.map(({ path }) => path));
    const changed = await changedSince(targetPath, { paths, begunAt: createdAt }, signal);
    return { changed, attachments: (first.attachments ?? []).length };
  } catch (error) {
    await rm(targetPath, { recursive: true, force: true });
    throw error;
  }
}

/** A copy keeps the times of its files. Packages and caches do not count. */
async function changedSince(
  root: string,
  { paths, begunAt }: { readonly paths: ReadonlySet<string>; readonly begunAt: number },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path, kind } of (await planCopy(root, signal)).entries) {
    if (kind === 'folder' || paths.has(path) || path.split('/').some(isSkippedFolder)) continue;
    const now = await lstat(join(root, path)).catch(() => null);
    if (now !== null && now.mtimeMs > begunAt) found.push(path);
  }
  return found;
}
