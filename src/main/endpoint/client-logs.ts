import { join } from 'node:path';
import type { SessionEvent } from '@shared/events/events.ts';
import type { Where } from '@shared/models/model-info.ts';
import type { Trajectory } from '../routing/trajectory/trajectory.ts';
import { createTrajectory } from '../routing/trajectory/trajectory.ts';
import type { LiveJournal } from '../sessions/journal/live-journal.ts';
import type { SessionStore } from '../sessions/store/session-store.ts';
import type { ClientKeys, KnownClient } from './client-keys.ts';
import { orNoted } from '../lib/log.ts';

/** The open log of one client. Its calls run in parallel. */
export interface ClientLog {
  readonly journal: LiveJournal;
  /** A number for one call, unique in this log. */
  readonly nextStep: () => number;
  readonly note: (event: SessionEvent) => void;
  /** What is known of models and services. Everything else belongs to single conversations. */
  readonly known: () => Pick<Trajectory, 'models' | 'services'>;
  /** The model that answered last in a conversation. */
  readonly lastIn: (conversation: string) => Trajectory['last'];
  readonly noteAnswer: (conversation: string, model: string, where: Where) => void;
}

export interface ClientLogs {
  /** Opened at the first call of a client. Rejects if nothing can be written. */
  readonly of: (client: KnownClient) => Promise<ClientLog>;
  readonly dispose: () => Promise<void>;
}

export interface ClientLogsOptions {
  /** The folder that would contain the files of a log; a client has none. */
  readonly home: string;
  readonly store: SessionStore;
  readonly keys: Pick<ClientKeys, 'note'>;
  readonly now: () => number;
}

/** A log with this many steps is replaced at the next start, because opening reads all of it. */
const longestSteps = 20_000;
const mostConversations = 500;
const noteEveryMs = 60_000;

export function createClientLogs(options: ClientLogsOptions): ClientLogs {
  const open = new Map<string, Promise<ClientLog>>();
  const notedAt = new Map<string, number>();
  return {
    of: async (client) => {
      // One log per key: a new client with a used name gets a log of its own.
      const known = open.get(client.sha256);
      const opening = known ?? openLog(options, client);
      if (known === undefined) {
        open.set(client.sha256, opening);
        // The caller gets the error; the next call opens the log again.
        opening.catch(() => open.delete(client.sha256));
      }
      const log = await opening;
      const at = options.now();
      if (at - (notedAt.get(client.sha256) ?? 0) > noteEveryMs) {
        notedAt.set(client.sha256, at);
        await options.keys.note(client.name, { at, logId: log.journal.sessionId });
      }
      return log;
    },
    dispose: async () => {
      const logs = await Promise.allSettled(open.values());
      open.clear();
      await Promise.all(logs.map(async (log) => (log.status === 'fulfilled' ? log.value.journal.close() : undefined)));
    },
  };
}

async function openLog({ store, home }: ClientLogsOptions, client: KnownClient): Promise<ClientLog> {
  const journal = (await reopened(store, client.logId)) ?? (await newLog(store, home, client));
  const trajectory = createTrajectory();
  const last = new Map<string, Trajectory['last']>();
  let step = journal.state().totals.steps;
  return {
    journal,
    nextStep: () => {
      step += 1;
      return step;
    },
    note: (event) => trajectory.add(event),
    known: () => trajectory.now(),
    lastIn: (conversation) => last.get(conversation) ?? null,
    noteAnswer: (conversation, model, where) => {
      last.delete(conversation);
      last.set(conversation, { model, where });
      const [oldest] = last.keys();
      if (last.size > mostConversations && oldest !== undefined) last.delete(oldest);
    },
  };
}

/** Null: there is no log, it is long enough, or it cannot be opened. Its costs still count. */
async function reopened(store: SessionStore, logId: string | null): Promise<LiveJournal | null> {
  const journal =
    logId === null ? null : await store.open(logId).catch(orNoted('The log of a client was not opened', null));
  if (journal === null || journal.state().totals.steps < longestSteps) return journal;
  await journal.close();
  return null;
}

/** Costs are listed under its title. */
function newLog(store: SessionStore, home: string, { name }: KnownClient): Promise<LiveJournal> {
  const id = store.newSessionId();
  return store.create({
    id,
    title: `Endpoint: ${name}`,
    projectPath: null,
    workspace: { mode: 'scratch', path: join(home, 'endpoint', id) },
  });
}
