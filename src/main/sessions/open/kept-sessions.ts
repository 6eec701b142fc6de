import { orNoted } from '../../lib/log.ts';

/** Sessions that are opened once by id, for as long as somebody needs them. */
export interface KeptSessions<Session> {
  /** Opens the session if it is not open. After an error, the next call tries again. */
  readonly get: (id: string) => Promise<Session>;
  readonly add: (id: string, session: Session) => void;
  /** Null: the session is not open, or not yet. */
  readonly ready: (id: string) => Session | null;
  readonly all: () => readonly Session[];
  /** Closes the session. A `get` meanwhile opens it again after that. */
  readonly release: (id: string) => Promise<void>;
  /** Opens the session only for this work, and closes it again unless others asked for it before or meanwhile. */
  readonly briefly: <T>(id: string, work: (session: Session) => Promise<T>) => Promise<T>;
  /** Closes all sessions. */
  readonly dispose: () => Promise<void>;
}

export function keepSessions<Session>(
  openOne: (id: string) => Promise<Session>,
  closeOne: (session: Session) => Promise<void>,
): KeptSessions<Session> {
  const open = new Map<string, Promise<Session>>();
  const ready = new Map<string, Session>();
  /** Sessions that are open only for brief work, with the number of running works. */
  const brief = new Map<string, number>();
  const closing = new Map<string, Promise<void>>();
  const get = (id: string): Promise<Session> => {
    brief.delete(id);
    const known = open.get(id);
    if (known !== undefined) return known;
    const opening = (closing.get(id) ?? Promise.resolve()).then(async () => {
      const session = await openOne(id);
      ready.set(id, session);
      return session;
    });
    open.set(id, opening);
    opening.catch(() => open.delete(id));
    return opening;
  };
  const release = async (id: string): Promise<void> => {
    const session = await open.get(id)?.catch(() => undefined);
    open.delete(id);
    ready.delete(id);
    if (session === undefined) return;
    const closed = closeOne(session).finally(() => closing.delete(id));
    closing.set(id, closed.catch(orNoted('A session was not closed', undefined)));
    await closed;
  };
  return {
    get,
    release,
    add: (id, session) => {
      ready.set(id, session);
      open.set(id, Promise.resolve(session));
    },
    ready: (id) => ready.get(id) ?? null,
    all: () => [...ready.values()],
    briefly: async (id, work) => {
      // Undefined: others use the session, too.
      const before = open.has(id) ? brief.get(id) : 0;
      const opening = get(id);
      if (before !== undefined) brief.set(id, before + 1);
      try {
        return await work(await opening);
      } finally {
        const left = brief.get(id);
        if (left !== undefined && left > 1) brief.set(id, left - 1);
        else if (brief.delete(id)) await release(id);
      }
    },
    dispose: async () => {
      await Promise.all([...ready.values()].map(closeOne));
      ready.clear();
      open.clear();
    },
  };
}
