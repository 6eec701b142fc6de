import type { SessionBranch } from '@shared/contract/sessions-contract.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { StoredSummary } from '../store/stored-summary.ts';

/** At most this many branches of a session are read, latest first. */
const mostBranches = 100;

/** Finds the sessions that are connected with one by forks. A log is read again only when it has grown. */
export function createBranchFinder(
  store: Pick<SessionStore, 'list' | 'view'>,
): (sessionId: string, signal: AbortSignal) => Promise<readonly SessionBranch[]> {
  const read = new Map<string, { readonly logBytes: number; readonly messages: readonly string[] }>();
  const messagesOf = async ({ id, logBytes }: StoredSummary): Promise<readonly string[]> => {
    const before = read.get(id);
    if (before?.logBytes === logBytes) return before.messages;
    const messages = await messagesIn((await store.view(id)).read());
    read.set(id, { logBytes, messages });
    return messages;
  };
  return async (sessionId, signal) => {
    const family = familyOf(sessionId, await store.list()).slice(0, mostBranches);
    if (family.length < 2) return [];
    const branches: SessionBranch[] = [];
    for (const summary of family) {
      signal.throwIfAborted();
      branches.push({ sessionId: summary.id, updatedAt: summary.lastAt, messages: await messagesOf(summary) });
    }
    return branches;
  };
}

/** A deleted parent still connects its forks. */
function familyOf(sessionId: string, summaries: readonly StoredSummary[]): readonly StoredSummary[] {
  const parents = new Map(summaries.map(({ id, parentId }) => [id, parentId]));
  const rootOf = (id: string): string => {
    const seen = new Set<string>();
    let at = id;
    for (let up = parents.get(at); typeof up === 'string' && !seen.has(at); up = parents.get(at)) {
      seen.add(at);
      at = up;
    }
    return at;
  };
  const root = rootOf(sessionId);
  return summaries.filter(({ id, problem }) => problem === undefined && rootOf(id) === root);
}

async function messagesIn(events: AsyncIterable<SessionEvent>): Promise<readonly string[]> {
  const messages = new Set<string>();
  for await (const event of events) {
    if (event.type === 'user-message-added') messages.add(event.messageId);
    if (event.type === 'message-dropped') messages.delete(event.messageId);
  }
  return [...messages];
}

/**
 * All branches of the talks that these sessions belong to, the sessions themselves included. A plain fork is a talk of
 * its own.
 */
export async function branchesOfTalks(
  store: Pick<SessionStore, 'list'>,
  sessionIds: readonly string[],
): Promise<readonly string[]> {
  const talks = new Map((await store.list()).map(({ id, branchOf }) => [id, branchOf ?? id]));
  const wanted = new Set(sessionIds.map((id) => talks.get(id) ?? id));
  const found = [...talks].flatMap(([id, talk]) => (wanted.has(talk) ? [id] : []));
  return [...new Set([...sessionIds, ...found])];
}
