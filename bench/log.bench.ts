import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewEvent } from '@shared/events/events.ts';
import { createBlobs } from '../src/main/sessions/blobs/blob-store.ts';
import { EventLog, fileIo } from '../src/main/sessions/log/event-log.ts';
import type { LiveJournal } from '../src/main/sessions/journal/live-journal.ts';
import { createRedactor } from '../src/main/sessions/log/redactor.ts';
import { createSessionStore, type SessionStore } from '../src/main/sessions/store/session-store.ts';
import type { BenchRow } from './lib/rows.ts';
import { median } from './lib/statistics.ts';

const logBytes = 100 * 1024 * 1024;
const opens = 5;
const appends = 20_000;

/** Measures what keeping a session costs: appends, and opening a log of 100 MB with and without its snapshot. */
export async function run(): Promise<readonly BenchRow[]> {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-bench-log-'));
  try {
    const store = createSessionStore({
      folder: join(home, 'sessions'),
      appVersion: 'bench',
      blobs: createBlobs(join(home, 'blobs')),
      redactor: createRedactor([{ kind: 'key', value: 'a value that is never there' }]),
      now: Date.now,
    });
    return [...(await measureAppends(store)), ...(await measureOpens(store))];
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function measureAppends(store: SessionStore): Promise<readonly BenchRow[]> {
  const journal = await store.create({
    title: 'appends',
    projectPath: null,
    workspace: { mode: 'scratch', path: '/' },
  });
  const unsynced = await timeAppends(journal, appends, progress);
  const synced = await timeAppends(journal, 500, (index) => toolEnded(index, 'turn-1'));
  await journal.close();
  const note = `a record of about 1 KB: redacted, checked, written, folded; mean of ${appends}`;
  return [
    { figure: 'log append without sync', value: unsynced, unit: 'ms', target: { atMost: 0.1 }, note },
    { figure: 'log append with sync', value: synced, unit: 'ms', target: null, note: 'mean of 500; the disk decides' },
  ];
}

async function timeAppends(journal: LiveJournal, count: number, make: (index: number) => NewEvent): Promise<number> {
  const startedAt = performance.now();
  for (let index = 0; index < count; index += 1) await journal.append(make(index));
  return (performance.now() - startedAt) / count;
}

async function measureOpens(store: SessionStore): Promise<readonly BenchRow[]> {
  const sessionId = await makeLargeLog(store);
  const folder = store.folderOf(sessionId);
  const { size } = await stat(join(folder, 'events.jsonl'));
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < opens; round += 1) {
    await rm(join(folder, 'snapshot.json'), { force: true });
    cold.push(await timeOpen(store, sessionId));
    warm.push(await timeOpen(store, sessionId));
  }
  const megabytes = Math.round(size / 1024 / 1024);
  const note = `${megabytes} MB, median of ${opens}`;
  return [
    { figure: 'open a 100 MB log without its snapshot', value: median(cold), unit: 's', target: { atMost: 3 }, note },
    { figure: 'open a 100 MB log with its snapshot', value: median(warm), unit: 's', target: { atMost: 0.5 }, note },
  ];
}

/** Measures the time until the session can be worked with. Closing, which writes the next snapshot, is not counted. */
async function timeOpen(store: SessionStore, sessionId: string): Promise<number> {
  const startedAt = performance.now();
  const journal = await store.open(sessionId);
  const seconds = (performance.now() - startedAt) / 1000;
  await journal.close();
  return seconds;
}

/** Writes turns of twelve records as an engine does, straight into the file, without waiting for the disk. */
async function makeLargeLog(store: SessionStore): Promise<string> {
  const journal = await store.create({ title: 'large', projectPath: null, workspace: { mode: 'scratch', path: '/' } });
  await journal.close();
  const path = join(store.folderOf(journal.sessionId), 'events.jsonl');
  const log = await EventLog.open({ path, onEvent: () => undefined, io: { ...fileIo, sync: () => Promise.resolve() } });
  for (let turn = 0; log.sizeBytes < logBytes; turn += 1) {
    for (const event of turnOf(turn))
      await log.append({ v: 2, seq: log.lastSeq + 1, at: log.lastSeq, ...event }, false);
  }
  log.close();
  return journal.sessionId;
}

const line = 'src/example.ts:12: expected 3 to equal 4, as in the test before this one\n';
const output = line.repeat(14);
const stage = { strategy: 'loop', model: 'bench/one', where: 'local' } as const;

function progress(index: number): NewEvent {
  return {
    type: 'recipe-progressed',
    turnId: 'turn-1',
    recipe: 'bench',
    phase: `phase ${index}`,
    text: output,
    data: { index },
  };
}

function toolEnded(index: number, turnId: string): NewEvent {
  const end = {
    status: 'ok',
    output,
    full: null,
    exitCode: 0,
    durationMs: 5,
    data: { index },
    dataBlob: null,
  } as const;
  return { type: 'tool-ended', turnId, toolCallId: `tool-${turnId}-${index}`, tool: 'run_command', ...end };
}

function turnOf(turn: number): readonly NewEvent[] {
  const turnId = `turn-${turn}`;
  const messageId = `message-${turn}`;
  const limits = { maxSteps: 40, maxMinutes: 15, maxTokens: 200_000, maxUsd: null };
  return [
    { type: 'user-message-added', messageId, text: 'Please go on.', queued: false },
    { type: 'turn-started', turnId, messageId, check: null, cascade: [stage], limits },
    ...[0, 1, 2].flatMap((step) => stepOf(turnId, step)),
    { type: 'turn-ended', turnId, reason: 'done', text: 'Done.', confidence: 'high', failure: null },
  ];
}

function stepOf(turnId: string, step: number): readonly NewEvent[] {
  const callId = `call-${turnId}-${step}`;
  const toolCallId = `tool-${turnId}-${step}`;
  const request = { sha256: 'a'.repeat(64), bytes: 1000 };
  const usage = { freshInput: 300, cacheRead: 700, cacheWrite: 0, output: 80, reasoning: 0, estimated: false };
  const timings = { queuedMs: 0, prefillMs: 300, decodeMs: 900, totalMs: 1200 };
  const call = {
    callId,
    step,
    purpose: 'act',
    stage,
    provider: 'bench',
    model: 'one',
    request,
    promptTokens: 1000,
  } as const;
  return [
    { type: 'model-call-started', turnId, ...call },
    {
      type: 'model-call-ended',
      turnId,
      callId,
      parts: [{ type: 'text', text: output.slice(0, 400) }],
      stopReason: 'stop',
      usage,
      evaluatedTokens: 300,
      timings,
      price: null,
      costUsd: 0,
      error: null,
    },
    {
      type: 'tool-call-requested',
      turnId,
      toolCallId,
      callId,
      tool: 'run_command',
      input: { command: 'test' },
      style: 'native',
      repairs: [],
    },
    {
      type: 'tool-started',
      turnId,
      toolCallId,
      tool: 'run_command',
      by: 'model',
      input: { command: 'test' },
      label: 'run test',
    },
    toolEnded(step, turnId),
  ];
}
