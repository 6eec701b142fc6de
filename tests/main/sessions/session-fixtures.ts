import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewEvent } from '@shared/events/events.ts';
import { type Blobs, createBlobs } from '../../../src/main/sessions/blobs/blob-store.ts';
import { createRedactor, type Redactor } from '../../../src/main/sessions/log/redactor.ts';
import { createSessionStore, type SessionStore } from '../../../src/main/sessions/store/session-store.ts';

export interface Home extends AsyncDisposable {
  readonly path: string;
  readonly blobs: Blobs;
  readonly store: SessionStore;
  /** A new store on the same folder, as after another start of the program. */
  again(): SessionStore;
}

/** An empty home in a temporary folder. By default the clock counts up from 1,000 in steps of one. */
export async function makeHome(redactor: Redactor = createRedactor(), now?: () => number): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), 'dewpoint-sessions-'));
  const blobs = createBlobs(join(path, 'blobs'));
  let clock = 1000;
  const again = (): SessionStore =>
    createSessionStore({
      folder: join(path, 'sessions'),
      appVersion: 'test',
      blobs,
      redactor,
      now: now ?? (() => (clock += 1)),
    });
  return {
    path,
    blobs,
    store: again(),
    again,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

export const scratchSession = {
  title: 'A test',
  projectPath: null,
  workspace: { mode: 'scratch', path: '/nowhere' },
} as const;

const stage = { strategy: 'recipe', model: 'fake/one', where: 'local' } as const;
const limits = { maxSteps: 10, maxMinutes: 5, maxTokens: 1000, maxUsd: null };

/** One turn with two steps, a tool call and an action, in the order in which an engine appends it. */
export function turnEvents(turn: string): readonly NewEvent[] {
  const request = { sha256: '0'.repeat(64), bytes: 10 };
  const usage = { freshInput: 10, cacheRead: 5, cacheWrite: 0, output: 20, reasoning: 0, estimated: false };
  const timings = { queuedMs: 0, prefillMs: 10, decodeMs: 100, totalMs: 110 };
  const at = { turnId: turn };
  const started = (callId: string, step: number): NewEvent => ({
    type: 'model-call-started',
    ...at,
    callId,
    step,
    purpose: 'act',
    stage,
    provider: 'fake',
    model: 'one',
    request,
    promptTokens: 15,
  });
  const ended = (callId: string, text: string): NewEvent => ({
    type: 'model-call-ended',
    ...at,
    callId,
    parts: [{ type: 'text', text }],
    stopReason: 'stop',
    usage,
    evaluatedTokens: 10,
    timings,
    price: null,
    costUsd: 0,
    error: null,
  });
  return [
    { type: 'user-message-added', messageId: `message-${turn}`, text: 'Fix it', queued: false },
    {
      type: 'turn-started',
      ...at,
      messageId: `message-${turn}`,
      check: null,
      cascade: [stage],
      limits,
    },
    { type: 'stage-chosen', ...at, stage, recipe: 'fix', reason: 'a test fails', index: 0, cause: null },
    {
      type: 'tool-started',
      ...at,
      toolCallId: `tool-${turn}-a`,
      tool: 'run',
      by: 'recipe',
      input: { command: 'pytest' },
      label: 'run pytest',
    },
    {
      type: 'tool-ended',
      ...at,
      toolCallId: `tool-${turn}-a`,
      tool: 'run',
      status: 'ok',
      output: '1 failed',
      full: null,
      exitCode: 1,
      durationMs: 12,
      data: { exitCode: 1 },
      dataBlob: null,
    },
    {
      type: 'route-decided',
      ...at,
      callId: `call-${turn}-1`,
      chosen: { model: 'fake/one', where: 'local' },
      runnerUp: null,
      reasonCode: 'only',
      reason: 'The only model.',
    },
    started(`call-${turn}-1`, 1),
    ended(`call-${turn}-1`, 'I read the file.'),
    {
      type: 'tool-call-requested',
      ...at,
      toolCallId: `tool-${turn}-b`,
      callId: `call-${turn}-1`,
      tool: 'read_file',
      input: { path: 'a.py' },
      style: 'text',
      repairs: [],
    },
    {
      type: 'tool-started',
      ...at,
      toolCallId: `tool-${turn}-b`,
      tool: 'read_file',
      by: 'model',
      input: { path: 'a.py' },
      label: 'read a.py',
    },
    {
      type: 'tool-ended',
      ...at,
      toolCallId: `tool-${turn}-b`,
      tool: 'read_file',
      status: 'ok',
      output: 'def a(): pass',
      full: null,
      exitCode: null,
      durationMs: 3,
      data: null,
      dataBlob: null,
    },
    started(`call-${turn}-2`, 2),
    ended(`call-${turn}-2`, 'Done.'),
    { type: 'turn-ended', ...at, reason: 'done', text: 'Fixed.', confidence: 'high', failure: null },
  ];
}
