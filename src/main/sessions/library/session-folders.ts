import type { SessionStore } from '../store/session-store.ts';

/** Where sessions work or have worked: what lies there may be a model's. */
export async function sessionFolders(store: Pick<SessionStore, 'list'>): Promise<readonly string[]> {
  const sessions = await store.list();
  const folders = sessions.flatMap(({ projectPath, workspace }) => [projectPath, workspace?.path ?? null]);
  return [...new Set(folders.filter((folder) => folder !== null))];
}
