import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import { OLDEST_LOG_VERSION, RECORD_FORM } from '@shared/events/events.ts';
import { makeFolder } from '../../lib/files/json-file.ts';
import { EventLog } from '../log/event-log.ts';

export interface LogCopy {
  /** The folder of the new session. It must not exist. */
  readonly folder: string;
  /** Replaces the `session-created` of the copied log, except for an older log version: the copied turns are of it. */
  readonly created: Extract<NewEvent, { type: 'session-created' }>;
  /** The events of the other log, in order. They are read once. */
  readonly events: AsyncIterable<SessionEvent>;
  /** Appended to the copy, including `history-copied`. */
  readonly ends: () => readonly NewEvent[];
  readonly now: () => number;
}

/** Creates a log with the history of another one, event by event. The new session appears completely or not at all. */
export async function copyLog({ folder, created, events, ends, now }: LogCopy): Promise<void> {
  const temporary = join(dirname(folder), `.new-${basename(folder)}`);
  await makeFolder(temporary);
  try {
    const log = EventLog.create(join(temporary, 'events.jsonl'));
    try {
      const first = { v: RECORD_FORM, seq: 1, at: now(), ...created };
      let isFirst = true;
      for await (const event of events) {
        // Keeps the time of the first event, so that nothing in the log is older than its beginning.
        if (isFirst) await log.append({ ...first, logVersion: olderVersion(event, created), at: event.at }, false);
        isFirst = false;
        // A log has only one beginning. A second one would change where its session works.
        if (event.type !== 'session-created' && event.seq > log.lastSeq) await log.append(event, false);
      }
      if (isFirst) await log.append(first, false);
      for (const end of ends()) await log.append({ v: RECORD_FORM, seq: log.lastSeq + 1, at: now(), ...end }, false);
      log.syncSoon();
    } finally {
      log.close();
    }
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** The version of the copied log if it is older. A log without its beginning is as old as can be. */
function olderVersion(first: SessionEvent, { logVersion }: LogCopy['created']): number {
  return first.type === 'session-created' ? Math.min(first.logVersion, logVersion) : OLDEST_LOG_VERSION;
}
