import type { SessionEvent } from '@shared/events/events.ts';
import { EventLog, type LogIo } from '../../../src/main/sessions/log/event-log.ts';

export function noticeEvent(seq: number, text: string): SessionEvent {
  return { v: 2, seq, at: 1000 + seq, type: 'notice-added', level: 'info', code: 'test', text };
}

/** Opens a log and returns the events in it. */
export async function openLog(
  path: string,
  io?: LogIo,
): Promise<{ readonly log: EventLog; readonly events: readonly SessionEvent[] }> {
  const events: SessionEvent[] = [];
  const log = await EventLog.open({ path, onEvent: (event) => events.push(event), ...(io ? { io } : {}) });
  return { log, events };
}

export async function readAll(log: EventLog, fromSeq = 1): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of log.read(fromSeq)) events.push(event);
  return events;
}
