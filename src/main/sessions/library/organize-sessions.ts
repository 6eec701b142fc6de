import { toFailure } from '@shared/errors.ts';
import type { NewEvent } from '@shared/events/events.ts';
import type { SessionsOutcome } from '@shared/contract/sessions-contract.ts';
import type { SessionPlace, SessionState } from '@shared/session/session-state.ts';
import { usualPlace } from '@shared/session/session-state.ts';
import { changeTags, mostTags } from '@shared/session/session-tags.ts';
import { endedTurn } from '@shared/session/session-news.ts';
import type { OpenSessions } from '../open/open-sessions.ts';

interface Organizing {
  readonly sessionIds: readonly string[];
  readonly isPinned?: boolean | undefined;
  readonly isArchived?: boolean | undefined;
  readonly savesCalls?: boolean | undefined;
  readonly isSeen?: true | undefined;
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
}

/**
 * Changes sessions one after the other. Sessions that cannot be changed are returned with the reason. Nothing is
 * written if a session is already as wanted.
 */
export async function organizeSessions(
  sessions: Pick<OpenSessions, 'note'>,
  wanted: Organizing,
  signal: AbortSignal,
): Promise<SessionsOutcome> {
  const done: string[] = [];
  const refused: { sessionId: string; why: string }[] = [];
  for (const sessionId of new Set(wanted.sessionIds)) {
    signal.throwIfAborted();
    let why: string | null = null;
    try {
      await sessions.note(sessionId, (state: SessionState) => {
        const { organized = usualPlace } = state;
        const tags = changeTags(organized.tags, wanted.addTags, wanted.removeTags);
        if (tags.length > mostTags) why = `A session has at most ${mostTags} tags.`;
        const seen = wanted.isSeen === true ? endedTurn(state) : null;
        return why === null ? changeOf(organized, { ...wanted, tags, seen }) : null;
      });
    } catch (error) {
      why = toFailure(error).message;
    }
    if (why === null) done.push(sessionId);
    else refused.push({ sessionId, why });
  }
  return { done, refused };
}

/** Null: the session is already as wanted. */
function changeOf(
  now: SessionPlace,
  {
    isPinned,
    isArchived,
    savesCalls,
    tags,
    seen,
  }: Pick<Organizing, 'isPinned' | 'isArchived' | 'savesCalls'> &
    Pick<SessionPlace, 'tags'> & {
      readonly seen: string | null;
    },
): NewEvent | null {
  const hasTags = tags.join('\n') === now.tags.join('\n');
  const change = {
    ...(isPinned === undefined || isPinned === now.isPinned ? {} : { isPinned }),
    ...(isArchived === undefined || isArchived === now.isArchived ? {} : { isArchived }),
    ...(savesCalls === undefined || savesCalls === (now.savesCalls ?? false) ? {} : { savesCalls }),
    ...(hasTags ? {} : { tags: [...tags] }),
    ...(seen === null || seen === now.seen ? {} : { seen }),
  };
  return Object.keys(change).length === 0 ? null : { type: 'session-organized', ...change };
}
