import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import { noUsage } from '@shared/money/token-cost.ts';
import { createBlobs } from '../../../../src/main/sessions/blobs/blob-store.ts';
import { readCallDetail } from '../../../../src/main/sessions/history/read-call-detail.ts';

const folder = mkdtempSync(join(tmpdir(), 'dewpoint-detail-'));
const blobs = createBlobs(join(folder, 'blobs'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const put = (text: string) => blobs.put(Buffer.from(text));
const stage = { strategy: 'loop', model: 'a/b', where: 'local' } as const;

async function* log(events: readonly NewEvent[]): AsyncIterable<SessionEvent> {
  for (const [index, event] of events.entries()) yield { ...event, v: 2, seq: index + 1, at: index };
}

async function events(): Promise<readonly NewEvent[]> {
  const request = { messages: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }], tools: [{ name: 'edit' }] };
  const input = { path: 'a.py' };
  const ended = { status: 'ok', exitCode: 0, durationMs: 1, data: null, dataBlob: null } as const;
  return [
    { type: 'user-message-added', messageId: 'm1', text: 'x'.repeat(5000), queued: false },
    {
      type: 'route-decided',
      callId: 'c1',
      chosen: { model: 'a/b', where: 'cloud' },
      runnerUp: null,
      reasonCode: 'gain',
      reason: 'It is worth it.',
      layer: 'L2',
    },
    {
      type: 'model-call-started',
      callId: 'c1',
      step: 1,
      purpose: 'act',
      stage,
      provider: 'a',
      model: 'a/b',
      request: await put(JSON.stringify(request)),
      promptTokens: 5,
    },
    {
      type: 'model-call-ended',
      callId: 'c1',
      parts: [{ type: 'reasoning', text: 'think' }],
      stopReason: 'tool-calls',
      usage: noUsage,
      evaluatedTokens: null,
      timings: { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 1 },
      price: null,
      costUsd: null,
      error: null,
    },
    { type: 'tool-call-requested', toolCallId: 't1', callId: 'c1', tool: 'edit', input, style: 'native', repairs: [] },
    { type: 'tool-started', toolCallId: 't1', tool: 'edit', by: 'model', input, label: 'edit a.py' },
    {
      type: 'file-changed',
      path: 'a.py',
      before: { kept: true, blob: await put('one\n'), mode: 420 },
      after: { kept: true, blob: await put('two\n'), mode: 420 },
      by: 'model',
      toolCallId: 't1',
      added: 1,
      removed: 1,
      undoes: [],
    },
    { type: 'tool-ended', toolCallId: 't1', tool: 'edit', output: 'cut…', full: await put('cut no more'), ...ended },
    { type: 'tool-started', toolCallId: 'k1', tool: 'run_tests', by: 'recipe', input: { all: true }, label: 'tests' },
    {
      type: 'tool-ended',
      toolCallId: 'k1',
      tool: 'run_tests',
      output: 'kept part',
      full: { sha256: 'f'.repeat(64), bytes: 9 },
      ...ended,
    },
  ];
}

it('the details of a model call hold its request, its words, the outputs and the diff', async () => {
  const detail = await readCallDetail(log(await events()), 'c1', blobs);
  expect(detail).toMatchObject({
    request: { messages: [{ role: 'user', text: 'hello' }], tools: [{ name: 'edit', bytes: 15 }] },
    parts: [{ type: 'reasoning', text: 'think' }],
    route: { reason: 'It is worth it.', layer: 'L2' },
    tools: [{ toolCallId: 't1', input: { path: 'a.py' }, output: 'cut no more', isOutputWhole: true }],
  });
  expect(detail?.tools[0]?.changes[0]?.diff).toContain('-one\n+two');
});

it('the details of a model call say when an output is incomplete', async () => {
  const detail = await readCallDetail(log(await events()), 'k1', blobs);
  expect(detail).toMatchObject({
    request: null,
    parts: [],
    tools: [{ toolCallId: 'k1', input: { all: true }, output: 'kept part', isOutputWhole: false }],
  });
});

it('the details of a message hold all of a long one', async () => {
  const detail = await readCallDetail(log(await events()), 'm1', blobs);
  expect(detail?.text?.length).toBe(5000);
});

it('the details of an unknown id do not exist', async () => {
  const detail = await readCallDetail(log(await events()), 'nothing', blobs);
  expect(detail).toBeNull();
});
