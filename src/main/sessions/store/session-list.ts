import { readdir, stat } from 'node:fs/promises';
import { AppError } from '@shared/errors.ts';
import { isMissing } from '../../lib/files/json-file.ts';
import { projectKeys } from '../../lib/files/project-key.ts';
import { diagnostics } from '../../lib/log.ts';
import type { TreeMember } from '../children/session-tree.ts';
import type { LogFile } from '../search/session-search-index.ts';
import { failedSummary, loadSummary, saveSummary, type StoredSummary, summaryOf } from './stored-summary.ts';
import { sizeOf, viewSession, type SessionPaths } from './session-view.ts';

/** A folder of sessions. */
interface ListedFolder {
  readonly folder: string;
}

export function isSessionId(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,99}$/.test(text);
}

export async function listSessions(
  options: ListedFolder,
  pathsOf: (id: string) => SessionPaths,
): Promise<readonly StoredSummary[]> {
  const summaries: StoredSummary[] = [];
  for (const id of await sessionIds(options.folder)) {
    const summary = await summarize(options, pathsOf(id), id);
    if (summary) summaries.push(summary);
  }
  // A session of an earlier version may name its project by a link.
  const keyOf = await projectKeys(summaries.flatMap(({ projectPath }) => projectPath ?? []));
  const keyed = summaries.map((one) => ({
    ...one,
    projectPath: one.projectPath === null ? null : keyOf(one.projectPath),
  }));
  return keyed.sort((left, right) => right.lastAt - left.lastAt || (left.id < right.id ? 1 : -1));
}

/** A log that cannot be read is tried again each time, because it may have been repaired. */
export async function membersOf(
  options: ListedFolder,
  pathsOf: (id: string) => SessionPaths,
  before: ReadonlyMap<string, TreeMember>,
): Promise<{ readonly members: readonly TreeMember[]; readonly known: ReadonlyMap<string, TreeMember> }> {
  const members: TreeMember[] = [];
  const known = new Map<string, TreeMember>();
  for (const id of await sessionIds(options.folder)) {
    const kept = before.get(id);
    const summary = kept ?? (await summarize(options, pathsOf(id), id));
    if (summary === null) continue;
    const member: TreeMember = { id, parentId: summary.parentId, tree: summary.tree };
    members.push(member);
    if (!('problem' in summary)) known.set(id, member);
  }
  return { members, known };
}

export async function findLogs(
  options: ListedFolder,
  pathsOf: (id: string) => SessionPaths,
): Promise<readonly LogFile[]> {
  const files: LogFile[] = [];
  for (const sessionId of [...(await sessionIds(options.folder))].sort().reverse()) {
    const path = pathsOf(sessionId).log;
    // Sessions whose log cannot be found are left out.
    const found = await stat(path).catch(() => null);
    if (found !== null) files.push({ sessionId, path, bytes: found.size, inode: found.ino });
  }
  return files;
}

export async function findSession(
  options: ListedFolder,
  pathsOf: (id: string) => SessionPaths,
  text: string,
): Promise<string> {
  const ids = [...(await sessionIds(options.folder))].sort();
  // A start that was killed before its first event leaves only a folder.
  const isBegun = async (id: string): Promise<boolean> => ((await sizeOf(pathsOf(id).log)) ?? 0) > 0;
  if (ids.includes(text)) return text;
  if (text === 'last') {
    for (const id of [...ids].reverse())
      if ((await isBegun(id)) && !(await isOfAgent(options, pathsOf(id), id))) return id;
  }
  const alike = text === '' ? [] : ids.filter((id) => id.startsWith(text) || id.endsWith(text));
  const begun = await Promise.all(alike.map(isBegun));
  const matches = alike.filter((_, index) => begun[index]);
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  if (matches.length > 1) {
    throw new AppError(
      'bad-input',
      `"${text}" is the beginning or end of ${matches.length} sessions: ${matches.slice(0, 5).join(', ')}${matches.length > 5 ? ' …' : '.'}`,
    );
  }
  if (text === 'last') {
    throw new AppError('not-found', 'No sessions yet.', { hint: 'Start one: dewpoint run "…" --project DIR' });
  }
  throw new AppError('not-found', `The session "${text}" was not found.`, {
    hint: 'Run `dewpoint sessions list` to see your sessions.',
  });
}

/** Whether an agent started it. The last session is the one that the person began. */
async function isOfAgent(options: ListedFolder, paths: SessionPaths, id: string): Promise<boolean> {
  return (await summarize(options, paths, id))?.tree?.by !== undefined;
}

/** The stored summary if it fits the current log, else a new one. Null for a folder without a session. */
async function summarize(options: ListedFolder, paths: SessionPaths, id: string): Promise<StoredSummary | null> {
  const logBytes = await sizeOf(paths.log);
  if (logBytes === null || logBytes === 0) return null;
  const known = await loadSummary(paths.summary, id, logBytes);
  if (known) return known;
  try {
    const summary = summaryOf(id, await viewSession(paths, id), logBytes);
    await saveSummary(paths.summary, summary).catch((error: unknown) => diagnostics.warn(`No summary of ${id}`, error));
    return summary;
  } catch (error) {
    return failedSummary(id, logBytes, error);
  }
}

async function sessionIds(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && isSessionId(entry.name)).map((entry) => entry.name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
