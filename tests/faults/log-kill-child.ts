import { join } from 'node:path';
import type { NewEvent } from '@shared/events/events.ts';
import { createBlobs } from '../../src/main/sessions/blobs/blob-store.ts';
import { createRedactor } from '../../src/main/sessions/log/redactor.ts';
import { createSessionStore } from '../../src/main/sessions/store/session-store.ts';

/**
 * Appends turns to a session of a home without end. Prints the number of every event on its own line as soon as it is
 * acknowledged. Started and killed by `log-kill.test.ts`.
 */
const [home = '', session = ''] = process.argv.slice(2);
const blobs = createBlobs(join(home, 'blobs'));
const redactor = createRedactor();
const store = createSessionStore({
  folder: join(home, 'sessions'),
  appVersion: 'test',
  blobs,
  redactor,
  now: Date.now,
});
const journal = await store.open(session);
const limits = { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null };
for (let round = 0; ; round += 1) {
  const turnId = journal.newId('turn');
  const toolCallId = journal.newId('tool');
  const blob = await journal.putBlob(Buffer.from(`${turnId} ${round}`));
  const turn: readonly NewEvent[] = [
    { type: 'user-message-added', messageId: `m-${turnId}`, text: 'x'.repeat((round * 97) % 5000), queued: false },
    { type: 'turn-started', turnId, messageId: `m-${turnId}`, check: null, cascade: [], limits },
    { type: 'tool-started', turnId, toolCallId, tool: 'write', by: 'model', input: {}, label: 'write' },
    {
      type: 'file-changed',
      turnId,
      path: 'a',
      before: null,
      after: { kept: true, blob, mode: 0o644 },
      by: 'model',
      toolCallId,
      added: 1,
      removed: 0,
      undoes: [],
    },
    {
      type: 'tool-ended',
      turnId,
      toolCallId,
      tool: 'write',
      status: 'ok',
      output: 'ok',
      full: null,
      exitCode: null,
      durationMs: 1,
      data: null,
      dataBlob: null,
    },
    { type: 'recipe-progressed', turnId, recipe: 'r', phase: 'p', text: 'not synced', data: null },
    { type: 'turn-ended', turnId, reason: 'done', text: '', confidence: null, failure: null },
  ];
  for (const event of turn) {
    const { seq } = await journal.append(event);
    process.stdout.write(`${seq}\n`);
  }
}
