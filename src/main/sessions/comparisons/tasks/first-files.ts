import { lstat, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Comparison,
  type ComparisonInput,
  type ComparisonRun,
  type ComparisonTask,
  longestTask,
} from '@shared/comparisons/comparison.ts';
import type { SessionTasks } from '@shared/comparisons/eval-tasks.ts';
import { nameOfTask } from '@shared/comparisons/way-name.ts';
import { AppError, valueOf } from '@shared/errors.ts';
import { readFirstMessage } from '../../log/whole-texts.ts';
import { openFolderBelow } from '../../../lib/files/host-folder.ts';
import { isMaybeEnvironment, isSkippedFolder } from '../../../sandbox/files/skipped-folders.ts';
import { copyPlanned } from '../../../sandbox/workspace/copy-workspace.ts';
import type { prepareWorkspace } from '../../../sandbox/workspace/prepare-workspace.ts';
import { planCopy } from '../../../sandbox/workspace/workspace-copy-plan.ts';
import type { Blobs } from '../../blobs/blob-store.ts';
import { isPlainPath } from '../../library/capsule/capsule-file.ts';
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

type Home = Pick<FirstFilesOptions, 'home'>;

/** The state of the project that every run starts from. It is removed when all runs have ended. */
function basePath({ home }: Home, id: string): string {
  return join(home, 'workspaces', `${id}-project`);
}

/** The first state of a session that a task is taken from. Runs of that task start from it. */
function firstPath(options: Home, id: string, task: number): string {
  return `${basePath(options, id)}-${task}`;
}

/** The folder that a run gets a copy of. */
export function startOfRun(options: Home, { id, input }: Comparison, { task }: ComparisonRun): string {
  const { from, start } = input.tasks[task] ?? {};
  return from === undefined && start === undefined ? basePath(options, id) : firstPath(options, id, task);
}

interface Bases {
  readonly id: string;
  readonly input: ComparisonInput;
  readonly sourcePath: string | undefined;
}

/** Makes what the runs start from. Returns the tasks, each with what is to be said about that. */
export async function copyBases(
  options: FirstFilesOptions,
  { id, input, sourcePath }: Bases,
  signal: AbortSignal,
): Promise<ComparisonInput['tasks']> {
  const tasks: ComparisonInput['tasks'] = [];
  try {
    for (const [index, { note, from, ...task }] of input.tasks.entries()) {
      const targetPath = firstPath(options, id, index);
      if (task.start !== undefined) {
        const { start } = task;
        await copyStart(options, { start, projectPath: sourcePath ?? input.projectPath, targetPath }, signal);
        tasks.push({ ...task, start, ...(note === undefined ? {} : { note }) });
        continue;
      }
      tasks.push(
        from === undefined
          ? task
          : await withFirstFiles(
              options,
              { task: { ...task, from }, from, targetPath, projectPath: input.projectPath },
              signal,
            ),
      );
    }
    if (tasks.every(({ from, start }) => from !== undefined || start !== undefined)) return tasks;
    const request = {
      mode: 'copy',
      targetPath: basePath(options, id),
      homePath: options.home,
      needsWrite: false,
    } as const;
    valueOf(await options.prepareWorkspace({ ...request, projectPath: sourcePath ?? input.projectPath }, signal));
    return tasks;
  } catch (error) {
    for (const index of input.tasks.keys()) await rm(firstPath(options, id, index), { recursive: true, force: true });
    throw error;
  }
}

export async function removeBases(options: Home, { id, input }: Comparison): Promise<void> {
  const paths = [basePath(options, id), ...input.tasks.map((_, index) => firstPath(options, id, index))];
  for (const path of paths) await rm(path, { recursive: true, force: true });
}

interface TaskFrom {
  readonly task: ComparisonTask;
  readonly from: NonNullable<ComparisonTask['from']>;
  /** The project of the comparison. Its rules hold for the runs, so the session has to be of it. */
  readonly projectPath: string;
  /** Where its runs find the files. */
  readonly targetPath: string;
}

interface StartCopy {
  readonly start: NonNullable<ComparisonTask['start']>;
  readonly projectPath: string;
  readonly targetPath: string;
}

/** Copies the files that a task brings, and the packages that its project has and they lack. Follows no link. */
async function copyStart(
  { home, prepareWorkspace: prepare }: FirstFilesOptions,
  { start, projectPath, targetPath }: StartCopy,
  signal: AbortSignal,
): Promise<void> {
  const request = {
    mode: 'copy',
    projectPath: start.projectPath,
    targetPath,
    homePath: home,
    needsWrite: false,
  } as const;
  valueOf(await prepare(request, signal));
  for (const path of start.packages) {
    const steps = path.split('/');
    const name = steps.at(-1) ?? '';
    if (!isPlainPath(path) || !(isSkippedFolder(name) || isMaybeEnvironment(name))) continue;
    const from = join(projectPath, ...steps);
    const to = join(targetPath, ...steps);
    const folder = await openFolderBelow(projectPath, steps);
    await folder?.close();
    if (folder === null || (await lstat(to).catch(() => null)) !== null) continue;
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await copyPlanned(await planCopy(from, signal), { from, to, signal });
  }
}

/**
 * Makes the first state of the session that a task is taken from, and notes what is not as it was. Where it cannot be had
 * and the project as it is may be taken, nothing is made, and the task says why.
 */
async function withFirstFiles(
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
  const { workspace, createdAt } = view.state;
  if (view.state.projectPath !== projectPath) throw new AppError('bad-input', 'The session is of another project.');
  const first = await readFirstMessage(view.read());
  if (first === null) throw new AppError('bad-input', 'The session has no message, so there is no task.');
  const plan = await planFork(view.read(), { before: first.message.messageId });
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
    return { changed, attachments: (first.message.attachments ?? []).length };
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

const severalProjects = 'These sessions are of several projects. Compare those of one at a time.';

/** The first message of each session, with the check of its first turn and the files before it. All are of one project. */
export async function tasksOfSessions(
  store: Pick<SessionStore, 'view'>,
  { sessionIds, orNow }: { readonly sessionIds: readonly string[]; readonly orNow: boolean },
  signal: AbortSignal,
): Promise<SessionTasks> {
  const tasks: ComparisonTask[] = [];
  const projects = new Set<string | null>();
  for (const sessionId of new Set(sessionIds)) {
    signal.throwIfAborted();
    const log = await store.view(sessionId);
    const first = await readFirstMessage(log.read(1));
    const text = first?.message.text ?? '';
    if (text.trim() === '') throw new AppError('bad-input', `The session ${sessionId} has no message.`);
    if (text.length > longestTask)
      throw new AppError('bad-input', `The first message of the session ${sessionId} is too long for a task.`);
    const check = first?.check ?? null;
    const from = { sessionId, orNow };
    tasks.push({ name: nameOfTask(text), text, from, ...(check === null ? {} : { check }) });
    projects.add(log.state.projectPath);
  }
  const named = [...projects].filter((path) => path !== null);
  if (named.length > 1) throw new AppError('bad-input', severalProjects);
  return { tasks, projectPath: named[0] ?? null };
}
