import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { LOG_VERSION, RECORD_FORM, type NewEvent } from '@shared/events/events.ts';
import type { SentLine } from '../../../src/main/lib/net/sent-line.ts';
import { makeReceipt } from '../../../src/main/safety/receipt/make-receipt.ts';
import { createBlobs } from '../../../src/main/sessions/blobs/blob-store.ts';
import { EventLog } from '../../../src/main/sessions/log/event-log.ts';
import { createRedactor } from '../../../src/main/sessions/log/redactor.ts';
import { createSessionStore } from '../../../src/main/sessions/store/session-store.ts';

const month = '2026-11';
const at = new Date(2026, 10, 5).getTime();
const stepsEach = 40;
const callsEach = 6;

export interface LongMonth {
  readonly seconds: number;
  /** The longest time in which the thread did nothing else. */
  readonly longestPauseMs: number;
  readonly events: number;
  readonly lines: number;
}

/** Makes the receipt of a month with so many sessions of 40 cloud steps, whose logs nothing has read before. */
export async function timeLongMonth(sessions: number): Promise<LongMonth> {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-month-'));
  try {
    const sent = join(home, 'sent');
    await mkdir(sent);
    await writeFile(join(sent, 'since'), '1');
    const lines: string[] = [];
    let events = 0;
    for (let index = 0; index < sessions; index += 1) {
      const sessionId = `20261105-100000-${String(index).padStart(8, '0')}`;
      events += await writeLog(join(home, 'sessions', sessionId), sessionId);
      for (let step = 1; step <= stepsEach; step += 1)
        lines.push(...linesOf(sessionId, index * stepsEach + step, step));
    }
    await writeFile(join(sent, `${month}-999999999-0123abcd.jsonl`), `${lines.join('\n')}\n`);
    const blobs = createBlobs(join(home, 'blobs'));
    const options = { folder: join(home, 'sessions'), appVersion: 'bench', blobs, redactor: createRedactor() };
    const store = createSessionStore({ ...options, now: Date.now });
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const from = performance.now();
    const made = await makeReceipt(
      { folder: sent, stores: [store], blobs, version: 'bench', now: Date.now, settle: () => undefined },
      { type: 'month', month },
      new AbortController().signal,
    );
    const seconds = (performance.now() - from) / 1000;
    delay.disable();
    if (made.rows.length !== sessions) throw new Error(`The receipt has ${made.rows.length} rows, not ${sessions}.`);
    return { seconds, longestPauseMs: delay.max / 1e6, events, lines: lines.length };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function writeLog(folder: string, sessionId: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const log = EventLog.create(join(folder, 'events.jsonl'));
  try {
    for (const event of eventsOf(sessionId))
      await log.append({ v: RECORD_FORM, seq: log.lastSeq + 1, at: at + log.lastSeq, ...event }, false);
    return log.lastSeq;
  } finally {
    log.close();
  }
}

function* eventsOf(sessionId: string): Generator<NewEvent> {
  const workspace = { mode: 'in-place', path: '/work/project' } as const;
  const created = { logVersion: LOG_VERSION, sessionId, appVersion: 'bench', title: 'Fix it', groupId: null };
  yield { type: 'session-created', ...created, projectPath: workspace.path, workspace, parentId: null };
  for (let step = 1; step <= stepsEach; step += 1)
    for (let call = 0; call < callsEach; call += 1)
      yield {
        type: 'tool-started',
        toolCallId: `${step}-${call}`,
        tool: 'read_file',
        by: 'model',
        input: { path: `src/a${call}.ts`, text: 'y'.repeat(1_000) },
        label: 'Reads a file',
        files: [],
      };
}

function linesOf(sessionId: string, id: number, step: number): readonly string[] {
  const why = { sessionId, project: '/work/project', command: 'sessions.send', model: 'far/m', step };
  const line: SentLine = {
    at: at + id,
    id,
    state: 'more',
    host: 'api.example.com',
    port: 443,
    isHere: false,
    out: 0,
    in: 0,
    why,
  };
  const all: readonly SentLine[] = [
    { ...line, state: 'request', announced: 40_000 },
    { ...line, out: 40_000, in: 900 },
    { ...line, state: 'closed', out: 30, in: 30 },
  ];
  return all.map((one) => JSON.stringify(one));
}
