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

/** All branches of the talk that a session belongs to, itself included. A plain fork is a talk of its own. */
export async function talkOf(store: Pick<SessionStore, 'list'>, sessionId: string): Promise<readonly string[]> {
  const all = await store.list();
  const own = all.find(({ id }) => id === sessionId);
  const talk = own?.branchOf ?? sessionId;
  const ids = all.filter(({ id, branchOf }) => (branchOf ?? id) === talk).map(({ id }) => id);
  return ids.includes(sessionId) ? ids : [sessionId];
}
