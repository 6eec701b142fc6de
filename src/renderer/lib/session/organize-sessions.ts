import type { SessionsOutcome, SessionSummary } from '@shared/contract/sessions-contract.ts';
import { callFile } from '@shared/sandbox/call-file.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { failureText } from '../connection/failure-text.ts';
import { announce } from '../notices/announce.ts';
import { offerUndo } from '../notices/offer-undo.ts';
import { plural, t } from '../text/translate.ts';

interface Organizing {
  readonly isPinned?: boolean;
  readonly isArchived?: boolean;
  readonly savesCalls?: boolean;
  readonly isSeen?: true;
  readonly addTags?: string[];
  readonly removeTags?: string[];
}

/** Organizes sessions and announces those that failed. Returns the others, none when all failed. */
export async function organizeSessions(
  client: CoreClient,
  sessionIds: readonly string[],
  wanted: Organizing,
): Promise<readonly string[]> {
  try {
    const outcome = await client.sessions.organize({ sessionIds: [...sessionIds], ...wanted });
    announceRefused(outcome);
    return outcome.done;
  } catch (error) {
    announce({ kind: 'error', text: failureText(error) });
    return [];
  }
}

/** Archives sessions or brings them back, with Undo. */
export async function archiveSessions(
  client: CoreClient,
  sessionIds: readonly string[],
  isArchived: boolean,
  refresh: () => void,
): Promise<void> {
  const done = await organizeSessions(client, sessionIds, { isArchived });
  refresh();
  if (done.length === 0) return;
  const undo = async (): Promise<void> => {
    announceRefused(await client.sessions.organize({ sessionIds: [...done], isArchived: !isArchived }));
    refresh();
  };
  offerUndo(plural(isArchived ? 'organize.archived' : 'organize.unarchived', done.length), undo);
}

/** Writes the calls of a session into its folder as they end, or no longer. Says where. */
export async function saveCalls(client: CoreClient, sessionId: string, savesCalls: boolean): Promise<void> {
  const done = await organizeSessions(client, [sessionId], { savesCalls });
  if (done.length === 0) return;
  const key = savesCalls ? 'organize.savesCalls' : 'organize.savesNoCalls';
  announce({ kind: 'info', text: t(key, { path: callFile(sessionId) }) });
}

/** Moves sessions to the bin, one after the other, with Undo for all. Returns those that were moved. */
export async function deleteSessions(
  client: CoreClient,
  sessionIds: readonly string[],
  refresh: () => void,
): Promise<readonly string[]> {
  const outcome = await eachOf(sessionIds, (sessionId) => client.sessions.delete({ sessionId }));
  announceRefused(outcome);
  refresh();
  const { done } = outcome;
  const undo = async (): Promise<void> => {
    announceRefused(await eachOf(done, (id) => client.sessions.restore({ id })));
    refresh();
  };
  if (done.length > 0) offerUndo(plural('organize.deleted', done.length), undo);
  return done;
}

/** Exports each session into its own file, in a folder that the user chooses. */
export async function exportSessions(client: CoreClient, sessionIds: readonly string[]): Promise<void> {
  try {
    const { folder, missing, ...outcome } = await client.host.exportSessions({ sessionIds: [...sessionIds] });
    if (folder === null) return;
    announceRefused(outcome);
    const gone = missing === 0 ? '' : ` ${plural('export.missing', missing)}`;
    if (outcome.done.length > 0)
      announce({
        kind: 'info',
        text: plural('organize.exported', outcome.done.length, { folder: seenName(folder) }) + gone,
      });
  } catch (error) {
    announce({ kind: 'error', text: failureText(error) });
  }
}

async function eachOf(
  sessionIds: readonly string[],
  work: (sessionId: string) => Promise<unknown>,
): Promise<SessionsOutcome> {
  const done: string[] = [];
  const refused: { sessionId: string; why: string }[] = [];
  for (const sessionId of sessionIds) {
    try {
      await work(sessionId);
      done.push(sessionId);
    } catch (error) {
      refused.push({ sessionId, why: failureText(error) });
    }
  }
  return { done, refused };
}

/** Announces only the first reason, because most are the same. */
function announceRefused({ refused }: Pick<SessionsOutcome, 'refused'>): void {
  const [first] = refused;
  if (first === undefined) return;
  announce({ kind: 'error', text: plural('organize.refused', refused.length, { why: first.why }) });
}

/** The tags that all of these sessions have, and those that only some have. */
export function sharedTags(sessions: readonly Pick<SessionSummary, 'tags'>[]): {
  readonly all: readonly string[];
  readonly some: readonly string[];
} {
  const tags = [...new Set(sessions.flatMap((session) => session.tags))];
  const isInAll = (tag: string): boolean => sessions.every((session) => session.tags.includes(tag));
  return { all: tags.filter(isInAll), some: tags.filter((tag) => !isInAll(tag)) };
}
