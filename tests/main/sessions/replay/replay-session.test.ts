import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError } from '@shared/errors.ts';
import type { NewEvent } from '@shared/events/events.ts';
import type { LanguageModel } from '../../../../src/main/models/providers/define.ts';
import type { Effects, Journal } from '../../../../src/main/sessions/journal/journal.ts';
import { replaySession, type RunReplayTurn } from '../../../../src/main/sessions/replay/replay-session.ts';
import { type Home, makeHome, scratchSession } from '../session-fixtures.ts';
import type { ReplayReport } from '@shared/contract/sessions-contract.ts';

interface Services {
  readonly journal: Journal;
  readonly effects: Effects;
  readonly provider: LanguageModel;
  readonly inbox: { take(): { readonly messageId: string } | null };
  readonly messageId: string;
  readonly signal: AbortSignal;
}

const stage = { strategy: 'loop', model: 'fake/one', where: 'local' } as const;
const request = {
  model: 'one',
  messages: [],
  tools: [],
  output: { type: 'text' },
  prefill: null,
  stop: [],
  temperature: 0,
  topP: 1,
  seed: null,
  maxOutputTokens: 10,
  cacheKey: 'x',
} as const;

/**
 * A small engine with the structure of the real one: it asks, runs the named tool and checks the inbox, until the
 * answer is `end`.
 */
async function engine(services: Services, endText = 'It is done.'): Promise<void> {
  const { journal, effects, provider, signal, messageId } = services;
  const turnId = journal.newId('turn');
  const append = async (event: NewEvent): Promise<void> => void (await journal.append({ ...event, turnId }));
  const limits = { maxSteps: 10, maxMinutes: 5, maxTokens: 1000, maxUsd: null };
  await append({ type: 'turn-started', messageId, check: null, cascade: [stage], limits });
  const end = (reason: 'done' | 'cancelled' | 'step-limit', text: string): Promise<void> =>
    append({ type: 'turn-ended', reason, text, confidence: null, failure: null });
  let lastData: unknown = null;
  for (let step = 1; step < 8; step += 1) {
    if (signal.aborted) return end('cancelled', '');
    const callId = journal.newId('call');
    const blob = await journal.putText([`request ${step} at ${Math.random()}`]);
    const promptTokens = await provider.countTokens(request, signal);
    await append({
      type: 'model-call-started',
      callId,
      step,
      purpose: 'act',
      stage,
      provider: 'fake',
      model: 'one',
      request: blob,
      promptTokens,
    });
    let text = '';
    for await (const part of provider.stream(request, signal)) {
      if (part.type === 'text-delta') text += part.text;
      if (part.type !== 'ended') continue;
      const { stopReason, usage, evaluatedTokens, timings } = part;
      await append({
        type: 'model-call-ended',
        callId,
        parts: [{ type: 'text', text }],
        stopReason,
        usage,
        evaluatedTokens,
        timings,
        price: null,
        costUsd: 0,
        error: null,
      });
    }
    if (text === 'end') return end('done', endText);
    const toolCallId = journal.newId('tool');
    await append({
      type: 'tool-started',
      toolCallId,
      tool: text,
      by: 'model',
      input: { step, before: lastData },
      label: text,
    });
    const record = await effects.perform(toolCallId, async () => {
      if (text === 'explode') throw new Error('killed here');
      await journal.append({
        type: 'file-changed',
        turnId,
        path: 'a.txt',
        before: null,
        after: null,
        by: 'model',
        toolCallId,
        added: 1,
        removed: 0,
        undoes: [],
      });
      await journal.append({ type: 'notice-added', turnId, level: 'info', code: 'inside', text: 'inside an effect' });
      return {
        status: 'ok',
        output: `ran ${text}`,
        full: null,
        exitCode: 0,
        durationMs: Math.random() * 100,
        data: { secret: step },
      };
    });
    const { status, output, full, exitCode, durationMs, data } = record;
    lastData = data;
    await append({
      type: 'tool-ended',
      toolCallId,
      tool: text,
      status,
      output,
      full,
      exitCode,
      durationMs,
      data,
      dataBlob: null,
    });
    if (text === 'explode-later' && !effects.replaying) throw new Error('killed here');
    for (let waiting = services.inbox.take(); waiting; waiting = services.inbox.take()) {
      await append({ type: 'message-delivered', messageId: waiting.messageId });
    }
  }
  return end('step-limit', '');
}

function scripted(replies: string[], onCall: (call: number) => Promise<void>): LanguageModel {
  let calls = 0;
  return {
    id: 'fake',
    countTokens: async () => 100 + calls,
    async *stream() {
      calls += 1;
      await onCall(calls);
      yield { type: 'text-delta', text: replies.shift() ?? 'end' };
      const usage = { freshInput: calls, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false };
      const timings = { queuedMs: 0, prefillMs: Math.random(), decodeMs: 2, totalMs: 3 };
      yield { type: 'ended', stopReason: 'stop', usage, evaluatedTokens: calls, timings, error: null };
    },
  };
}

/** Runs the engine for real. A message arrives during the second call. Returns the session's id. */
async function record(home: Home, turns: string[][], controller = new AbortController()): Promise<string> {
  const journal = await home.store.create(scratchSession);
  const waiting: { messageId: string }[] = [];
  for (const [index, replies] of turns.entries()) {
    const messageId = `message-${index}`;
    await journal.append({ type: 'user-message-added', messageId, text: 'do it', queued: false });
    const provider = scripted(replies, async (call) => {
      if (call === 1) await journal.append({ type: 'engine-waited', callId: 'x', waitedMs: 5 });
      if (replies[0] === 'cancel-me') controller.abort();
      if (call !== 2) return;
      waiting.push({ messageId: `queued-${index}` });
      await journal.append({
        type: 'user-message-added',
        messageId: `queued-${index}`,
        text: 'also this',
        queued: true,
      });
    });
    const effects: Effects = { replaying: false, perform: (_id, run) => run() };
    const inbox = { take: () => waiting.shift() ?? null };
    await engine({ journal, effects, provider, inbox, messageId, signal: controller.signal }).catch(() => undefined);
  }
  await journal.close();
  return journal.sessionId;
}

const replayEngine: RunReplayTurn = (turn) => engine({ ...turn, messageId: turn.message.messageId });

async function replay(home: Home, sessionId: string, run: RunReplayTurn = replayEngine): Promise<ReplayReport> {
  return replaySession(await home.store.view(sessionId, 'whole'), home.blobs, run);
}

describe('the replay of a session', () => {
  it('reaches the same state with the recorded outside data', async () => {
    await using home = await makeHome();
    const id = await record(home, [
      ['read', 'edit', 'test', 'end'],
      ['read', 'end'],
    ]);
    const view = await home.store.view(id);
    const report = await replay(home, id);
    expect(report).toEqual({
      matched: true,
      stateHash: report.recordedHash,
      recordedHash: report.recordedHash,
      events: view.state.seq,
      firstDifference: null,
    });
    // The message of the first turn was delivered. That of the second came after its last tool call and waits.
    expect(view.state.queued.map(({ messageId }) => messageId)).toEqual(['queued-1']);
  });

  it('reports where an engine took another way', async () => {
    await using home = await makeHome();
    const id = await record(home, [['read', 'end']]);
    const report = await replay(home, id, (turn) =>
      engine({ ...turn, messageId: turn.message.messageId }, 'It is not done.'),
    );
    expect(report.matched).toBe(false);
    expect(report.stateHash).not.toBe(report.recordedHash);
    expect(report.firstDifference).toContain('(turn-ended), text: recorded "It is done.", replayed "It is not done."');
  });

  it('reports an engine that leaves something out or goes on past the end', async () => {
    await using home = await makeHome();
    const id = await record(home, [['read', 'end']]);
    const lazy = await replay(home, id, async (turn) => {
      const { messageId, check, cascade, limits } = turn.started;
      await turn.journal.append({
        type: 'turn-started',
        turnId: turn.journal.newId('turn'),
        messageId,
        check,
        cascade,
        limits,
      });
    });
    expect(lazy.firstDifference).toContain('did not make the recorded model-call-started');
    const eager = await replay(home, id, async (turn) => {
      await replayEngine(turn);
      await turn.journal.append({
        type: 'context-compacted',
        summary: '',
        replacesUpToSeq: 1,
        beforeTokens: 1,
        afterTokens: 1,
      });
    });
    expect(eager.firstDifference).toContain('after the end of the record');
  });

  it('runs no command and asks nobody', async () => {
    await using home = await makeHome();
    const id = await record(home, [['read', 'end']]);
    const before = await readFile(join(home.store.folderOf(id), 'events.jsonl'));
    const report = await replay(home, id, (turn) =>
      engine({
        ...turn,
        messageId: turn.message.messageId,
        effects: {
          ...turn.effects,
          perform: (toolCallId) => turn.effects.perform(toolCallId, () => Promise.reject(new Error('it ran'))),
        },
      }),
    );
    expect(report.matched).toBe(true);
    expect(await readFile(join(home.store.folderOf(id), 'events.jsonl'))).toEqual(before);
  });

  it.each([
    ['in an effect', 'explode'],
    ['between two steps', 'explode-later'],
  ])('follows a turn that a crash ended %s, and what came after it', async (_where, reply) => {
    await using home = await makeHome();
    const id = await record(home, [['read', reply, 'end']]);
    const opened = await home.again().open(id);
    expect(opened.state().turns.at(-1)?.reason).toBe('crashed');
    await opened.append({ type: 'user-message-added', messageId: 'message-9', text: 'again', queued: false });
    const effects: Effects = { replaying: false, perform: (_id, run) => run() };
    const provider = scripted(['read', 'end'], async () => undefined);
    await engine({
      journal: opened,
      effects,
      provider,
      inbox: { take: () => null },
      messageId: 'message-9',
      signal: new AbortController().signal,
    });
    await opened.close();
    expect(await replay(home, id)).toMatchObject({ matched: true, firstDifference: null });
  });

  it('works for a session that was cut off and not opened since', async () => {
    await using home = await makeHome();
    const id = await record(home, [['read', 'explode', 'end']]);
    expect(await replay(home, id)).toMatchObject({ matched: true, firstDifference: null });
  });

  it('works for a cancelled turn', async () => {
    await using home = await makeHome();
    const id = await record(home, [['read', 'cancel-me', 'end']]);
    expect((await home.store.view(id)).state.turns.at(-1)?.reason).toBe('cancelled');
    expect(await replay(home, id)).toMatchObject({ matched: true, firstDifference: null });
  });

  it('does not match when a blob is gone or changed', async () => {
    await using home = await makeHome();
    const id = await record(home, [['read', 'end']]);
    const requests = [];
    for await (const event of (await home.store.view(id)).read())
      if (event.type === 'model-call-started') requests.push(event.request.sha256);
    const path = join(home.path, 'blobs', requests[0] ?? '');
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(65));
    expect(await replay(home, id)).toMatchObject({
      matched: false,
      firstDifference: expect.stringContaining('gone or damaged'),
    });
    await rm(path);
    expect(await replay(home, id)).toMatchObject({
      matched: false,
      firstDifference: expect.stringContaining('gone or damaged'),
    });
  });

  it('does not match when a record of the log is damaged, also under a snapshot', async () => {
    await using home = await makeHome();
    const id = await record(home, [['read', 'edit', 'end']]);
    const path = join(home.store.folderOf(id), 'events.jsonl');
    const bytes = await readFile(path);
    bytes[Math.floor(bytes.length / 2)] = 0;
    await writeFile(path, bytes);
    expect(await replay(home, id)).toMatchObject({
      matched: false,
      firstDifference: expect.stringContaining('the log is damaged'),
    });
  });

  it("passes on the engine's own errors", async () => {
    await using home = await makeHome();
    const id = await record(home, [['read', 'end']]);
    await expect(replay(home, id, () => Promise.reject(new AppError('internal', 'a bug')))).rejects.toThrow('a bug');
  });
});
