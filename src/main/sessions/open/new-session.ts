import { join } from 'node:path';
import { valueOf } from '@shared/errors.ts';
import type { OpenSessionsOptions } from './session-options.ts';
import type { LiveJournal } from '../journal/live-journal.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { WorkspaceMode } from '@shared/events/session-events.ts';

export interface NewSessionRequest {
  readonly projectPath: string | null;
  /** The id of the project that it begins in, for a talk without a folder. */
  readonly project?: string | undefined;
  readonly workspace?: WorkspaceMode | undefined;
  readonly title?: string | undefined;
  readonly sandbox?: 'container' | 'read-only' | undefined;
  /** The folder that a copy is made from, if it is not the project's own. */
  readonly sourcePath?: string | undefined;
  /** The comparison that this run belongs to. */
  readonly groupId?: string | undefined;
  /** Only for a child of an agent: its place in the tree, and the fenced content that its task was made from. */
  readonly tree?: EventOf<'session-created'>['tree'];
  readonly fenced?: EventOf<'session-created'>['fenced'];
  /** Only for an experiment: what a command answers falsely. */
  readonly falseAnswer?: EventOf<'session-created'>['workspace']['falseAnswer'];
}

export async function startNewSession(
  options: Pick<OpenSessionsOptions, 'store' | 'homePath' | 'workspaces'>,
  request: NewSessionRequest,
  signal: AbortSignal,
): Promise<LiveJournal> {
  const { store, homePath } = options;
  const id = store.newSessionId();
  const { projectPath, groupId = null } = request;
  const mode = request.workspace ?? (projectPath === null ? 'scratch' : 'in-place');
  const prepared = await options.workspaces.prepare(
    {
      mode,
      projectPath: request.sourcePath ?? projectPath,
      targetPath: join(homePath, 'workspaces', id),
      homePath,
      needsWrite: request.sandbox !== 'read-only',
    },
    signal,
  );
  const { path } = valueOf(prepared);
  const { title = '', project, tree, fenced, falseAnswer } = request;
  const workspace = { mode, path, ...(falseAnswer === undefined ? {} : { falseAnswer }) };
  return store.create({ id, title, projectPath, project, workspace, groupId, tree, fenced });
}
