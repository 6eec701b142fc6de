import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { ListSessionsResponse, McpServer } from '@agentclientprotocol/sdk';
import { AppError } from '@shared/errors.ts';
import { asTalks } from '@shared/session/session-filter.ts';
import { ownFirst } from '@shared/session/session-news.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { realPathOf } from '../../lib/files/host-folder.ts';
import { askDrive } from '../../lib/files/served-drives.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { usageError } from '../text/report-failure.ts';
import { createSessionChoices } from './session-choices.ts';
import type { EditorSession } from './work-on-prompt.ts';

/** Where a session works, as the editor names it. */
export interface AskedPlace {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
}

const pageSize = 50;

/** Creates a session in the folder that is open in the editor. */
export async function createEditorSession(
  core: CoreClient,
  place: AskedPlace,
  signal: AbortSignal,
): Promise<EditorSession> {
  const projectPath = await folderOf(place);
  // Done before the session exists, because an abort here would leave an unused session.
  const choices = await createSessionChoices(core, projectPath, { signal });
  const { sessionId } = await core.sessions.create({ projectPath }, { signal });
  return { ...(await placed(core, sessionId)), choices, note: serversNote(place), running: null };
}

/** Opens an existing session. Rejects with `not-found`, and if the editor has another folder open. */
export async function openEditorSession(
  core: CoreClient,
  { sessionId, ...place }: AskedPlace & { readonly sessionId: string },
  signal: AbortSignal,
): Promise<EditorSession> {
  const found = await core.sessions.find({ id: sessionId });
  // People may shorten an id, programs may not.
  if (found.sessionId !== sessionId) throw unknownSession(sessionId);
  const folder = await folderOf(place);
  const own = found.projectPath === null ? null : await realPathOf(found.projectPath).catch(() => found.projectPath);
  if (own !== null && own !== folder)
    throw usageError(
      `This session works in ${seenName(own)}, not in ${seenName(folder)}.`,
      'Open that folder, then load it.',
    );
  const { state } = await core.sessions.show({ sessionId });
  const choices = await createSessionChoices(core, found.projectPath, { signal, kept: state.chosen });
  return { ...(await placed(core, sessionId)), choices, note: serversNote(place), running: null };
}

export function unknownSession(sessionId: string): AppError {
  return new AppError('not-found', `The session ${seenName(sessionId)} is not open here.`, {
    hint: 'Begin a new one, or load it first.',
  });
}

/** The sessions with a message, latest first, and runs of comparisons behind the others. */
export async function listEditorSessions(
  core: CoreClient,
  { cwd, cursor }: { readonly cwd: string | null; readonly cursor: string | null },
): Promise<ListSessionsResponse> {
  const from = cursor === null ? 0 : Number(cursor);
  if (!Number.isInteger(from) || from < 0) throw usageError(`There is no page ${seenName(cursor ?? '')} of sessions.`);
  const folder = cwd === null ? null : await realPathOf(cwd).catch(() => cwd);
  const found = [...asTalks(await core.sessions.list())]
    .filter(({ projectPath, title }) => projectPath !== null && title !== '')
    .filter(({ projectPath }) => folder === null || projectPath === folder || projectPath === cwd)
    .sort((left, right) => right.updatedAt - left.updatedAt || (left.sessionId < right.sessionId ? 1 : -1));
  const all = ownFirst(found);
  const sessions = all
    .slice(from, from + pageSize)
    .flatMap(({ sessionId, projectPath, title, updatedAt }) =>
      projectPath === null
        ? []
        : [{ sessionId, cwd: projectPath, title, updatedAt: new Date(updatedAt).toISOString() }],
    );
  const next = from + pageSize;
  return { sessions, ...(next < all.length ? { nextCursor: String(next) } : {}) };
}

/** Deletes a session without messages, which would only clutter the list. */
export async function forgetUnused(core: CoreClient, sessionId: string): Promise<void> {
  const { title, steps } = await core.sessions.find({ id: sessionId });
  if (title !== '' || steps > 0) return;
  await core.sessions.delete({ sessionId });
  await core.sessions.purge({ id: sessionId });
}

async function placed(
  core: CoreClient,
  sessionId: string,
): Promise<Pick<EditorSession, 'sessionId' | 'projectPath' | 'workspace'>> {
  const { state } = await core.sessions.show({ sessionId });
  return { sessionId, projectPath: state.projectPath, workspace: state.workspace?.path ?? '' };
}

/** Returns the real path. */
async function folderOf({ cwd, additionalDirectories = [] }: AskedPlace): Promise<string> {
  if (!isAbsolute(cwd)) throw usageError(`The folder has to be a whole path, not "${seenName(cwd)}".`);
  if (additionalDirectories.length > 0)
    throw usageError('A session works in one folder.', 'Leave additionalDirectories out.');
  const found = await askDrive(cwd, async () => {
    const isFolder = await stat(cwd).then(
      (one) => one.isDirectory(),
      () => false,
    );
    return isFolder ? realpath(cwd) : null;
  });
  if (found === null) throw usageError(`There is no folder ${seenName(cwd)}.`, 'Open a folder that is there.');
  return found;
}

/** Programs that an editor names are not started: users must add them to Dewpoint, where they see what they are. */
function serversNote({ mcpServers = [] }: AskedPlace): string | null {
  if (mcpServers.length === 0) return null;
  const names = mcpServers.map(({ name }) => seenName(name)).join(', ');
  return `The tool servers of your editor are not used: ${names}. To use one, add it to Dewpoint: \`dewpoint tools --help\`.`;
}
