import type { SessionsOutcome, SessionSummary } from '@shared/contract/sessions-contract.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { failureText } from '../connection/failure-text.ts';
import { announce } from '../notices/announce.ts';
import { offerUndo } from '../notices/offer-undo.ts';
import { plural } from '../text/translate.ts';

interface Organizing {
  readonly isPinned?: boolean;
  readonly isArchived?: boolean;
  readonly addTags?: string[];
  readonly removeTags?: string[];
}

/** Puts sessions in order; what could not be changed is announced. Answers those that were, none where all failed. */
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

/** Out of the list or back into it, with a way back. */
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

/** Into the bin, one after the other, with a way back for all of them. Answers those that are there now. */
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

/** A file for each, in a folder that is asked for. */
export async function exportSessions(client: CoreClient, sessionIds: readonly string[]): Promise<void> {
  try {
    const { folder, missing, ...outcome } = await client.host.exportSessions({ sessionIds: [...sessionIds] });
    if (folder === null) return;
    announceRefused(outcome);
    const gone = missing === 0 ? '' : ` ${plural('export.missing', missing)}`;
    if (outcome.done.length > 0)
      announce({ kind: 'info', text: plural('organize.exported', outcome.done.length, { folder }) + gone });
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

/** The first reason stands for the others: mostly it is the same. */
function announceRefused({ refused }: Pick<SessionsOutcome, 'refused'>): void {
  const [first] = refused;
  if (first === undefined) return;
  announce({ kind: 'error', text: plural('organize.refused', refused.length, { why: first.why }) });
}

/** The tags that all of these sessions have, and those that only some do. */
export function sharedTags(sessions: readonly Pick<SessionSummary, 'tags'>[]): {
  readonly all: readonly string[];
  readonly some: readonly string[];
} {
  const tags = [...new Set(sessions.flatMap((session) => session.tags))];
  const isInAll = (tag: string): boolean => sessions.every((session) => session.tags.includes(tag));
  return { all: tags.filter(isInAll), some: tags.filter((tag) => !isInAll(tag)) };
}
