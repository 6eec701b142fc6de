import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewEvent } from '@shared/events/events.ts';
import { createBlobs } from '../../src/main/sessions/blobs/blob-store.ts';
import { EventLog, fileIo } from '../../src/main/sessions/log/event-log.ts';
import { createRedactor } from '../../src/main/sessions/log/redactor.ts';
import { createSessionStore } from '../../src/main/sessions/store/session-store.ts';

/** One message of the user and one of the model in each turn. */
const turns = 5000;
const logBytes = 100 * 1024 * 1024;

/** Creates a session of 10,000 messages and 100 MB in a home, as a closed app leaves it: with its snapshot. */
export async function makeLargeSession(
  home: string,
): Promise<{ readonly messages: number; readonly megabytes: number }> {
  const store = createSessionStore({
    folder: join(home, 'sessions'),
    appVersion: 'bench',
    blobs: createBlobs(join(home, 'blobs')),
    redactor: createRedactor(),
    now: Date.now,
  });
  const journal = await store.create({ title: 'Large', projectPath: null, workspace: { mode: 'scratch', path: '/' } });
  await journal.close();
  const path = join(store.folderOf(journal.sessionId), 'events.jsonl');
  const log = await EventLog.open({ path, onEvent: () => undefined, io: { ...fileIo, sync: () => Promise.resolve() } });
  const words = 'One answer among many, with **bold** words, `code` and a list:\n\n- first\n- second\n\n';
  const answer = words.repeat(Math.ceil(logBytes / turns / 2 / words.length));
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const event of turnOf(turn, answer))
      await log.append({ v: 2, seq: log.lastSeq + 1, at: Date.now() - (turns - turn) * 1000, ...event }, false);
  }
  log.close();
  await (await store.open(journal.sessionId)).close();
  return { messages: turns * 2, megabytes: (await stat(path)).size / 1024 / 1024 };
}

const stage = { strategy: 'loop', model: 'script/script', where: 'local' } as const;

function turnOf(turn: number, answer: string): readonly NewEvent[] {
  const turnId = `turn-${turn}`;
  const messageId = `message-${turn}`;
  const callId = `call-${turn}`;
  const limits = { maxSteps: 40, maxMinutes: 15, maxTokens: 200_000, maxUsd: null };
  const usage = { freshInput: 300, cacheRead: 700, cacheWrite: 0, output: 80, reasoning: 0, estimated: false };
  const text = turn === turns ? `${answer}The last answer.` : answer;
  return [
    { type: 'user-message-added', messageId, text: `Question ${turn}: what comes next?`, queued: false },
    { type: 'turn-started', turnId, messageId, check: null, cascade: [stage], limits },
    {
      type: 'model-call-started',
      turnId,
      callId,
      step: 1,
      purpose: 'answer',
      stage,
      provider: 'script',
      model: 'script',
      request: { sha256: 'a'.repeat(64), bytes: 1000 },
      promptTokens: 1000,
    },
    {
      type: 'model-call-ended',
      turnId,
      callId,
      parts: [{ type: 'text', text }],
      stopReason: 'stop',
      usage,
      evaluatedTokens: 300,
      timings: { queuedMs: 0, prefillMs: 300, decodeMs: 900, totalMs: 1200 },
      price: null,
      costUsd: 0,
      error: null,
    },
    {
      type: 'turn-ended',
      turnId,
      reason: 'answered',
      text: turn === turns ? 'The last answer.' : answer,
      confidence: null,
      failure: null,
    },
  ];
}
